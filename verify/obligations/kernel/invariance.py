"""``invariance``: one sweep of a kernel leaves exp(-H) invariant, exactly, at the step size as it
is.
"""

from __future__ import annotations

from dataclasses import replace

from verify.kernels.step_sizes import within_scope
from verify.kernels.sweep import decide_sweep
from verify.obligation import Obligation, Outcomes, of_kernels
from verify.subject import KernelSubject
from verify.verdict import Assumption, Outcome, Verdict, undecided

A_LAW = Assumption("exp(-H) is normalisable", ("normalisable",))


def discharge(subject: KernelSubject, known: Outcomes) -> Outcome:
    """Part by part; that exp(-H) is a law is taken for granted where it is not decided."""
    outcome = within_scope(decide_sweep(subject.declared), subject.declared, subject.conditions)
    if outcome.verdict is not Verdict.PROVED:
        return outcome
    law = known["normalisable"]
    if law.verdict is Verdict.REFUTED:
        return undecided(f"exp(-H) is no probability law ({law.by})")
    taken = law.assumed if law.verdict is Verdict.PROVED else (A_LAW,)
    return replace(outcome, assumed=tuple(dict.fromkeys((*outcome.assumed, *taken))))


INVARIANCE = Obligation(
    name="invariance",
    statement=(
        "a state with the law exp(-H) has it after one sweep as well, for every step size of the"
        " scope"
    ),
    latex=r"\pi K = \pi, \quad \pi \propto e^{-H}",
    explanation=(
        "Invariance of every part proves that of the sweep. A part that fails leaves the sweep"
        " undecided, unless no later part can compensate for it, or moments of the whole sweep are"
        " known and are others. What is overwritten before anything reads it does not matter: a"
        " momentum may be set to zero if it is then redrawn. A step of a scheme without a"
        " Metropolis test is hardly ever exact; how far it is off is the matter of its order."
    ),
    discharge=discharge,
    needs=("normalisable",),
    assumes=(A_LAW,),
    applies=of_kernels,
)
