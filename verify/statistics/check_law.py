"""``check_invariance``: does a kernel that is proved to leave a law invariant do so?
``check_sweep``: is it what was declared?
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from recipe import Dense, Kernel, RecipeError
from recipe.kernel import updates_of
from recipe.language.symbols import name_of
from verify.statistics.law import normal_law as normal_laws
from verify.statistics.law import two_sample
from verify.statistics.law.normal_law import NormalLaw, normal_law
from verify.statistics.law.simulate import Runner, swept
from verify.statistics.law.two_sample import Comparison, Draw, InvariantLaw
from verify.statistics.null.findings import ComparisonLine, Findings
from verify.statistics.null.levels import (
    FACTOR,
    LEVEL,
    MOST,
    POWER,
    ROUNDING,
    Levels,
    check_replicas,
    checked_rounding,
    seeded,
)
from verify.statistics.numbers.arrays import State
from verify.statistics.numbers.callables import Step, Stepper, stepper
from verify.statistics.numbers.inputs import setting
from verify.statistics.step.design import drawn_states

DESIGN, RUN, SWEEP_DESIGN, SWEEP_RUN = 2, 3, 8, 9  # what random numbers are for
FEWEST_ROWS = 4  # two pairs of neighbours
START = " from its start"
FAR = 1e6
FEWEST_MOVES = 2_000  # replicas of which one must move


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
    """Start replicas in a law that the kernel is proved to leave invariant, and see whether they
    are still in it.

    That is exact for kernels without an error of discretisation: Metropolis tests, exact
    transitions, and affine steps in the normal law that is proved of them. A law that a step
    samples only as its size vanishes is not one of these.

    Args:
        step: the kernel, ``step(state, rng) -> state``: see ``Stepper``.
        target: ``target(rng, n)`` returns n independent exact draws, by block, shape (n, length),
            auxiliary blocks included; or an ``invariant_normal_law``.
        steps: how many steps each replica takes. What each single one gets wrong adds up.
        features: further numbers of a state to compare, by name: functions of a dict of arrays of
            shape (n, length) that return n numbers.
        seed, level, power, factor, batched, most, name: see ``battery``. The factor is that of a
            scale: of a coordinate about its median, or of a standard deviation.
        replicas: how many; by default as many as ``power`` and ``factor`` need.

    Raises:
        RecipeError: where the target or the kernel returns no state.
    """
    asked = Levels(level, power, factor, most).checked()
    check_replicas(replicas, FEWEST_ROWS)
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise RecipeError(f"steps={steps!r} must be a positive whole number")
    kernel = stepper(step, batched=batched)
    design, noise = (np.random.default_rng([seeded(seed), purpose]) for purpose in (DESIGN, RUN))
    if isinstance(target, NormalLaw):
        needed = normal_laws.replicas_for(target, level, power, factor)
        used = replicas or int(min(most, needed))
        lines = normal_laws.run(
            target, kernel, noise, steps=steps, replicas=used, level=level, power=power
        )
        return Findings(
            name,
            tuple(lines),
            seed,
            level,
            power,
            factor,
            used,
            ("the variances",) if needed > used else (),
        )
    law = InvariantLaw(target)

    def made(rng: np.random.Generator, n: int) -> State:
        state = law.rows(rng, n)
        for _ in range(steps):
            state = kernel.advance(state, rng)
        return state

    plan = two_sample.compared(law, dict(features or {}), design, asked, replicas)
    return _found(plan, two_sample.run(plan, made, noise), seed, name)


def check_sweep(
    step: Step | Stepper,
    against: Kernel,
    *,
    step_size: float,
    params: Mapping[str, Any] | None = None,
    length: int | Mapping[str, int] = 3,
    seed: int = 0,
    level: float = LEVEL,
    power: float = POWER,
    factor: float = FACTOR,
    batched: bool = False,
    replicas: int | None = None,
    most: int = MOST,
    rounding: float = ROUNDING,
    name: str = "this kernel",
) -> Findings:
    """Compare one sweep with that of a kernel, carried out in numpy as it is declared, from states
    anywhere in the domain.

    This is for kernels with Metropolis tests or repetitions, of which the law of one sweep is not
    known. It is exact, as both are draws of one law, of the state and of how far it is from its
    start. It sees what no invariant law shows: a kernel that never moves, or moves by another step
    size.

    Args:
        step: the kernel, ``step(state, rng) -> state``: see ``Stepper``.
        against: what it must be, a ``Kernel`` whose potentials are bound to expressions.
        step_size, params, length: the numbers of the kernel; see ``battery``.
        seed, level, power, factor, batched, replicas, most, name: see ``check_invariance``.
        rounding: the relative precision of the kernel's arithmetic, see ``battery``; a kernel in
            float32 needs 1e-6. What stands still, or moves by one number everywhere, does so up to
            rounding: distances are compared in steps of 100 of it.

    Raises:
        RecipeError: for numbers that do not fit, and for a kernel that is not carried out.
    """
    asked = Levels(level, power, factor, most).checked()
    check_replicas(replicas, FEWEST_ROWS)
    if not isinstance(against, Kernel):
        kind = type(against).__name__
        raise RecipeError(
            f"check_sweep compares with a Kernel, and this is a {kind}; check_kernel takes an"
            " Update or a Discretisation"
        )
    if unbound := [head for head in against.abstract if not isinstance(head, Dense)]:
        raise RecipeError(
            f"{unbound[0]} has no numbers: bind an expression to it, bind(kernel, {{{unbound[0]}:"
            " ...})"
        )
    given, kernel = (
        setting(against, step_size=step_size, params=params, length=length),
        stepper(step, batched=batched),
    )
    design, noise = (
        np.random.default_rng([seeded(seed), purpose]) for purpose in (SWEEP_DESIGN, SWEEP_RUN)
    )
    digits = -int(np.ceil(np.log10(100 * checked_rounding(rounding))))

    def moved(
        sweep: Callable[[State, np.random.Generator], State],
    ) -> Callable[[np.random.Generator, int], State]:
        return lambda rng, n: _moved(
            sweep, drawn_states(against.state, given.meanings.lengths, n, rng), rng, digits
        )

    def right(state: State, rng: np.random.Generator) -> State:
        return swept(against, state, Runner(given.meanings, rng))

    plan = two_sample.compared(InvariantLaw(moved(right)), {}, design, asked, replicas)
    found = _found(plan, two_sample.run(plan, moved(kernel.advance), noise), seed, name)
    pilot = moved(right)(np.random.default_rng([seeded(seed), SWEEP_DESIGN]), FEWEST_MOVES)
    moving = {
        name_of(b) for part in against.parts for u in updates_of(part) for b, e in u.rule if e != b
    }
    still = tuple(
        f"that {name} moves" for name in sorted(moving) if not pilot[f"{name}{START}"].any()
    )
    return replace(found, unseen=(*still, *found.unseen))


def _moved(
    sweep: Callable[[State, np.random.Generator], State],
    state: State,
    rng: np.random.Generator,
    digits: int,
) -> State:
    """The state after a sweep, and how far it is from its start; what is not finite is one place,
    far out.
    """
    after = sweep(state, rng)
    finite = np.all([np.isfinite(x).all(axis=1) for x in after.values()], axis=0)[:, None]
    away = {f"{name}{START}": np.round(x - state[name], digits) for name, x in after.items()}
    return {name: np.where(finite, x, FAR) for name, x in {**after, **away}.items()}


def _found(plan: Comparison, lines: list[ComparisonLine], seed: int, name: str) -> Findings:
    unseen, a = (
        tuple(f"the scale of {name}" for name, n in plan.needed.items() if n > plan.replicas),
        plan.asked,
    )
    return Findings(name, tuple(lines), seed, a.level, a.power, a.factor, plan.replicas, unseen)


def invariant_normal_law(
    against: Any,
    *,
    step_size: float,
    params: Mapping[str, Any] | None = None,
    length: int | Mapping[str, int] = 3,
    curvature: float | None = None,
) -> NormalLaw:
    """The normal law that an affine step is proved to leave invariant, bias included: a target for
    ``check_invariance``.

    ``against`` is an ``Update`` or a ``Discretisation`` whose H is quadratic; an abstract potential
    stands for ``curvature * theta^2 / 2`` in each coordinate.

    Raises:
        RecipeError: where there is no such law.
    """
    return normal_law(
        setting(against, step_size=step_size, params=params, length=length), curvature
    )
