"""``check_invariance`` and ``check_sweep``: compare a kernel by the law that it keeps, and by the
law of one sweep.
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
from verify.statistics.law.simulate import Runner, carry_out_sweep
from verify.statistics.law.two_sample import Comparison, ExactDraws, InvariantLaw
from verify.statistics.null.findings import ComparisonLine, Findings
from verify.statistics.null.levels import (
    FACTOR,
    LEVEL,
    MAX_REPLICAS,
    POWER,
    ROUNDING,
    Levels,
    check_replicas,
    checked_rounding,
    checked_seed,
)
from verify.statistics.numbers.arrays import State
from verify.statistics.numbers.callables import Step, Stepper, stepper
from verify.statistics.numbers.inputs import setting_of
from verify.statistics.step.design import drawn_states

# Keys of random numbers beside the seed, one for each use.
LAW_DESIGN_STREAM, LAW_RUN_STREAM, SWEEP_DESIGN_STREAM, SWEEP_RUN_STREAM = 2, 3, 8, 9
MIN_REPLICAS = 4  # which make two pairs of neighbours
DISPLACEMENT_SUFFIX = " from its start"  # in the name of how far a block moved
NOT_FINITE_PLACE = 1e6  # where a state that is not finite is put, far from all others
PILOT_REPLICAS = 2_000  # of the declared kernel: a block of which none moves is listed as unseen


def check_invariance(
    step: Step | Stepper,
    target: ExactDraws | NormalLaw,
    *,
    steps: int = 10,
    features: Mapping[str, Callable[[State], Any]] | None = None,
    seed: int = 0,
    level: float = LEVEL,
    power: float = POWER,
    factor: float = FACTOR,
    batched: bool = False,
    replicas: int | None = None,
    most: int = MAX_REPLICAS,
    name: str = "this kernel",
) -> Findings:
    """Start replicas in a law that the kernel is proved to leave invariant, and test whether they
    are still in it.

    This is exact for kernels without discretisation error: Metropolis tests, exact transitions, and
    affine steps in the normal law that they are proved to keep. A law that a step samples only as
    its step size vanishes is none of these.

    Args:
        step: the kernel, ``step(state, rng) -> state``: see ``Stepper``.
        target: the law: a function ``target(rng, n)`` that returns n independent exact draws by
            block, arrays (n, length), auxiliary blocks included; or an ``invariant_normal_law``.
        steps: the number of steps of each replica. Errors of single steps add up.
        features: further numbers of a state to compare, by name: functions of a dict of arrays (n,
            length) that return n numbers.
        seed: the seed of all random numbers.
        level, power, batched, most: see ``battery``.
        factor: the error of a scale that must be found: of a coordinate about its median, or of a
            standard deviation.
        replicas: the number of replicas; by default as many as ``power`` and ``factor`` need.
        name: the name of the kernel in the findings.

    Returns:
        A line for each comparison.

    Raises:
        RecipeError: for numbers that have no meaning, or if the target or the kernel returns no
            state.

    Example:
        >>> from verify import check_invariance
        >>> def target(rng, n):
        ...     return {"theta": rng.standard_normal((n, 2))}
        >>> def step(state, rng):
        ...     x = state["theta"]
        ...     return {"theta": 0.6 * x + 0.8 * rng.standard_normal(x.shape)}
        >>> check_invariance(step, target, batched=True).outcome.value
        'agrees'
    """
    levels = Levels(level, power, factor, most).checked()
    check_replicas(replicas, MIN_REPLICAS)
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise RecipeError(f"steps={steps!r} must be a positive whole number")
    kernel = stepper(step, batched=batched)
    design, noise = (
        np.random.default_rng([checked_seed(seed), purpose])
        for purpose in (LAW_DESIGN_STREAM, LAW_RUN_STREAM)
    )
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

    plan = two_sample.prepare_comparison(law, dict(features or {}), design, levels, replicas)
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
    most: int = MAX_REPLICAS,
    rounding: float = ROUNDING,
    name: str = "this kernel",
) -> Findings:
    """Compare one sweep of a kernel with the declared sweep, from states anywhere in the domain.

    This is for kernels with Metropolis tests or repetitions, whose law of one sweep has no closed
    form. The declared sweep is carried out in numpy. The comparison of the two samples is exact: of
    the states after a sweep, and of how far each is from its start. It finds errors that no
    invariant law shows, such as a kernel that never moves, or moves by another step size.

    Args:
        step: the kernel, ``step(state, rng) -> state``: see ``Stepper``.
        against: the declared ``Kernel``, whose potentials are bound to expressions.
        step_size, params, length: the numbers of the kernel; see ``battery``.
        seed, level, power, factor, batched, replicas, most, name: see ``check_invariance``.
        rounding: the relative precision of the kernel's arithmetic, see ``battery``; a kernel in
            float32 needs 1e-6. Distances are rounded to 100 times this number, so that rounding
            errors do not count as differences.

    Returns:
        A line for each comparison.

    Raises:
        RecipeError: for numbers that do not fit, and for a kernel that cannot be carried out in
            numpy.
    """
    levels = Levels(level, power, factor, most).checked()
    check_replicas(replicas, MIN_REPLICAS)
    if not isinstance(against, Kernel):
        kind = type(against).__name__
        raise RecipeError(
            f"check_sweep compares with a Kernel, and against= is a {kind}: use check_kernel for an"
            " Update or a Discretisation"
        )
    if unbound := [head for head in against.abstract if not isinstance(head, Dense)]:
        raise RecipeError(
            f"{unbound[0]} is abstract: bind an expression to it, bind(kernel, {{{unbound[0]}:"
            " ...})"
        )
    given, kernel = (
        setting_of(against, step_size=step_size, params=params, length=length),
        stepper(step, batched=batched),
    )
    design, noise = (
        np.random.default_rng([checked_seed(seed), purpose])
        for purpose in (SWEEP_DESIGN_STREAM, SWEEP_RUN_STREAM)
    )
    digits = -int(np.ceil(np.log10(100 * checked_rounding(rounding))))

    def moved(
        sweep: Callable[[State, np.random.Generator], State],
    ) -> Callable[[np.random.Generator, int], State]:
        return lambda rng, n: _moved(
            sweep, drawn_states(against.state, given.meanings.lengths, n, rng), rng, digits
        )

    def right(state: State, rng: np.random.Generator) -> State:
        return carry_out_sweep(against, state, Runner(given.meanings, rng))

    plan = two_sample.prepare_comparison(InvariantLaw(moved(right)), {}, design, levels, replicas)
    found = _found(plan, two_sample.run(plan, moved(kernel.advance), noise), seed, name)
    pilot = moved(right)(
        np.random.default_rng([checked_seed(seed), SWEEP_DESIGN_STREAM]), PILOT_REPLICAS
    )
    moving = {
        name_of(b) for part in against.parts for u in updates_of(part) for b, e in u.rule if e != b
    }
    still = tuple(
        f"that {name} moves"
        for name in sorted(moving)
        if not pilot[f"{name}{DISPLACEMENT_SUFFIX}"].any()
    )
    return replace(found, unseen=(*still, *found.unseen))


def _moved(
    sweep: Callable[[State, np.random.Generator], State],
    state: State,
    rng: np.random.Generator,
    digits: int,
) -> State:
    """Return the state after a sweep, with how far each block is from its start.

    A replica that is not finite is put at one place, far from all others.
    """
    after = sweep(state, rng)
    finite = np.all([np.isfinite(x).all(axis=1) for x in after.values()], axis=0)[:, None]
    away = {
        f"{name}{DISPLACEMENT_SUFFIX}": np.round(x - state[name], digits)
        for name, x in after.items()
    }
    return {name: np.where(finite, x, NOT_FINITE_PLACE) for name, x in {**after, **away}.items()}


def _found(plan: Comparison, lines: list[ComparisonLine], seed: int, name: str) -> Findings:
    """Return the lines as findings, with the scales whose error might be missed."""
    unseen, a = (
        tuple(f"the scale of {name}" for name, n in plan.needed.items() if n > plan.replicas),
        plan.levels,
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
    """Return the normal law that an affine step is proved to leave invariant, with its bias: a
    target for ``check_invariance``.

    Args:
        against: an ``Update`` or a ``Discretisation`` whose H is quadratic.
        step_size, params, length: the numbers of the step; see ``battery``.
        curvature: the k of ``k*theta^2/2`` in each coordinate, for which an abstract potential
            stands; None if the potential is written out.

    Returns:
        The law, which is also a function ``law(rng, n)`` that returns exact draws.

    Raises:
        RecipeError: if the step is not affine, or has no such law.
    """
    return normal_law(
        setting_of(against, step_size=step_size, params=params, length=length), curvature
    )
