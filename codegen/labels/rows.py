"""The sampler of the rows of parameters: a module of the catalog's or the user's sampler, whose
parameters are the counts of a minibatch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Add, Expr, Symbol

from codegen.labels.sampler_of_counts import bound_sampler, vector_of, with_parameters
from recipe import Parameter, Recipe, RecipeError
from recipe.language.blocks import Vector
from recipe.language.data import VectorParameter
from recipe.language.symbols import Indexed, generic, name_of
from recipe.language.total import Total
from recipe.latent.increments import with_one_count
from recipe.latent.posterior import LabelledPosterior
from recipe.latent.sums_of_counts import check_determined, summed_over_data
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
    bound = bound_sampler(sampler, "a row", lambda row: potential(model, row))
    row = vector_of(bound)
    recipe = with_parameters(bound, made, lambda e: for_the_row(e, model, row))
    if not any(name_of(s) == model.labels.summed.base for s in recipe.parameters):
        z = model.labels.name
        raise RecipeError(
            f"the sampler takes no notice of the counts: give a parameter of it in {z}.summed, such"
            f" as params={{'a': beta + {z}.data / {z}.batch * {z}.summed}}"
        )
    return recipe


def potential(model: LabelledPosterior, row: Vector) -> Expr:
    """Minus the log posterior of one row given the mean counts of a minibatch, up to a constant.

    Its gradient is minus ``model.estimate``. Terms of the joint law without the row are left out.

    Raises:
        OutsideLanguageError: where sums of mean counts do not determine it.
    """
    z = model.labels
    terms = Add.make_args(with_one_count(model.of_one_label, z))
    of_row = Add(*(t for t in terms if z.like in {generic(s) for s in t.free_symbols}))
    prior = _of_rows(model)
    _refuse_further_blocks(of_row, model)
    check_determined(of_row, z, z.text_of(of_row))
    law = prior + z.data / z.batch * summed_over_data(of_row, z)
    return for_the_row(-law, model, row)


def _of_rows(model: LabelledPosterior) -> Expr:
    """The log prior, without the terms of the number that a label has beside its row."""
    own = {b for b in model.blocks if b != model.labels.like}
    if not own:
        return model.log_prior
    terms = Add.make_args(model.log_prior.expand())
    e = Add(*(t for t in terms if model.labels.like in {generic(s) for s in t.free_symbols}))
    _refuse_further_blocks(e, model)
    return e


def _refuse_further_blocks(e: Expr, model: LabelledPosterior) -> None:
    """Refuse terms of a row that depend on the number of its label."""
    further = [b for b in model.blocks if b != model.labels.like and b in e.free_symbols]
    if further:
        raise RecipeError(
            f"{model.labels.text_of(e)} depends on the row and on {further[0]}, so that neither"
            " moves without the other; give a sampler with parameters of its own"
        )


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
