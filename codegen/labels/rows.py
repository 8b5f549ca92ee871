"""The sampler of the rows of parameters: a module of the catalog's or the user's sampler, whose
parameters are the counts of a minibatch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Add, Expr, Integer, Symbol

from codegen.generate import Module, generate
from recipe import Parameter, Recipe, RecipeError, bind
from recipe.language.as_expression import as_expression
from recipe.language.symbols import (
    GENERIC,
    Indexed,
    Vector,
    VectorData,
    VectorParameter,
    generic,
    name_of,
)
from recipe.language.total import Total, total
from recipe.latent.increments import with_one_count
from recipe.latent.posterior import LabelledPosterior
from recipe.latent.sums_of_counts import check_determined
from recipe.rebuild.map_expressions import rewritten
from recipe.rebuild.spread import copied


def row_sampler(model: LabelledPosterior, sampler: Any, made: Mapping[str, Expr]) -> Recipe:
    """Return the sampler of one row given the counts of a minibatch.

    Args:
        model: the model.
        sampler: a ``Recipe`` of one row. An abstract potential becomes minus the log posterior of
            the row given counts; a sampler without one must have parameters that ``params`` makes
            of counts.
        made: by name, parameters of the sampler that are expressions of ``labels.summed``,
            ``labels.data`` and ``labels.batch``.

    Raises:
        RecipeError: for another sampler, parameters that it does not have, and where no counts
            reach it.
    """
    if not isinstance(sampler, Recipe):
        raise RecipeError(
            "the sampler of a row must be a Recipe, such as catalog.scir.scir or"
            f" catalog.sgrld.sgrld_reciprocal, and not a {type(sampler).__name__}"
        )
    row = _row_of(sampler)
    if sampler.abstract:
        (U, *others) = sampler.abstract
        if others:
            raise RecipeError(f"the sampler of a row has {others[0]} beside {U}; bind it first")
        sampler = bind(sampler, {U: potential(model, row)})
    named = {name_of(s): s for s in sampler.parameters}
    for name in made:
        if name not in named:
            raise RecipeError(
                f"params= has {name}, which is no parameter of the sampler; it has"
                f" {', '.join(named) or 'none'}"
            )
    by_symbol = {
        named[n]: for_the_row(as_expression(e, f"params[{n!r}]"), model, row)
        for n, e in made.items()
    }
    recipe = rewritten(sampler, lambda e: _put(e, by_symbol)) if made else sampler
    if not any(name_of(s) == model.labels.summed.base for s in recipe.parameters):
        z = model.labels.name
        raise RecipeError(
            f"the sampler takes no notice of the counts: give a parameter of it in {z}.summed, such"
            f" as params={{'a': beta + {z}.data / {z}.batch * {z}.summed}}"
        )
    return recipe


def module_of_rows(recipe: Recipe, scheme: str) -> Module:
    """Return the module of the sampler of a row."""
    return generate(recipe, scheme=scheme, name=recipe.name or "rows")


def potential(model: LabelledPosterior, row: Vector) -> Expr:
    """Minus the log posterior of one row given the mean counts of a minibatch, up to a constant.

    Its gradient is minus ``model.estimate``. Terms of the joint law without the row are left out.

    Raises:
        OutsideLanguageError: where sums of mean counts do not determine it.
    """
    z = model.labels
    terms = Add.make_args(with_one_count(model.of_one_label, z))
    of_row = Add(*(t for t in terms if z.like in {generic(s) for s in t.free_symbols}))
    check_determined(of_row, z, z.text_of(of_row))
    none = {s: Integer(0) for s in of_row.atoms(VectorData) if generic(s) == z.counts}
    empty = of_row.xreplace({z.count: Integer(0), **none})
    summed = {s: z.summed.at(s.label) for s in none}
    batch = of_row.xreplace({z.count: total(z.summed), **summed})
    law = model.log_prior + z.data / z.batch * (batch + (z.batch - 1) * empty)
    return for_the_row(-law, model, row)


def for_the_row(e: Expr, model: LabelledPosterior, row: Vector) -> Expr:
    """An expression of the model's row and of counts, for the sampler's row and its parameters."""
    z = model.labels
    summed = Parameter(z.summed.base, like=row, nonnegative=True)
    swapped: dict[Symbol, Symbol] = {}
    for s in e.atoms(Symbol):
        if generic(s) == z.summed:
            swapped[s] = summed.at(s.label)  # type: ignore[attr-defined]
        elif generic(s) == z.like:
            swapped[s] = row.at(s.label)
        elif (
            isinstance(s, Indexed) and s.length == z.like.length and isinstance(s, VectorParameter)
        ):
            swapped[s] = copied(s, s.base, row).at(s.label)  # type: ignore[attr-defined]
        elif s == z.like.dim:
            swapped[s] = row.dim
    swapped |= {
        t.index: type(t.index)("", row.length, t.index.label)
        for t in e.atoms(Total)
        if t.index.length == z.like.length
    }
    return e.xreplace(swapped)


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


def _row_of(sampler: Recipe) -> Vector:
    """The block of the sampler that is the row: the first one of its state."""
    row = sampler.state[0]
    if not isinstance(row, Vector):
        raise RecipeError(f"the first block of the sampler, {row}, must be a Vector: the row")
    return row
