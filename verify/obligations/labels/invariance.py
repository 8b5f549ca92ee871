"""``invariance`` of draws of labels: they keep the law of the labels of a datum."""

from __future__ import annotations

from dataclasses import replace

from verify.labels.conditional import decide_balance
from verify.labels.subject import LabelSubject
from verify.obligation import Obligation, Outcomes, of_labels
from verify.verdict import Outcome, Verdict, proved, undecided


def discharge(subject: LabelSubject, outcomes: Outcomes) -> Outcome:
    """A draw from the conditional law keeps the law; otherwise two labels are looked at."""
    if not outcomes.proved("well-defined"):
        return undecided("the joint law was not proved to be finite for all labels")
    if outcomes.proved("conditional"):
        return proved("each draw is from the conditional law of its label, in whatever order")
    balance = decide_balance(subject)
    if balance.verdict is not Verdict.REFUTED:
        return undecided("the weights were not proved, and two labels show nothing against them")
    return replace(
        balance,
        by="of two labels, more of the law goes from one to the other than comes back",
    )


LABELS_INVARIANCE = Obligation(
    name="invariance",
    statement=(
        "labels with the law p(z | x, theta) still have it after the label of any item is drawn"
        " again, and so after a sweep over the items"
    ),
    latex=r"\pi K = \pi, \quad \pi = p(z \mid x, \theta)",
    explanation=(
        "A draw from the conditional law of one label given all others keeps their joint law"
        " (Gibbs sampling). So does every sequence of such draws, in a fixed or random order."
    ),
    discharge=discharge,
    needs=("well-defined", "conditional"),
    handles_kinks=True,
    applies=of_labels,
)
