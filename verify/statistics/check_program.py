"""``check_program``: does a program that makes steps, one by one or many in one call, do what was
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

STEPS_PER_CALL = 12  # of one call that is compared with as many calls
CALLS_STREAM = 7  # of these random numbers


def _silent(_: str) -> None:
    """Nobody wants to know."""


@dataclass(frozen=True)
class ProgramTest:
    """A trial with the comparisons that were chosen for it: any number of programs can be checked.

    Attributes:
        comparisons: by the law of a step given the state, or by sweeps and the law of a kernel.
        seed: reproduces everything.
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
        told: Callable[[str], None] = _silent,
    ) -> Findings:
        """Run a program, and compare: see ``check_program``. ``told`` is called with what is about
        to be done, for people.
        """
        told("running")
        found = self.comparisons.check(step, seed=self.seed, name=name)
        if advance is None:
            return found
        told("comparing calls of many steps")
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
    """Compare a program with the step or the kernel that it must be: what ``recipe test`` does.

    The program of a step is compared by the law of one step given the state (``check_kernel``). The
    program of a kernel that accepts and rejects, or repeats, is compared by one sweep from states
    anywhere in the domain (``check_sweep``), and by sweeps from exact draws of its law where it is
    proved that it keeps that law (``check_invariance``).

    Args:
        step: ``step(state, rng) -> state``: see ``Stepper`` for the shapes, ``batched`` and
            ``coupled``. It has the numbers of the trial, and its potentials: the gradients
            ``trial.gradients`` of a step, the expressions in ``trial.rule`` of a kernel.
        trial: what the program must do, as ``trial_of`` returns it.
        advance: the same program, many steps in one call. If it is given, 12 steps in one call must
            be those of 12 calls, bit for bit.
        name: how the program is called in the findings.
        how: seed, level, factor, batched and coupled, as for ``program_test``.

    Returns:
        A line for each comparison, and what would not have been seen.

    Raises:
        RecipeError: for numbers that do not fit, or a program that returns no state.
        NothingToCompareError: where the noise of a step is not read off.

    Example:
        >>> trial = trial_of(rule, step_size=0.1)
        >>> def step(state, rng):
        ...     x = state["theta"]
        ...     w = rng.standard_normal(x.shape)
        ...     return {"theta": x - 0.1 * trial.gradients["U"](x) + np.sqrt(0.2) * w}
        >>> print(check_program(step, trial, batched=True))
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
    """Choose the comparisons by which a program is compared with a trial.

    Args:
        trial: what the program must do, as ``trial_of`` returns it.
        seed: reproduces everything.
        level: the probability with which a right program differs, at most, in all comparisons of
            steps together. In the comparison of calls with many steps no right program differs.
        factor: a coefficient of a step, or a scale after a sweep, that is wrong by this factor is
            found.
        batched, coupled: see ``Stepper``.

    Raises:
        RecipeError: for numbers that do not fit.
        NothingToCompareError: where the noise of a step is not read off.
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
    """Many steps in one call must be those of as many calls, bit for bit: what is compared step by
    step is then what samples.
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
    """Whether two calls end in the same state, bit for bit, or both stop because the chain leaves
    its domain or the finite numbers.
    """
    if one is None or other is None:
        return one is other
    return all(np.array_equal(x, one[name]) for name, x in other.items())


def _one_by_one(
    advance: Advance, state: Mapping[str, Array], seed: int, chain: int, begin: int
) -> Mapping[str, Array] | None:
    """The state after as many calls with one step each; None where one of them stops."""
    for t in range(begin, begin + STEPS_PER_CALL):
        moved = advance(state, 1, seed=seed, chain=chain, begin=t)
        if moved is None:
            return None
        state = moved
    return state
