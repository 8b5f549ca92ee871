"""``step``: one step of a scheme, or of a printed rule, as a part of a kernel."""

from __future__ import annotations

from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.kernel.part import STEP, Move
from recipe.language.errors import RecipeError
from recipe.scheme import discretise


def step(of: Recipe | Update, scheme: str | None = None) -> Move:
    """One step as a part of a kernel; no Metropolis test follows.

    Args:
        of: a recipe, or an update rule.
        scheme: the name of a scheme, for a recipe only.

    Returns:
        The part. It leaves the target invariant only where the verifier proves so.

    Raises:
        RecipeError: where a recipe comes without a scheme or an update with one, or the scheme does
            not fit.
    """
    return Move(rule_of(of, scheme, "step"), STEP)


def rule_of(of: object, scheme: str | None, where: str) -> Update:
    """Return the rule that a user means: a step of a recipe under a scheme, or the update itself.

    Args:
        of: the recipe or update.
        scheme: the name of the scheme, or None.
        where: the function that the user called, for messages.

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
            f"{where}(update, {scheme!r}): an update is a rule already, and schemes are for"
            " recipes; leave the scheme out"
        )
    return of
