"""The numbers that labels have beside their rows, such as the weights of a mixture: what moves
them, and their state in a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sympy import Add, Expr, Interval

from codegen.inputs.schedule import Schedule, step_sizes
from codegen.labels.arguments import LabelOptions
from codegen.labels.one_step import gamma_numbers, inside, moved, no_draws
from codegen.labels.sampler_of_counts import bound_sampler, vector_of, with_parameters
from recipe import Parameter, Recipe, RecipeError
from recipe.language.blocks import Scalar, Vector
from recipe.language.symbols import generic, name_of
from recipe.language.total import total
from recipe.latent.increments import with_one_count
from recipe.latent.posterior import LabelledPosterior
from recipe.latent.sums_of_counts import check_determined, summed_over_data

NUMBER = 2**52  # of chains; those of rows are below 2**20 chains times 2**31 labels


@dataclass(frozen=True, eq=False)
class LabelWeights:
    """What moves the number that each label has beside its row: the weights of a mixture.

    Attributes:
        sampler: a ``Recipe`` of one vector, whose coordinates are the numbers of the labels. Where
            it has an abstract potential, this becomes minus their log posterior given the counts.
        params: by name, parameters of the sampler that are expressions of ``labels.members``,
            ``labels.data`` and ``labels.batch``; numbers stand in ``params`` of the run.
        step_size: a number or a schedule; by default that of the rows.
        scheme: the discretisation; by default that of the rows.
        initial: the first numbers, one a label; by default random ones with the law Gamma(1, 1).

    Example:
        >>> from catalog.scir import scir
        >>> from recipe import Labels, Vector
        >>> z = Labels("z", like=Vector("theta"), each="datum")
        >>> moved = LabelWeights(scir, params={"a": 1 + z.data / z.batch * z.members})
    """

    sampler: Any
    params: Mapping[str, Any] = field(default_factory=dict)
    step_size: Any = None
    scheme: str | None = None
    initial: Any = None


def sampler_of_numbers(
    model: LabelledPosterior, own: Scalar, given: LabelWeights, made: Mapping[str, Expr]
) -> Recipe:
    """Return the sampler of the numbers of all labels given the counts of a minibatch.

    Args:
        model: the model.
        own: its block with one number a label.
        given: what moves them.
        made: by name, parameters of the sampler that are expressions of counts.

    Raises:
        RecipeError: for another sampler, parameters that it does not have, and where no counts
            reach it.
    """
    z, what = model.labels, f"the numbers {own} of labels"
    bound = bound_sampler(
        given.sampler, what, lambda vector: potential_of_numbers(model, own, vector)
    )
    vector = vector_of(bound, what)
    recipe = with_parameters(bound, made, lambda e: _for_all(e, model, own, vector))
    if not any(name_of(s) == z.members.name for s in recipe.parameters):
        raise RecipeError(
            f"the sampler of {what} takes no notice of the counts: give a parameter of it in"
            f" {z.name}.members, such as LabelWeights(scir, params={{'a': alpha + {z.name}.data /"
            f" {z.name}.batch * {z.name}.members}})"
        )
    return recipe


def potential_of_numbers(model: LabelledPosterior, own: Scalar, vector: Vector) -> Expr:
    """Return minus the log posterior of the numbers of all labels given the counts of a minibatch.

    Args:
        model: the model.
        own: its block with one number a label.
        vector: the numbers of all labels.

    Raises:
        RecipeError: where that of one label depends on its row.
    """
    return -total(_for_all(_law_of_one(model, own), model, own, vector), over=vector)


def _for_all(e: Expr, model: LabelledPosterior, own: Scalar, vector: Vector) -> Expr:
    """An expression of the number of one label and of its count, for the vector of all numbers."""
    z = model.labels
    members = Parameter(z.members.name, like=vector, nonnegative=True)
    return e.xreplace({own: vector, z.members: members})


def _law_of_one(model: LabelledPosterior, own: Scalar) -> Expr:
    """The terms of the log posterior of the number of one label, given the counts of a minibatch.

    Raises:
        RecipeError: where it depends on the row.
    """
    z = model.labels
    joint = _terms_of(with_one_count(model.of_one_label, z), own, model)
    check_determined(joint, z, z.text_of(joint))
    prior = _terms_of(model.log_prior, own, model)
    return prior + z.data / z.batch * summed_over_data(joint, z)


def _terms_of(e: Expr, own: Scalar, model: LabelledPosterior) -> Expr:
    z = model.labels
    mine = [t for t in Add.make_args(e.expand()) if own in t.free_symbols]
    wrong = next(
        (t for t in mine if {z.like, z.counts} & {generic(s) for s in t.free_symbols}), None
    )
    if wrong is not None:
        raise RecipeError(
            f"{z.text_of(wrong)} depends on {own} and on the row or its counts, so that neither"
            f" moves without the other; give a sampler of {own} with parameters of its own"
        )
    return Add(*mine)


@dataclass(eq=False)
class NumberChain:
    """The numbers of all labels in a run.

    Attributes:
        blocks: the blocks of the sampler, one number a label each; the first one has the numbers.
        state: the state of the sampler's module on these blocks.
    """

    blocks: tuple[np.ndarray, ...]
    state: Any


@dataclass(frozen=True, eq=False)
class NumberMover:
    """Moves the numbers of all labels by a step.

    Attributes:
        name: of the block in the model.
        module: the imported module of the sampler.
        blocks: the fields of its blocks; the first one has the numbers.
        params: the values of its parameters but for those of the counts.
        counts: the fields of ``members``, ``data`` and ``batch``; None for one that is not used.
        options: of the run.
        schedule: the step sizes.
        size: N, the number of data.
        domain: the open interval in which the model has the numbers.
        initial: the first numbers, as they were given.
    """

    name: str
    module: Any
    blocks: tuple[str, ...]
    params: Mapping[str, Any]
    counts: tuple[str | None, ...]
    options: LabelOptions
    schedule: Schedule
    size: int
    domain: Interval
    initial: np.ndarray | None

    def begin(self) -> NumberChain:
        """Return the first state: the given numbers, or some with the law Gamma(1, 1)."""
        o = self.options
        first = self.initial
        if first is None:
            first = gamma_numbers(self.module, o.labels, o.seed, NUMBER + o.chain)
        return self.at((first, *(np.zeros_like(first) for _ in self.blocks[1:])))

    def at(self, blocks: tuple[np.ndarray, ...]) -> NumberChain:
        """Return the state with these blocks."""
        own = tuple(np.array(block, dtype=np.float64, order="C") for block in blocks)
        state = self.module.allocate(*own)
        return NumberChain(own, state._replace(**dict(zip(self.blocks, own, strict=True))))

    def advance(self, chain: NumberChain | None, members: np.ndarray, step: int) -> bool:
        """Move the numbers by one step, and return whether all of them are still in the domain.

        Args:
            chain: their state.
            members: the mean number of data of the minibatch with each label.
            step: the number of the step.
        """
        assert chain is not None  # a mover of numbers has begun with some
        values = (members, float(self.size), float(self.options.batch))
        counted = {f: v for f, v in zip(self.counts, values, strict=True) if f is not None}
        params = self.module.Params(**{**self.params, **counted})
        draws, key = no_draws(self.module), (self.options.seed, NUMBER + self.options.chain)
        size = float(step_sizes(self.schedule, step, 1)[0])
        finite = moved(self.module, chain.state, draws, params, size, key, step)
        return finite and bool(inside(chain.blocks[0], self.domain).all())


def checked_numbers(given: Any, labels: int, own: Scalar, what: str) -> np.ndarray:
    """Return numbers of labels as they were given.

    Args:
        given: one number a label.
        labels: K.
        own: the block of the model.
        what: how the argument is called.

    Raises:
        RecipeError: for another shape, or a number outside of the domain.
    """
    found = np.asarray(given, dtype=np.float64)
    if found.shape != (labels,) or not inside(found, own.domain).all():
        raise RecipeError(
            f"{what} has the shape {found.shape}, and must be {labels} numbers in {own.domain}: one"
            f" {own} for each label"
        )
    return found
