"""``agrees-with-gradient``: the printed estimate from counts is that of the log posterior."""

from __future__ import annotations

from dataclasses import replace

from verify.labels.counts import decide_estimate
from verify.labels.subject import LabelSubject
from verify.obligation import Obligation
from verify.verdict import Outcome, Verdict, conjunction


def discharge(subject: LabelSubject) -> Outcome:
    """Compare the printed estimate of each block with the derived one."""
    model = subject.declared
    parts = [(f"gradient of {b}", decide_estimate(subject, b)) for b in model.blocks]
    outcome = conjunction(parts, "each block agrees with the derived estimate")
    if outcome.verdict is not Verdict.REFUTED:
        return outcome
    wrong = next(
        b for b, (_, o) in zip(model.blocks, parts, strict=True) if o.verdict is Verdict.REFUTED
    )
    return replace(
        outcome,
        repair=f"the gradient of {wrong} must be {model.labels.text_of(model.estimate_of(wrong))}",
    )


def prints_a_gradient(subject: object) -> bool:
    """Return True for the subject of a model with a printed gradient."""
    return isinstance(subject, LabelSubject) and subject.declared.gradient is not None


AGREES_WITH_GRADIENT = Obligation(
    name="agrees-with-gradient",
    statement=(
        "the printed estimate is the gradient of the log prior plus N/n times the gradient of the"
        " log joint laws of the n data of a minibatch"
    ),
    latex=r"\nabla \log p(\theta) + \frac{N}{n} \sum_{d \in S} E \nabla \log p(x_d, z_d)",
    explanation=(
        "Only a gradient that is affine in the counts of a datum is determined by sums of mean"
        " counts; that is proved first. The mean over minibatches is then the gradient of the log"
        " posterior, by Fisher's identity."
    ),
    discharge=discharge,
    handles_kinks=True,
    applies=prints_a_gradient,
    vacuous="no gradient is printed: the derived one is used",
)
