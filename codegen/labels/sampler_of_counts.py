"""A sampler of one vector whose potential or parameters are made of the counts of a minibatch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sympy import Expr, Symbol

from codegen.generate import generate
from codegen.module import Module
from recipe import Recipe, RecipeError, bind
from recipe.language.as_expression import as_expression
from recipe.language.blocks import Vector
from recipe.language.symbols import GENERIC, Indexed, generic, name_of
from recipe.rebuild.map_expressions import rewritten


def bound_sampler(sampler: Any, what: str, potential: Callable[[Vector], Expr]) -> Recipe:
    """Return a sampler without an abstract potential.

    Args:
        sampler: a ``Recipe`` of one vector.
        what: what it samples, as messages call it.
        potential: minus the log posterior of the vector given counts, in the place of the abstract
            potential, if there is one.

    Raises:
        RecipeError: for another sampler.
    """
    if not isinstance(sampler, Recipe):
        raise RecipeError(
            f"the sampler of {what} must be a Recipe, such as catalog.scir.scir or"
            f" catalog.sgrld.sgrld_reciprocal, and not a {type(sampler).__name__}"
        )
    vector = vector_of(sampler, what)
    if not sampler.abstract:
        return sampler
    (U, *others) = sampler.abstract
    if others:
        raise RecipeError(f"the sampler of {what} has {others[0]} beside {U}; bind it first")
    return bind(sampler, {U: potential(vector)})


def vector_of(sampler: Recipe, what: str = "a row") -> Vector:
    """Return the block of a sampler that it samples: the first one of its state.

    Args:
        sampler: the sampler.
        what: what it samples, as messages call it.

    Raises:
        RecipeError: where it is no ``Vector``.
    """
    first = sampler.state[0]
    if not isinstance(first, Vector):
        raise RecipeError(
            f"the first block of the sampler, {first}, must be a Vector: {what.removeprefix('a ')}"
        )
    return first


def with_parameters(
    sampler: Recipe, made: Mapping[str, Any], put: Callable[[Expr], Expr]
) -> Recipe:
    """Return a sampler with expressions of counts in the place of some of its parameters.

    Args:
        sampler: the sampler.
        made: the expressions by name.
        put: writes an expression of the model for the vector of the sampler.

    Raises:
        RecipeError: for a parameter that it does not have.
    """
    named = {name_of(s): s for s in sampler.parameters}
    for name in made:
        if name not in named:
            raise RecipeError(
                f"params= has {name}, which is no parameter of the sampler; it has"
                f" {', '.join(named) or 'none'}"
            )
    by_symbol = {named[n]: put(as_expression(e, f"params[{n!r}]")) for n, e in made.items()}
    return rewritten(sampler, lambda e: _put(e, by_symbol)) if made else sampler


def module_of(recipe: Recipe, scheme: str, name: str) -> Module:
    """Return the module of a sampler.

    Args:
        recipe: the sampler.
        scheme: its discretisation.
        name: of a recipe without one.

    Raises:
        RecipeError: where its noise is correlated.
    """
    module = generate(recipe, scheme=scheme, name=recipe.name or name)
    if module.plan.factors:
        raise RecipeError(
            f"a sampler of {name} with correlated noise is not run; choose another one"
        )
    return module


def _put(e: Expr, values: Mapping[Symbol, Expr]) -> Expr:
    """The expression with parameters replaced, at every index that they stand at."""
    at = {}
    for s in e.atoms(Symbol):
        value = values.get(generic(s))
        if value is not None:
            at[s] = _moved(value, s.label) if isinstance(s, Indexed) else value
    return e.xreplace(at)


def _moved(e: Expr, label: int) -> Expr:
    return e.xreplace({s: s.at(label) for s in e.atoms(Indexed) if s.label == GENERIC})
