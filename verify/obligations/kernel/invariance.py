"""``invariance``: one sweep of a kernel leaves exp(-H) invariant, exactly, at its own step size."""

from __future__ import annotations

from dataclasses import replace

from verify.kernels.step_sizes import within_scope
from verify.kernels.sweep import decide_sweep
from verify.obligation import Obligation, Outcomes, of_kernels
from verify.subject import KernelSubject
from verify.verdict import Assumption, Outcome, Verdict, undecided

NORMALISABLE_ASSUMED = Assumption("exp(-H) is normalisable", ("normalisable",))


def discharge(subject: KernelSubject, outcomes: Outcomes) -> Outcome:
    """Decide the sweep part by part.

    That exp(-H) is normalisable is assumed if it is undecided.
    """
    outcome = within_scope(decide_sweep(subject.declared), subject.declared, subject.conditions)
    if outcome.verdict is not Verdict.PROVED:
        return outcome
    law = outcomes["normalisable"]
    if law.verdict is Verdict.REFUTED:
        return undecided(f"exp(-H) is no probability law ({law.by})")
    taken = law.assumed if law.verdict is Verdict.PROVED else (NORMALISABLE_ASSUMED,)
    return replace(outcome, assumed=tuple(dict.fromkeys((*outcome.assumed, *taken))))


INVARIANCE = Obligation(
    name="invariance",
    statement=(
        "a state with the law exp(-H) still has it after one sweep, for every step size of the"
        " scope"
    ),
    latex=r"\pi K = \pi, \quad \pi \propto e^{-H}",
    explanation=(
        "If every part leaves exp(-H) invariant, so does the sweep. A part that fails leaves the"
        " sweep undecided; the sweep is refuted if no later part can correct it, or if known"
        " moments of the whole sweep are wrong. A value that is overwritten before anything reads"
        " it does not matter: a momentum may be set to zero if it is then redrawn. A step of a"
        " scheme without a Metropolis test is hardly ever exact; its order (invariant-order) says"
        " how large the error is."
    ),
    discharge=discharge,
    needs=("normalisable",),
    assumes=(NORMALISABLE_ASSUMED,),
    applies=of_kernels,
)
