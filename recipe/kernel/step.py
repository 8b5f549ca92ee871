"""``step``: one step of a scheme as a part of a kernel."""

from __future__ import annotations

from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.kernel.part import STEP, Move
from recipe.language.errors import RecipeError
from recipe.scheme import discretise


def step(of: Recipe | Update, scheme: str | None = None) -> Move:
    """One step of a scheme of a recipe, or of a rule that was printed; no Metropolis test
    follows.
    """
    return Move(rule_of(of, scheme, "step"), STEP)


def rule_of(of: object, scheme: str | None, where: str) -> Update:
    """The rule that is meant: the scheme of a recipe, or the update itself.

    Raises:
        RecipeError: where a recipe comes without a scheme, or an update with one.
    """
    if isinstance(of, Recipe):
        if scheme is None:
            raise RecipeError(
                f"{where}(recipe, ...) needs the name of a scheme, such as {where}(recipe, 'euler')"
            )
        return discretise(of, scheme)
    if not isinstance(of, Update):
        raise RecipeError(
            f"{where}({of!r}, ...) takes a Recipe and the name of a scheme, or an Update"
        )
    if scheme is not None:
        raise RecipeError(
            f"{where}(update, {scheme!r}): an update is a rule already; a scheme is of a recipe"
        )
    return of
