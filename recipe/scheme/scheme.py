"""``Scheme``: a named way from a recipe to one discrete step of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.scheme.exact import Exact
from recipe.scheme.splitting import Splitting


@dataclass(frozen=True)
class Scheme:
    """A discretisation.

    Attributes:
        name: the name on the command line.
        summary: what it does, in a few words.
        fits: the recipes that it applies to, in words.
        source: the citation.
        step: the function that makes the step; it raises RecipeError for a recipe that does not
            fit.
    """

    name: str
    summary: str
    fits: str
    source: str
    step: Callable[[Recipe], Update | Splitting | Exact]
