"""``diffusion-symmetric``: D is symmetric."""

from __future__ import annotations

from recipe import Recipe
from verify.obligation import Obligation, of_recipes
from verify.obligations.process.matrices import compare_with_transpose
from verify.subject import Subject
from verify.verdict import Outcome, conjunction


def discharge(subject: Subject) -> Outcome:
    """Entry by entry: a test of x^T D x alone would see only the symmetric part."""
    assert isinstance(subject.declared, Recipe)
    return conjunction(compare_with_transpose(subject.declared.D, sign=-1), by="entry by entry")


DIFFUSION_SYMMETRIC = Obligation(
    name="diffusion-symmetric",
    statement="D = D^T",
    explanation="D is half the covariance of the noise per unit time, so it must be symmetric.",
    discharge=discharge,
    across_kinks=True,
    of_reflected=True,
    applies=of_recipes,
)
