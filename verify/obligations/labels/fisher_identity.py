"""``fisher-identity``: the mean of the complete-data gradient is the gradient of the marginal
likelihood.
"""

from __future__ import annotations

from recipe.signs.defined import is_smooth
from verify.labels.subject import LabelSubject
from verify.obligation import Obligation, Outcomes, of_labels
from verify.verdict import Assumption, Outcome, proved, undecided

OF_THEIR_LAW = Assumption(
    "the labels have the law p(z | x, theta); after finitely many sweeps from other labels they are"
    " close to it, and the bias of the estimate is not bounded here"
)


def discharge(subject: LabelSubject, outcomes: Outcomes) -> Outcome:
    """A finite sum of positive differentiable terms is differentiated term by term."""
    if not outcomes.proved("well-defined"):
        return undecided(
            "it is not claimed: the joint law was not proved to be finite for all labels on the"
            " whole domain, so that its support may depend on the parameters"
        )
    if not is_smooth(subject.declared.of_one_label):
        return undecided("the joint law was not proved to be differentiable on the whole domain")
    return proved(
        "for each datum a finite sum over labels of positive differentiable terms", OF_THEIR_LAW
    )


FISHER_IDENTITY = Obligation(
    name="fisher-identity",
    statement=(
        "the gradient of log p(x | theta) is the mean of the gradient of log p(x, z | theta) over"
        " labels with the law p(z | x, theta)"
    ),
    latex=r"\nabla \log p(x \mid \theta) = E[\nabla \log p(x, z \mid \theta) \mid x, \theta]",
    explanation=(
        "So draws of the labels give an unbiased estimate of the gradient. It needs a joint law"
        " that is finite and differentiable for all labels wherever theta is. The identity is about"
        " labels that have their law: a few sweeps from a bad start leave a bias, which is an"
        " assumption of the report and no part of the proof."
    ),
    discharge=discharge,
    needs=("well-defined",),
    handles_kinks=True,
    applies=of_labels,
)
