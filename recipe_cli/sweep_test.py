"""What ``recipe test`` asks of a kernel that accepts and rejects, or repeats: it keeps its law, and
a sweep is the declared one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from codegen import generate
from codegen.generate import Module
from codegen.running.one_step import OneStep
from recipe import Kernel, RecipeError
from recipe_cli.declarations import Declaration
from recipe_cli.tested import Asked, Subject, numbers_for
from recipe_cli.trial_law import trial_law
from verify.engine import outcome_of
from verify.obligations.kernel.invariance import INVARIANCE
from verify.statistics import Findings, check_invariance, check_sweep
from verify.statistics.numbers.arrays import State
from verify.statistics.numbers.inputs import setting
from verify.statistics.step.design import drawn_states
from verify.verdict import Verdict

SWEEPS = 5  # of each replica that starts in the law
STATES = 32  # from which calls of many sweeps are compared with single ones
PURPOSE = 17  # of these random numbers
SWEEP = "a sweep"
IN_ITS_LAW, FROM_ANYWHERE = f"{SWEEPS} sweeps in its law", "a sweep from anywhere"


@dataclass(frozen=True)
class SweepTest:
    """Replicas that start anywhere, and replicas that start in the law of a kernel where that is
    proved to be left invariant.
    """

    subject: Subject
    states: Mapping[str, np.ndarray]
    draws: Callable[[np.random.Generator, int], State] | None
    steps: None = None  # how many there will be is found as it runs

    def check(self, step: OneStep, *, seed: int = 0, name: str | None = None) -> Findings:
        """Run the program, and compare."""
        a, kernel, called = self.subject.asked, self.subject.rule, name or self.subject.where
        assert isinstance(kernel, Kernel)
        how: dict[str, Any] = {"seed": seed, "factor": a.factor, "batched": True, "name": called}
        how["level"] = a.level if self.draws is None else a.level / 2
        moved = _prefixed(FROM_ANYWHERE, check_sweep(step, kernel, **self.subject.numbers, **how))
        if self.draws is None:
            return moved
        kept = _prefixed(IN_ITS_LAW, check_invariance(step, self.draws, steps=SWEEPS, **how))
        lines, unseen = (*kept.lines, *moved.lines), (*kept.unseen, *moved.unseen)
        return replace(
            kept, lines=lines, level=a.level, replicas=kept.replicas + moved.replicas, unseen=unseen
        )


def sweep_subject(declaration: Declaration, asked: Asked) -> tuple[Subject, Module]:
    """A kernel with a meaning for each potential, its module and all of its numbers."""
    if asked.scheme is not None:
        raise RecipeError(
            f"{declaration.name} is a kernel, which is carried out as it stands: leave --scheme out"
        )
    assert isinstance(declaration.declared, Kernel)
    law = trial_law(declaration.declared)
    proof = outcome_of(declaration.declared, INVARIANCE.name)
    if proof.verdict is not Verdict.PROVED:
        law = replace(
            law, unknown=f"that a sweep leaves exp(-H) invariant is {proof.verdict.value}"
        )
    module = generate(law.kernel, name=declaration.name)
    numbers = numbers_for(law.kernel, asked)
    return Subject(
        declaration.where, SWEEP, law.kernel, law.kernel, asked, numbers, {}, law
    ), module


def sweep_test(subject: Subject) -> SweepTest:
    """What is compared of a kernel."""
    assert subject.law is not None
    meanings = setting(subject.rule, **subject.numbers).meanings
    states = drawn_states(
        subject.rule.state,
        meanings.lengths,
        STATES,
        np.random.default_rng([subject.asked.seed, PURPOSE]),
    )
    return SweepTest(
        subject, states, subject.law.draws(meanings) if subject.law.unknown is None else None
    )


def _prefixed(where: str, found: Findings) -> Findings:
    return replace(
        found,
        lines=tuple(replace(line, name=f"{where}: {line.name}") for line in found.lines),
        unseen=tuple(f"{name}, {where}" for name in found.unseen),
    )
