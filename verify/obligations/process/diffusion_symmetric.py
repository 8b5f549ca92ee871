"""``diffusion-symmetric``: D is symmetric."""

from __future__ import annotations

from recipe import Recipe
from verify.decide.matrices import decide_symmetric
from verify.obligation import Obligation, of_recipes
from verify.subject import Subject
from verify.verdict import Outcome


def discharge(subject: Subject) -> Outcome:
    """Decide every entry."""
    assert isinstance(subject.declared, Recipe)
    return decide_symmetric(subject.declared.D)


DIFFUSION_SYMMETRIC = Obligation(
    name="diffusion-symmetric",
    statement="D = D^T",
    latex=r"D = D^{\top}",
    explanation="D is half the covariance of the noise per unit time, so it must be symmetric.",
    discharge=discharge,
    handles_kinks=True,
    handles_reflections=True,
    applies=of_recipes,
)
