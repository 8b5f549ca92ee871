"""``check_invariance``: does a kernel that is proved to leave a law invariant do so?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from recipe import RecipeError
from verify.statistics import normal_law as normal_laws
from verify.statistics import stationary
from verify.statistics.arrays import State
from verify.statistics.asked import FACTOR, LEVEL, MOST, POWER, Asked, check_replicas, seeded
from verify.statistics.findings import Findings
from verify.statistics.kernels import Step, Stepper, stepper
from verify.statistics.normal_law import NormalLaw, normal_law
from verify.statistics.setting import setting
from verify.statistics.stationary import Draw, Law

DESIGN, RUN = 2, 3  # what random numbers are for
FEWEST_ROWS = 4  # two pairs of neighbours


def check_invariance(
    step: Step | Stepper,
    target: Draw | NormalLaw,
    *,
    steps: int = 10,
    features: Mapping[str, Callable[[State], Any]] | None = None,
    seed: int = 0,
    level: float = LEVEL,
    power: float = POWER,
    factor: float = FACTOR,
    batched: bool = False,
    replicas: int | None = None,
    most: int = MOST,
    name: str = "this kernel",
) -> Findings:
    """Start replicas in a law that the kernel is proved to leave invariant, and see whether they are still in it.

    That is exact for kernels without an error of discretisation: Metropolis tests, exact transitions, and affine steps in the
    normal law that is proved of them. A law that a step samples only as its size vanishes is not one of these.

    Args:
        step: the kernel, ``step(state, rng) -> state``: see ``Stepper``.
        target: ``target(rng, n)`` returns n independent exact draws, by block, shape (n, length), auxiliary blocks included; or an
            ``invariant_normal_law``.
        steps: how many steps each replica takes. What each single one gets wrong adds up.
        features: further numbers of a state to compare, by name: functions of a dict of arrays (n, length) that return n numbers.
        seed, level, power, factor, batched, most, name: see ``battery``. The factor is that of a scale: of a coordinate about its
            median, or of a standard deviation.
        replicas: how many; by default as many as ``power`` and ``factor`` need.

    Raises:
        RecipeError: where the target or the kernel returns no state.
    """
    asked = Asked(level, power, factor, most).checked()
    check_replicas(replicas, FEWEST_ROWS)
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise RecipeError(f"steps={steps!r} must be a positive whole number")
    kernel = stepper(step, batched=batched)
    design, noise = (np.random.default_rng([seeded(seed), purpose]) for purpose in (DESIGN, RUN))
    if isinstance(target, NormalLaw):
        needed = normal_laws.replicas_for(target, level, power, factor)
        used = replicas or int(min(most, needed))
        lines = normal_laws.run(target, kernel, noise, steps=steps, replicas=used, level=level, power=power)
        return Findings(name, tuple(lines), seed, level, power, factor, used, ("the variances",) if needed > used else ())
    plan = stationary.compared(
        Law(target),
        dict(features or {}),
        design,
        steps=steps,
        replicas=replicas,
        most=most,
        level=asked.level,
        power=power,
        factor=factor,
    )
    unseen = tuple(f"the scale of {name}" for name, n in plan.needed.items() if n > plan.replicas)
    return Findings(name, tuple(stationary.run(plan, kernel, noise)), seed, level, power, factor, plan.replicas, unseen)


def invariant_normal_law(
    against: Any, *, step_size: float, params: Mapping[str, Any] | None = None, length: int | Mapping[str, int] = 3,
    curvature: float | None = None,
) -> NormalLaw:  # fmt: skip
    """The normal law that an affine step is proved to leave invariant, bias included: a target for ``check_invariance``.

    ``against`` is an ``Update`` or a ``Discretisation`` whose H is quadratic; an abstract potential stands for
    ``curvature * theta^2 / 2`` in each coordinate.

    Raises:
        RecipeError: where there is no such law.
    """
    return normal_law(setting(against, step_size=step_size, params=params, length=length), curvature)
