"""One discrete step of a sampler: the declaration it was made from, the rule, and how the rule was
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
from recipe.language.assumed import ParameterCondition
from recipe.language.blocks import Block
from recipe.language.errors import RecipeError
from recipe.scheme.exact import Exact
from recipe.scheme.scheme import Scheme
from recipe.scheme.splitting import Splitting

PRINTED = "printed"  # the name of the published rule among the names of schemes


@dataclass(frozen=True)
class Discretisation:
    """The discrete kernel of a recipe under a scheme, or a printed rule taken as it stands;
    ``discretised`` makes it.

    Attributes:
        of: the recipe, or the printed rule where nothing is said of D and Q.
        scheme: the name of the scheme, or ``"printed"``.
        update: the rule of one step.
        splitting: the sub-flows, if the scheme is a splitting; else None.
        exact: the transitions of the blocks, if the scheme is exact; else None.
    """

    of: Recipe | Update
    scheme: str
    update: Update
    splitting: Splitting | None = None
    exact: Exact | None = None

    def __repr__(self) -> str:
        # printing imports this file
        from recipe.printing.summary import discretisation_summary

        return discretisation_summary(self)

    @property
    def name(self) -> str | None:
        """The name of the recipe or rule that it was made from; None where that has none."""
        return self.of.name

    @property
    def source(self) -> str | None:
        """The citation of the rule; None where there is none."""
        return self.update.source

    @property
    def state(self) -> tuple[Block, ...]:
        """The blocks of the state."""
        return self.of.state

    @cached_property
    def parameters(self) -> tuple[Symbol, ...]:
        """The free parameters, those of its conditions included, sorted by name; the step size is
        not one of them.
        """
        return self.update.parameters

    @property
    def where(self) -> tuple[ParameterCondition, ...]:
        """The conditions between parameters of what it was made from."""
        return self.of.where

    @property
    def abstract(self) -> tuple[Any, ...]:
        """The abstract functions and constant matrices in the rule, sorted by name."""
        return self.update.abstract

    def written(self) -> list[tuple[Expr, str]]:
        """Return every expression of the rule, each with its place."""
        return self.update.written()


def discretisation(of: Recipe | Update, scheme: Scheme) -> Discretisation:
    """The step of a recipe under a scheme.

    Raises:
        RecipeError: where the scheme does not fit, or ``of`` is a rule already.
    """
    if not isinstance(of, Recipe):
        raise RecipeError(
            f"an update rule is a discrete step already: --scheme {PRINTED} takes it as it stands"
        )
    made = scheme.step(of)
    update = made if isinstance(made, Update) else made.update
    if of.reflections and not has_folds(update):
        raise RecipeError(
            f"{of.reflections[0]}, and {scheme.name} does not know how; use euler,"
            " semi-implicit, milstein or a splitting"
        )
    splitting = made if isinstance(made, Splitting) else None
    return Discretisation(
        of, scheme.name, update, splitting, made if isinstance(made, Exact) else None
    )


def as_printed(of: Recipe | Update) -> Discretisation:
    """The published rule of a recipe, or a printed rule, as a discrete step.

    Raises:
        RecipeError: where the recipe has no published rule, or the rule stands for its limit only.
    """
    rule = of.update if isinstance(of, Recipe) else of
    if rule is None:
        raise RecipeError(
            f"{of.name or 'this recipe'} has no update=, so there is no printed rule; name a scheme"
        )
    if rule.limit_only:
        raise RecipeError(
            f"{rule.name or 'this update'} stands for the limit of a sweep as its step vanishes: no"
            " step of it is carried out"
        )
    return Discretisation(of, PRINTED, rule)
