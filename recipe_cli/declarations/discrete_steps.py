"""The discrete steps of declared recipes by a scheme."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from recipe import Recipe, RecipeError, Update, discretised
from recipe.scheme import PRINTED
from recipe_cli.declarations.declaration import Declaration, UnfitDeclaration
from recipe_cli.declarations.find import declarations


def discrete_steps(where: str, scheme: str) -> list[Declaration | UnfitDeclaration]:
    """Return the discrete steps of the recipes in FILE by a scheme.

    Args:
        where: ``FILE``, ``FILE:NAME`` or a catalog name.
        scheme: the name of a scheme. ``printed`` takes the rules as their papers print them.

    Returns:
        A step for each recipe that the scheme fits, and an ``UnfitDeclaration`` for each other one.

    Raises:
        RecipeError: as ``declarations`` does, and if the scheme fits no recipe.
    """
    found = declarations(where)
    wanted = [d for d in found if _can_be_discretised(d.declared, scheme)]
    if not wanted:
        what = "printed rule" if scheme.lower() == PRINTED else "recipe"
        raise RecipeError(
            f"{where} has no {what} to discretise; it defines {', '.join(d.name for d in found)}"
        )
    made = [_step(d, scheme) for d in wanted]
    if all(isinstance(step, UnfitDeclaration) for step in made):
        raise RecipeError(
            "; ".join(
                f"{step.name}: {step.error}" for step in made if isinstance(step, UnfitDeclaration)
            )
        )
    return made


def _can_be_discretised(declared: Any, scheme: str) -> bool:
    printed = scheme.lower() == PRINTED
    if isinstance(declared, Recipe):
        return not printed or declared.update is not None
    return isinstance(declared, Update) and printed


def _step(declaration: Declaration, scheme: str) -> Declaration | UnfitDeclaration:
    """Return the discrete step of a declaration, or the reason why the scheme does not fit it."""
    assert isinstance(declaration.declared, Recipe | Update)
    try:
        made = discretised(declaration.declared, scheme)
    except RecipeError as error:
        return UnfitDeclaration(declaration.name, declaration.file, error)
    return replace(declaration, name=f"{declaration.name}, {scheme}", declared=made)
