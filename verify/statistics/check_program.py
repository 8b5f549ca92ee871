"""``check_program``: does a program that makes single steps, or many steps in one call, do what was
declared?
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recipe import Kernel, RecipeError
from verify.statistics.check_kernel import Battery, battery
from verify.statistics.null.findings import ComparisonLine, ComparisonOutcome, Findings
from verify.statistics.null.levels import FACTOR, LEVEL, checked_seed
from verify.statistics.numbers.arrays import Array, State
from verify.statistics.numbers.callables import Advance, Step, Stepper
from verify.statistics.recover.equations import equations_of
from verify.statistics.recover.plan import plan_of
from verify.statistics.sweep_battery import SweepBattery, sweep_battery
from verify.statistics.trial.errors import NothingToCompareError
from verify.statistics.trial.trial import Trial

STEPS_PER_CALL = 12  # of a call that is compared with as many calls of one step
CALLS_STREAM = 7  # key of these random numbers beside the seed


def _silent(_: str) -> None:
    """Show no progress."""


@dataclass(frozen=True)
class ProgramTest:
    """A trial with the comparisons that were chosen for it: any number of programs can be
    checked.

    ``program_test`` makes one.

    Attributes:
        trial: what a program must do.
        comparisons: a ``Battery`` for the law of a step given the state, or a ``SweepBattery`` for
            the sweeps of a kernel.
        seed: the seed of all random numbers.
    """

    trial: Trial
    comparisons: Battery | SweepBattery
    seed: int

    def check(
        self,
        step: Step | Stepper,
        *,
        advance: Advance | None = None,
        name: str | None = None,
        on_progress: Callable[[str], None] = _silent,
    ) -> Findings:
        """Run a program and compare it; see ``check_program``.

        Args:
            step: the program for single steps.
            advance: the program for many steps in one call; None if there is none.
            name: the name of the program in the findings.
            on_progress: a function that is called with a few words about what comes next, to show
                progress.

        Returns:
            A line for each comparison.

        Raises:
            RecipeError: if the program returns no state.
        """
        on_progress("running")
        found = self.comparisons.check(step, seed=self.seed, name=name)
        if advance is None:
            return found
        on_progress("comparing calls of many steps")
        line = many_steps_line(advance, self.comparisons.states, self.seed)
        return replace(found, lines=(*found.lines, line))


def check_program(
    step: Step | Stepper,
    trial: Trial,
    *,
    advance: Advance | None = None,
    name: str | None = None,
    **how: Any,
) -> Findings:
    """Compare a program with the step or the kernel that it must carry out, as ``recipe test``
    does.

    A step is compared by its law given the state (``check_kernel``). A kernel that accepts and
    rejects, or repeats, is compared by one sweep from states anywhere in the domain
    (``check_sweep``) and, if it is proved to keep its law, by sweeps from exact draws of that law
    (``check_invariance``).

    Args:
        step: the program, ``step(state, rng) -> state``: see ``Stepper`` for the shapes,
            ``batched`` and ``coupled``. It must use the numbers of the trial, and its potentials:
            for a step the gradients ``trial.gradients``, for a kernel the expressions in
            ``trial.rule``.
        trial: what the program must do, from ``trial_of``.
        advance: the same program for many steps in one call. If it is given, 12 steps in one call
            must equal 12 calls of one step, bit for bit.
        name: the name of the program in the findings.
        how: seed, level, factor, batched and coupled, see ``program_test``.

    Returns:
        A line for each comparison, and the coefficients whose error might be missed.

    Raises:
        RecipeError: for numbers that do not fit, or a program that returns no state.
        NothingToCompareError: if the noise of a step cannot be recovered.

    Example:
        >>> import numpy as np
        >>> from sympy import Symbol, sqrt
        >>> from recipe import Noise, Potential, Update, Vector, grad
        >>> from verify.statistics import check_program, trial_of
        >>> theta = Vector("theta")
        >>> h, w, U = Symbol("h", positive=True), Noise("w", like=theta), Potential("U", theta)
        >>> drift = -h * grad(U, theta)
        >>> rule = Update(step=h, target=U, rule={theta: theta + drift + sqrt(2 * h) * w})
        >>> trial = trial_of(rule, step_size=0.1)
        >>> def step(state, rng):
        ...     x = state["theta"]
        ...     w = rng.standard_normal(x.shape)
        ...     return {"theta": x - 0.1 * trial.gradients["U"](x) + np.sqrt(0.2) * w}
        >>> check_program(step, trial, batched=True).outcome.value
        'agrees'
    """
    if isinstance(step, Stepper):
        how = {**how, "batched": step.batched, "coupled": step.coupled}
    return program_test(trial, **how).check(step, advance=advance, name=name)


def program_test(
    trial: Trial,
    *,
    seed: int = 0,
    level: float = LEVEL,
    factor: float = FACTOR,
    batched: bool = False,
    coupled: bool = False,
) -> ProgramTest:
    """Choose the comparisons of a program with a trial.

    Args:
        trial: what the program must do, from ``trial_of``.
        seed: the seed of all random numbers.
        level: the significance level of all comparisons together: the largest probability that a
            correct program differs. The comparison of calls with many steps is exact and needs none
            of it.
        factor: the error that must be found: a coefficient of a step, or a scale after a sweep,
            that is wrong by this factor.
        batched, coupled: see ``Stepper``.

    Returns:
        The comparisons, which can check any number of programs.

    Raises:
        RecipeError: for numbers that do not fit.
        NothingToCompareError: if the noise of a step cannot be recovered.
    """
    if isinstance(trial.rule, Kernel):
        sweeps = sweep_battery(trial, seed=seed, level=level, factor=factor, batched=batched)
        return ProgramTest(trial, sweeps, seed)
    try:
        plan_of(equations_of(trial.rule))
    except RecipeError as hidden:
        raise NothingToCompareError(str(hidden)) from None
    how: dict[str, Any] = {"seed": seed, "level": level, "factor": factor}
    how |= {"batched": batched, "coupled": coupled}
    return ProgramTest(trial, battery(trial.rule, **trial.numbers, **how), seed)


def many_steps_line(advance: Advance, states: State, seed: int) -> ComparisonLine:
    """Compare many steps in one call with as many calls of one step, which must agree bit for
    bit.

    If they agree, what is compared step by step is what samples.
    """
    rng = np.random.default_rng([checked_seed(seed), CALLS_STREAM])
    differing = 0
    for k in range(len(next(iter(states.values())))):
        first = {name: rows[k] for name, rows in states.items()}
        key, begin = int(rng.integers(2**62)), int(rng.integers(1000))
        at_once = advance(first, STEPS_PER_CALL, seed=key, chain=k, begin=begin)
        one_by_one = _one_by_one(advance, first, key, k, begin)
        differing += not _same(at_once, one_by_one)
    return ComparisonLine(
        f"{STEPS_PER_CALL} steps in one call and one by one",
        "identity",
        float(differing),
        0.0,
        "states",
        0.0,
        ComparisonOutcome.DIFFERS if differing else ComparisonOutcome.AGREES,
        where=f"from {differing} states" if differing else "",
    )


def _same(one: Mapping[str, Array] | None, other: Mapping[str, Array] | None) -> bool:
    """Return True if two calls end in the same state, bit for bit, or both stop.

    A call stops if the chain leaves its domain or is not finite.
    """
    if one is None or other is None:
        return one is other
    return all(np.array_equal(x, one[name]) for name, x in other.items())


def _one_by_one(
    advance: Advance, state: Mapping[str, Array], seed: int, chain: int, begin: int
) -> Mapping[str, Array] | None:
    """Return the state after as many calls of one step each; None if one of them stops."""
    for t in range(begin, begin + STEPS_PER_CALL):
        moved = advance(state, 1, seed=seed, chain=chain, begin=t)
        if moved is None:
            return None
        state = moved
    return state
