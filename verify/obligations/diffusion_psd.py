"""``diffusion-psd``: D is positive semidefinite, so that the noise exists."""

from __future__ import annotations

from sympy import Dummy, sqrt

from recipe import Recipe, RecipeError, Update, limit_of
from recipe.entry import combine
from recipe.matrix import BlockMatrix
from recipe.symbols import Noise
from verify.obligation import Obligation
from verify.obligations.matrices import decide_zero_entry
from verify.psd import decide_psd
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, conjunction, proved


def discharge(subject: Subject) -> Outcome:
    """By the user's factor where one is given, else by the structure of D; a claim's D is half a covariance."""
    if isinstance(subject.declared, Update):
        return proved("half the covariance of the rule's noise")
    if subject.declared.noise_factor is not None:
        by_factor = _decide_factor(subject.declared, subject.declared.noise_factor)
        if by_factor.verdict is Verdict.PROVED:
            return by_factor
    return decide_psd(subject.dynamics)


def _decide_factor(recipe: Recipe, factor: BlockMatrix) -> Outcome:
    """``B B^T = D``, where ``2 B B^T`` is the covariance of ``sqrt(2) B w`` with white noise w."""
    step = Dummy("step", positive=True)
    white = {b: Noise(f"w{k}", like=b) for k, b in enumerate(recipe.state)}
    moved = {b: b + sqrt(2 * step) * e for b, e in factor.times(white).items()}
    try:
        square = limit_of(Update(step, moved, recipe.H)).diffusion
    except RecipeError as error:
        raise RecipeError(f"noise_factor: {error}") from None
    pairs = ((recipe.D.place(*place), combine(entry, recipe.D.entry(*place), -1)) for place, entry in square.items())
    return conjunction(((place, decide_zero_entry(entry)) for place, entry in pairs), by="noise_factor: B B^T = D")


DIFFUSION_PSD = Obligation(
    name="diffusion-psd",
    statement="x^T D(z) x >= 0 for every x and every z",
    explanation=(
        "The noise has covariance 2 D per unit time, so D must be positive semidefinite at every point. It may be singular: "
        "momentum methods put noise on the momentum only."
    ),
    discharge=discharge,
)
