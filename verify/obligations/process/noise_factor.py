"""``noise-factor``: the declared factor B of the noise satisfies B B^T = D."""

from __future__ import annotations

from sympy import Symbol, sqrt

from recipe import Recipe, RecipeError, Update, limit_of
from recipe.language.entry import combine
from recipe.language.noise import Noise
from verify.decide.zero.entry import decide_zero_entry
from verify.obligation import Obligation
from verify.subject import Subject
from verify.verdict import Outcome, conjunction


def discharge(subject: Subject) -> Outcome:
    """Compare D with ``B B^T``, entry by entry.

    ``2 B B^T`` is the covariance of ``sqrt(2) B w`` with white noise w; it is the diffusion of an
    update rule that adds only that noise.
    """
    recipe = subject.declared
    assert isinstance(recipe, Recipe)
    assert recipe.noise_factor is not None
    names = recipe.unused_names()
    step = Symbol(names.fresh("step"), positive=True)
    white = {b: Noise(names.fresh(f"w_{b.name}"), like=b) for b in recipe.state}
    moved = {b: b + sqrt(2 * step) * e for b, e in recipe.noise_factor.times(white).items()}
    try:
        square = limit_of(Update(step, moved, recipe.H)).diffusion
    except RecipeError as error:
        raise RecipeError(f"noise_factor: {error}") from None
    pairs = (
        (recipe.D.place(*place), combine(entry, recipe.D.entry(*place), -1))
        for place, entry in square.items()
    )
    return conjunction(
        ((f"B B^T - D at {place}", decide_zero_entry(entry)) for place, entry in pairs),
        by="entry by entry",
    )


def has_factor(subject: Subject) -> bool:
    """Return True for a recipe with a declared noise factor."""
    return isinstance(subject.declared, Recipe) and subject.declared.noise_factor is not None


NOISE_FACTOR = Obligation(
    name="noise-factor",
    statement="B B^T = D for the given noise_factor B",
    latex=r"B B^{\top} = D",
    explanation=(
        "The kernel draws its noise with the factor that was given; a root of another matrix would"
        " sample another law."
    ),
    discharge=discharge,
    handles_kinks=True,
    handles_reflections=True,
    applies=has_factor,
)
