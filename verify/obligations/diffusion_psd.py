"""``diffusion-psd``: D is positive semidefinite, so that the noise exists."""

from __future__ import annotations

from recipe import Update
from verify.obligation import Obligation
from verify.obligations.noise_factor import NOISE_FACTOR, has_factor
from verify.psd import decide_psd
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, proved


def discharge(subject: Subject) -> Outcome:
    """By the user's factor where it is proved to be one, else by the structure of D; a claim's D is half a covariance."""
    if isinstance(subject.declared, Update):
        return proved("half the covariance of the rule's noise")
    if has_factor(subject) and NOISE_FACTOR.discharge(subject).verdict is Verdict.PROVED:
        return proved("B B^T = D for the noise_factor B")
    return decide_psd(subject.dynamics)


DIFFUSION_PSD = Obligation(
    name="diffusion-psd",
    statement="x^T D(z) x >= 0 for every x and every z",
    explanation=(
        "The noise has covariance 2 D per unit time, so D must be positive semidefinite at every point. It may be singular: "
        "momentum methods put noise on the momentum only."
    ),
    discharge=discharge,
)
