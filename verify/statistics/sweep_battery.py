"""Comparisons of a kernel that accepts and rejects, or repeats: does it keep its law, and is a
sweep the declared one?
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recipe import Kernel
from verify.statistics.check_law import check_invariance, check_sweep
from verify.statistics.null.findings import Findings
from verify.statistics.null.levels import checked_seed
from verify.statistics.numbers.arrays import State
from verify.statistics.numbers.callables import Step, Stepper
from verify.statistics.step.design import drawn_states
from verify.statistics.trial.trial import Trial

SWEEPS = 5  # of each replica that starts in the law
STATE_COUNT = 32  # states from which calls of many sweeps are compared with single sweeps
STATES_STREAM = 17  # key of these random numbers beside the seed
# The beginning of the name of each line.
IN_LAW_PREFIX, FREE_START_PREFIX = f"{SWEEPS} sweeps in its law", "a sweep from anywhere"


@dataclass(frozen=True)
class SweepBattery:
    """The comparisons that were chosen for one kernel.

    Replicas start anywhere in the domain and, if a sweep is proved to leave the law of the kernel
    invariant, other replicas start in that law.

    Attributes:
        trial: the kernel with its numbers.
        states: the states from which calls of many sweeps are compared with single sweeps, by
            block, arrays (states, length).
        draws: the function ``draws(rng, n)`` that returns exact draws of the law; None if only
            single sweeps are compared.
        level, factor, batched: see ``battery``.
    """

    trial: Trial
    states: State
    draws: Callable[[np.random.Generator, int], State] | None
    level: float
    factor: float
    batched: bool

    @property
    def steps(self) -> None:
        """The number of sweeps of a check: None, because it is known only while the check runs."""
        return None

    def check(self, step: Step | Stepper, *, seed: int = 0, name: str | None = None) -> Findings:
        """Run a kernel and compare it; see ``check_sweep`` and ``check_invariance``."""
        kernel = self.trial.rule
        assert isinstance(kernel, Kernel)
        called = name or kernel.name or "this kernel"
        how: dict[str, Any] = {"seed": seed, "factor": self.factor, "batched": self.batched}
        how |= {"name": called, "level": self.level if self.draws is None else self.level / 2}
        moved = _prefixed(FREE_START_PREFIX, check_sweep(step, kernel, **self.trial.numbers, **how))
        if self.draws is None:
            return moved
        kept = _prefixed(IN_LAW_PREFIX, check_invariance(step, self.draws, steps=SWEEPS, **how))
        return replace(
            kept,
            lines=(*kept.lines, *moved.lines),
            level=self.level,
            replicas=kept.replicas + moved.replicas,
            unseen=(*kept.unseen, *moved.unseen),
        )


def sweep_battery(
    trial: Trial, *, seed: int, level: float, factor: float, batched: bool
) -> SweepBattery:
    """Choose the comparisons of a program with the kernel of a trial; see ``program_test``."""
    states = drawn_states(
        trial.rule.state,
        trial.setting.meanings.lengths,
        STATE_COUNT,
        np.random.default_rng([checked_seed(seed), STATES_STREAM]),
    )
    return SweepBattery(trial, states, trial.exact_draws, level, factor, batched)


def _prefixed(where: str, found: Findings) -> Findings:
    """Return findings whose lines and unseen scales name the comparison that they belong to."""
    return replace(
        found,
        lines=tuple(replace(line, name=f"{where}: {line.name}") for line in found.lines),
        unseen=tuple(f"{name}, {where}" for name in found.unseen),
    )
