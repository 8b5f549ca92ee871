"""``uniqueness`` of draws of labels: no other law is kept by a sweep."""

from __future__ import annotations

from verify.labels.subject import LabelSubject
from verify.obligation import Obligation, Outcomes, of_labels
from verify.verdict import Outcome, proved, undecided


def discharge(subject: LabelSubject, outcomes: Outcomes) -> Outcome:
    """All weights are positive where ``conditional`` is proved."""
    if not outcomes.proved("invariance"):
        return undecided("the law of the labels was not proved to be kept")
    return proved("every label has a positive weight, and a datum has finitely many labellings")


LABELS_UNIQUENESS = Obligation(
    name="uniqueness",
    statement="no other law of the labels is kept, and sweeps converge to it from any labels",
    explanation=(
        "One sweep leads from any labels to any others with a positive probability. There are"
        " finitely many, so the distance to the law shrinks by a constant factor a sweep; the"
        " factor depends on theta and on the datum, and no bound on it is claimed."
    ),
    discharge=discharge,
    needs=("invariance",),
    handles_kinks=True,
    required=False,
    applies=of_labels,
)
