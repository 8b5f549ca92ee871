"""Discretisations: each turns a recipe into an ``Update``, the same object that a printed rule is."""

from __future__ import annotations

from collections.abc import Sequence

from recipe.errors import RecipeError
from recipe.recipe import Recipe
from recipe.scheme.euler import euler
from recipe.scheme.semi_implicit import semi_implicit
from recipe.symbols import Block
from recipe.update import Update

NAMES = ("euler", "semi-implicit")


def discretise(recipe: Recipe, scheme: str, *, order: Sequence[Block | str] | None = None, compensate: bool = False) -> Update:
    """One step of the named scheme.

    ``order`` names the blocks in the order in which ``semi-implicit`` updates them. ``compensate`` takes the noise of estimated
    gradients off the noise that is drawn (``recipe.scheme.compensation``).

    Raises:
        RecipeError: for an unknown scheme, an order that is not one of the state, a noise that the scheme cannot draw or that
            cannot be compensated.
    """
    if scheme == "semi-implicit":
        return semi_implicit(recipe, order=order, compensate=compensate)
    if scheme != "euler":
        raise RecipeError(f"there is no scheme {scheme!r}; the schemes are {', '.join(NAMES)}")
    if order is not None:
        raise RecipeError("order= belongs to the scheme semi-implicit; euler updates every block from the old state")
    return euler(recipe, compensate=compensate)


__all__ = ["NAMES", "discretise", "euler", "semi_implicit"]
