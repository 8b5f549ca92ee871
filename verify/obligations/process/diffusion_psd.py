"""``diffusion-psd``: D is positive semidefinite, so that noise with covariance 2 D exists."""

from __future__ import annotations

from sympy import S

from recipe import NoncentralChiSquared, Recipe
from recipe.language.blocks import Block, Vector
from verify.decide.psd import decide_psd
from verify.evidence import FactorColumn, FactorStep, SignStep
from verify.obligation import Obligation, Outcomes
from verify.subject import Subject
from verify.verdict import Outcome, proved


def discharge(subject: Subject, outcomes: Outcomes) -> Outcome:
    """Decide it by the declared noise factor if that is proved to be one, else by the structure of
    D.

    The D of a claim with normal noise is half the covariance of that noise, which proves it. A
    noncentral chi-squared draw is an exception: its variance is a formula, which is a variance only
    for parameters for which the law exists.
    """
    if not isinstance(subject.declared, Recipe):
        drawn = any(e.has(NoncentralChiSquared) for e, _ in subject.written)
        return (
            decide_psd(subject.dynamics)
            if drawn
            else proved("half the covariance of the rule's noise")
        )
    if outcomes.proved("noise-factor"):
        return proved("B B^T = D for the noise_factor B", steps=[_factor_of(subject.declared)])
    return decide_psd(subject.dynamics)


def _factor_of(recipe: Recipe) -> FactorStep:
    """Return the declared noise factor as evidence, with every weight 1."""
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
    handles_kinks=True,
    handles_reflections=True,
)
