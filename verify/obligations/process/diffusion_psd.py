"""``diffusion-psd``: D is positive semidefinite, so that the noise exists."""

from __future__ import annotations

from sympy import S

from recipe import NoncentralChiSquared, Recipe
from recipe.language.symbols import Block, Vector
from verify.decide.psd import decide_psd
from verify.evidence import FactorColumn, FactorStep, SignStep
from verify.obligation import Obligation, Outcomes
from verify.subject import Subject
from verify.verdict import Outcome, proved


def discharge(subject: Subject, known: Outcomes) -> Outcome:
    """By the user's factor where it is proved to be one, else by the structure of D; a claim's D is
    half a covariance.

    That is so of normal noise. Of a draw with parameters the variance is a formula, which is one
    only where there is such a law.
    """
    if not isinstance(subject.declared, Recipe):
        drawn = any(e.has(NoncentralChiSquared) for e, _ in subject.written)
        return (
            decide_psd(subject.dynamics)
            if drawn
            else proved("half the covariance of the rule's noise")
        )
    if known.proved("noise-factor"):
        return proved("B B^T = D for the noise_factor B", steps=[_factor_of(subject.declared)])
    return decide_psd(subject.dynamics)


def _factor_of(recipe: Recipe) -> FactorStep:
    """The user's factor as a step: every weight is 1."""
    columns = tuple(_columns_at(recipe, b) for b in recipe.state)
    return FactorStep(columns, (SignStep(S.One, ">= 0", S.One),) * len(columns))


def _columns_at(recipe: Recipe, block: Block) -> FactorColumn:
    assert recipe.noise_factor is not None
    entries = tuple((row, recipe.noise_factor.entry(row, block)) for row in recipe.state)
    return FactorColumn(block.length if isinstance(block, Vector) else None, entries, S.One)


DIFFUSION_PSD = Obligation(
    name="diffusion-psd",
    statement="x^T D(z) x >= 0 for every x and every z",
    latex=r"x^{\top} D(z)\, x \geq 0 \text{ for every } x, z",
    explanation=(
        "The noise has covariance 2 D per unit time, so D must be positive semidefinite at every"
        " point. It may be singular: momentum methods put noise on the momentum only."
    ),
    discharge=discharge,
    needs=("noise-factor",),
    across_kinks=True,
    of_reflected=True,
)
