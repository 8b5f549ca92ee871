"""``check_kernel``: does any callable ``step(state, rng)`` sample what was proved?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from recipe import RecipeError
from recipe.symbols import name_of
from verify.statistics.arrays import Gradient, State
from verify.statistics.equations import equations_of
from verify.statistics.findings import Findings
from verify.statistics.innovations import carried_out
from verify.statistics.kernels import Step, Stepper, stepper
from verify.statistics.one_step import Wanted, prepared, run
from verify.statistics.plan import plan_of
from verify.statistics.setting import Against, setting

LEVEL, POWER, FACTOR = 1e-6, 0.999, 1.1
MOST = 200_000
ROUNDING = 1e-10


def check_kernel(
    step: Step | Stepper,
    against: Against,
    *,
    step_size: float,
    params: Mapping[str, Any] | None = None,
    length: int | Mapping[str, int] = 3,
    gradients: Mapping[str, Gradient] | None = None,
    seed: int = 0,
    level: float = LEVEL,
    power: float = POWER,
    factor: float = FACTOR,
    batched: bool = False,
    coupled: bool = False,
    states: Mapping[str, Any] | None = None,
    replicas: int | None = None,
    most: int = MOST,
    rounding: float = ROUNDING,
    name: str | None = None,
) -> Findings:
    """Compare a kernel with a rule by the law of one step given the state, which is exact for every step size and potential.

    Args:
        step: the kernel, ``step(state, rng) -> state``: see ``Stepper`` for the shapes, ``batched`` and ``coupled``.
        against: what it must be: an ``Update``, ``discretised(recipe, scheme)``, or a ``Kernel`` of moves that always happen.
        step_size, params, length: the numbers of the rule; ``length`` is the coordinates of its vectors, or a dict by block.
        gradients: of abstract potentials, by name: functions of their blocks, arrays (replicas, length), that return such arrays.
        seed: reproduces everything.
        level: the probability with which a right kernel is said to differ, at most, for all lines together.
        power, factor: with this probability a coefficient that is wrong by this factor is found.
        states: where to start, by block, shape (states, length); by default anywhere in the domain.
        replicas: steps; by default as many as ``power`` and ``factor`` need, and not more than ``most``.
        rounding: the relative precision of the kernel's arithmetic: 1e-10 leaves room in float64; a kernel in float32 needs 1e-5.

    Raises:
        RecipeError: for numbers that do not fit, a rule whose noise cannot be read off, or a kernel that returns no state.
    """
    wanted = _checked(Wanted(level, power, factor, most, rounding))
    kernel = stepper(step, batched=batched, coupled=coupled)
    given = setting(against, step_size=step_size, params=params, length=length, gradients=gradients)
    plan = plan_of(equations_of(against))
    design, noise = (np.random.default_rng([_seed(seed), purpose]) for purpose in (0, 1))
    rows = None if states is None else _states(states, plan.equations.state, given.meanings.lengths)
    experiment = prepared(
        plan, given.meanings, given.scalars, wanted, design, states=rows, replicas=replicas, coupled=kernel.coupled
    )
    lines = run(experiment, kernel, noise)
    called = name or given.name
    return Findings(called, tuple(lines), seed, level, power, factor, experiment.replicas, experiment.unseen)


def reference(
    against: Against, *, step_size: float, params: Mapping[str, Any] | None = None, length: int | Mapping[str, int] = 3,
    gradients: Mapping[str, Gradient] | None = None,
) -> Stepper:  # fmt: skip
    """The rule itself as a kernel, many chains at once: a slow one, for tests and for what has no compiled form."""
    given = setting(against, step_size=step_size, params=params, length=length, gradients=gradients)
    equations = equations_of(against)

    def step(state: State, rng: np.random.Generator) -> State:
        rows = len(next(iter(state.values())))
        drawn = {name_of(w): rng.standard_normal((rows, given.meanings.length_of(w))) for w in equations.noises}
        moved = carried_out(equations, state, drawn, given.meanings)
        return {name: np.broadcast_to(x, state[name].shape) for name, x in moved.items()}

    return Stepper(step, batched=True, coupled=True)


def _checked(wanted: Wanted) -> Wanted:
    if not 0 < wanted.level < 1:
        raise RecipeError(f"level={wanted.level!r} must be between 0 and 1: it is a probability")
    if not 0.5 <= wanted.power < 1:
        raise RecipeError(f"power={wanted.power!r} must be from 0.5 to below 1: it is the probability of finding what is wrong")
    if not wanted.factor > 1:
        raise RecipeError(f"factor={wanted.factor!r} must be above 1: it is how far a coefficient is wrong")
    if not 0 < wanted.rounding < 1e-2:
        raise RecipeError(f"rounding={wanted.rounding!r} must be a small positive number, such as 1e-10")
    return wanted


def _seed(seed: Any) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise RecipeError(f"seed={seed!r} must be a whole number that is not negative")
    return int(seed)


def _states(states: Mapping[str, Any], blocks: Any, lengths: Mapping[str, int]) -> State:
    rows: State = {}
    for b in blocks:
        n = lengths[b.length.name] if hasattr(b, "length") else 1
        if name_of(b) not in states:
            raise RecipeError(f"states= has no rows for the block {name_of(b)}")
        x = np.asarray(states[name_of(b)], dtype=float)
        if x.ndim != 2 or x.shape[1] != n or not np.isfinite(x).all():
            raise RecipeError(f"states['{name_of(b)}'] has the shape {x.shape} and must have (states, {n}), of finite numbers")
        rows[name_of(b)] = x
    if len({len(x) for x in rows.values()}) > 1:
        raise RecipeError("states= has blocks with different numbers of rows; give one row a state")
    return rows
