"""One step of a sampler as an object of its own: what it was made from, the rule, and how it was
made.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sympy import Expr, Symbol

from recipe.declare.recipe import Recipe
from recipe.declare.reflect_update import has_folds
from recipe.declare.update import Update
from recipe.language.errors import RecipeError
from recipe.language.symbols import Block
from recipe.scheme.exact import Exact
from recipe.scheme.scheme import Scheme
from recipe.scheme.splitting import Splitting

PRINTED = "printed"


@dataclass(frozen=True)
class Discretisation:
    """The discrete kernel of a recipe under a scheme, or a printed rule taken as it stands.

    ``of`` is the recipe, or the printed rule itself where nothing is said of D and Q; ``splitting``
    has the sub-flows, where the scheme is a splitting, and ``exact`` the transitions, where it is
    exact.
    """

    of: Recipe | Update
    scheme: str
    update: Update
    splitting: Splitting | None = None
    exact: Exact | None = None

    @property
    def name(self) -> str | None:
        """That of what it was made from."""
        return self.of.name

    @property
    def source(self) -> str | None:
        """The citation of the rule."""
        return self.update.source

    @property
    def state(self) -> tuple[Block, ...]:
        """The blocks."""
        return self.of.state

    @cached_property
    def parameters(self) -> tuple[Symbol, ...]:
        """The free parameters; the step size is not one of them."""
        return self.update.parameters

    @property
    def abstract(self) -> tuple[Any, ...]:
        """The abstract functions and matrices in it."""
        return self.update.abstract

    def written(self) -> list[tuple[Expr, str]]:
        """Every expression of the rule, with the place it stands at."""
        return self.update.written()


def discretisation(of: Recipe | Update, scheme: Scheme) -> Discretisation:
    """The step of a recipe that a scheme makes.

    Raises:
        RecipeError: where the scheme does not fit, or there is nothing to discretise.
    """
    if not isinstance(of, Recipe):
        raise RecipeError(
            f"an update rule is a discrete step already: --scheme {PRINTED} takes it as it stands"
        )
    made = scheme.step(of)
    update = made if isinstance(made, Update) else made.update
    if of.reflections and not has_folds(update):
        raise RecipeError(
            f"{of.reflections[0]}, and {scheme.name} does not know how; euler, semi-implicit,"
            " milstein and splittings do"
        )
    splitting = made if isinstance(made, Splitting) else None
    return Discretisation(
        of, scheme.name, update, splitting, made if isinstance(made, Exact) else None
    )


def as_printed(of: Recipe | Update) -> Discretisation:
    """The published rule of a recipe, or a printed rule, as a discrete step.

    Raises:
        RecipeError: where the recipe has no published rule.
    """
    rule = of.update if isinstance(of, Recipe) else of
    if rule is None:
        raise RecipeError(
            f"{of.name or 'this recipe'} has no update=, so there is no printed rule; name a scheme"
        )
    if rule.limit_only:
        raise RecipeError(
            f"{rule.name or 'this update'} is what a sweep samples as its step vanishes: no step of"
            " it is carried out"
        )
    return Discretisation(of, PRINTED, rule)
