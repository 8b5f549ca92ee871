"""What a scheme is: a way from a recipe to one step of it, under a name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.scheme.exact import Exact
from recipe.scheme.splitting import Splitting


@dataclass(frozen=True)
class Scheme:
    """A discretisation. ``fits`` says in words what it needs, ``step`` makes it and raises
    RecipeError where that is missing.
    """

    name: str
    summary: str
    fits: str
    source: str
    step: Callable[[Recipe], Update | Splitting | Exact]
