"""``conditional``: the weights of a draw are those of the conditional law of a label."""

from __future__ import annotations

from verify.labels.conditional import decide_conditional
from verify.labels.subject import LabelSubject
from verify.obligation import Obligation, of_labels
from verify.verdict import Outcome


def discharge(subject: LabelSubject) -> Outcome:
    """Compare the weights of two labels with the joint law."""
    return decide_conditional(subject)


CONDITIONAL = Obligation(
    name="conditional",
    statement=(
        "the label of an item is drawn with probabilities proportional to those of the joint law,"
        " given x, theta and the labels of all other items"
    ),
    latex=r"w_k \propto p(z_i = k \mid z_{-i}, x, \theta)",
    explanation=(
        "What the item adds to the log joint law of a label is f(n_k + 1, n_kw + [w = w_i]) -"
        " f(n_k, n_kw), with counts of other items. The ratio of two weights must be"
        " that of the joint law, for any two labels, whatever their rows and counts are. A weight"
        " that reads counts with the item in them differs by the label that the item had."
    ),
    discharge=discharge,
    handles_kinks=True,
    applies=of_labels,
)
