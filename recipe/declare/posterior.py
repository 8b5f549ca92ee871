"""``Posterior``: the potential of a Bayesian model, given by the log likelihood of one datum and
the log prior.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from sympy import Expr, Integer, Symbol

from recipe.declare.coordinate_names import Names, coordinate_names
from recipe.declare.declared import (
    Declared,
    declared,
    refuse_density,
    refuse_prior_without_use,
    require_every_block,
    require_every_prior,
    require_order,
)
from recipe.declare.derived_quantities import (
    Quantity,
    data_in,
    derived_quantities,
    expressions_of,
)
from recipe.declare.label_data import (
    indicators_of,
    label_data,
    labels_of,
    laws_of,
    numbered_labels,
)
from recipe.declare.ordered_answers import ordered_answers
from recipe.declare.other_data import other_data
from recipe.declare.row_indices import require_one_order_of_rows
from recipe.declare.transformations.ordered import Ordered, unfolded
from recipe.language.blocks import Block, Vector
from recipe.language.calculus import gradient
from recipe.language.checks.validate import check_no_matrix, check_number, check_symbols, read
from recipe.language.data import ScalarData, VectorData
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import abstract_of, parameters_of
from recipe.language.log_density import Demand, LogDensity, NamedLaw, as_log_density
from recipe.language.symbols import Length, generic


@dataclass(frozen=True, init=False, eq=False)
class Posterior:
    """The potential ``U = -log_prior - sum over data of log_likelihood``, up to a constant.

    Blocks may be declared with their priors, and ``Data`` with their arrays: then the log
    likelihood says the rest. The posterior is the same as the one that is given ``blocks``,
    ``log_prior`` and ``data``, with plain symbols in its expressions.

    Args:
        blocks: the blocks that the law is about, a tuple (or one block). By default those of the
            densities, of ``derived`` and of the priors of these, by name.
        log_likelihood: the log likelihood of one datum, a number in the blocks, parameters and
            ``Data`` symbols, or a law of ``recipe.laws``; None where it cannot be
            written in the language and there is a ``gradient``.
        log_prior: the log prior density of the blocks that are declared without a prior, a number
            in these blocks and parameters, or a law; the priors of all others are added. Without
            it every block has a prior. Left out where there is no ``log_likelihood``: the
            ``gradient`` is then that of all of U, and a prior here would be counted nowhere.
        data: the arrays behind the ``Data`` symbols that carry none, by symbol: of the shape (N, d)
            for a symbol with ``like=``, (N,) for one without.
        gradient: a function, used in place of the derived gradient, **of all of U, the prior
            included**. ``gradient(theta, rows, x, y)``
            gets the blocks, the numbers of the n rows of a minibatch, and the data arrays in the
            order of ``data``; these two have to be given then. It returns the estimated gradient of
            U, an array for each block: N/n times the sum over these n of the N rows, plus the
            gradient of minus the log prior. A function that Numba can compile writes it into
            further arguments instead,
            ``gradient(theta, rows, x, y, g)``.
        coords: names of the coordinates of vector blocks, by block, such as ``{theta: ["age",
            "income"]}``; tables, plots and files of draws show them. By default the columns of a
            table name the coordinates of the block that its ``Data`` symbol is ``like``, and
            the categories of a column of labels those that they name. Labels may be text where
            the names are given here.
        derived: quantities that are computed of every draw, by name, such as ``{"tau":
            exp(log_tau)}``: numbers, lists of numbers, or expressions of a generic coordinate. An
            expression of data has a value for each row; these data may be others than those of the
            log likelihood, and have other rows.

    Attributes:
        blocks, log_likelihood, log_prior: as given and read, with plain blocks and data; an
            ``Ordered`` block is its scalars.
        priors: the laws that blocks were declared with, as text, by the name of the block.
        log_priors: the parts of the log prior: of each of these blocks by its name, and of all
            others together as "log_prior".
        data: pairs of a ``Data`` symbol and its array.
        demands: what laws demand of the numbers in ``given``.
        given: the arrays as they were given, by symbol; those of labels are not in ``data`` where
            only their indicators are used.
        user_gradient: the argument ``gradient``; None where it was not given.
        coords: the checked names, by block.
        label_names: the names of the coordinates by length, where labels are categories or text.
        categories: the names of labels in the order of their numbers, by symbol, where they are
            categories or text; those of the answers of ``ordered_logistic`` are in it as well.
        missing: the data that ``with_data`` was not given, which are only drawn, and not sampled
            from.
        prior_of: the posterior that this is the prior of; None for any other.
        derived: the checked quantities, by name; those of ``Ordered`` blocks are among them.
        ordered: the ``Ordered`` blocks; draws of their scalars are left out by default.
        laws: the laws by name that the log likelihood is a sum of, where it is one.
        declared: the parts as they were read, from which ``with_data`` and ``prior`` start.

    Raises:
        RecipeError: naming the expression at fault and the repair.

    Example:
        >>> from recipe import Data, Posterior, Scalar
        >>> from recipe.laws import half_normal, normal
        >>> mu, sd = Scalar("mu", prior=normal(0, 5)), Scalar("sd", prior=half_normal(2))
        >>> y = Data("y", [1.2, 0.7, 1.9])
        >>> model = Posterior(log_likelihood=normal(y, mu, sd))
        >>> model.blocks
        (mu, sd)
        >>> model.priors["sd"]
        'half_normal(2)'
    """

    blocks: tuple[Block, ...]
    log_likelihood: Expr | None
    log_prior: Expr
    data: tuple[tuple[Symbol, Any], ...]
    user_gradient: Callable[..., None] | None
    demands: tuple[Demand, ...]
    given: Mapping[Symbol, Any]
    coords: Mapping[Vector, Names]
    label_names: Mapping[Length, Names]
    derived: Mapping[str, Quantity]
    ordered: tuple[Ordered, ...]
    laws: tuple[NamedLaw, ...]
    priors: Mapping[str, str]
    log_priors: Mapping[str, Expr]
    categories: Mapping[Symbol, Names]
    missing: tuple[Symbol, ...]
    prior_of: Posterior | None
    declared: Declared

    def __init__(
        self,
        blocks: Any = None,
        log_likelihood: Any = None,
        log_prior: Any = None,
        data: Mapping[Symbol, Any] | None = None,
        gradient: Callable[..., None] | None = None,
        coords: Mapping[Any, Any] | None = None,
        derived: Mapping[str, Any] | None = None,
    ) -> None:
        refuse_density(blocks)
        if log_likelihood is None and gradient is None:
            raise RecipeError(
                "a Posterior without log_likelihood needs gradient=, a function of your own"
            )
        if log_likelihood is None and log_prior is None:
            log_prior = 0  # of a gradient of all of U
        parts = declared(
            blocks,
            None if log_likelihood is None else as_log_density(log_likelihood, "log_likelihood"),
            None if log_prior is None else as_log_density(log_prior, "log_prior"),
            data,
            derived,
        )
        if log_likelihood is None:
            refuse_prior_without_use(parts)
        if gradient is not None:
            require_order(blocks, data, parts)
        self._fill(parts, gradient, coords)

    def _fill(
        self,
        parts: Declared,
        gradient: Any,
        coords: Any,
        remembered: Mapping[Symbol, Names] = MappingProxyType({}),
        missing: tuple[Symbol, ...] = (),
        prior_of: Posterior | None = None,
    ) -> None:
        """Set and check all fields."""
        likelihood, prior = parts.log_likelihood, parts.log_prior
        checked, ordered = unfolded(parts.blocks)
        values = {
            "blocks": checked,
            "log_likelihood": (
                None if likelihood is None else read(likelihood.expression, "log_likelihood")
            ),
            "log_prior": read(prior.expression, "log_prior"),
            "data": tuple(parts.data.items()),
            "user_gradient": gradient,
            "demands": () if likelihood is None else likelihood.demands,
            "given": MappingProxyType(parts.data),
            "label_names": {},
            "categories": {},
            "coords": coordinate_names(coords, checked),
            "derived": {},
            "ordered": ordered,
            "laws": () if likelihood is None else likelihood.laws,
            "priors": MappingProxyType(parts.priors),
            "log_priors": MappingProxyType(parts.log_priors),
            "missing": missing,
            "prior_of": prior_of,
            "declared": parts,
        }
        for field, value in values.items():
            object.__setattr__(self, field, value)
        quantities = derived_quantities(parts.derived, ordered, checked, self.parameters)
        object.__setattr__(self, "derived", MappingProxyType(quantities))
        if likelihood is not None:
            self._read_labels(likelihood, remembered)
        self._check()
        require_one_order_of_rows(self)

    def _read_labels(self, likelihood: LogDensity, remembered: Mapping[Symbol, Names]) -> None:
        """Number labels that have names, and put the data that are made of labels in the place of
        labels that are used in no other way.
        """
        assert self.log_likelihood is not None
        derived = [e for q in self.derived.values() for e in expressions_of(q)]
        names = {block.length: listed for block, listed in self.coords.items()}
        given, categories, label_names = numbered_labels(
            self.given, self.log_likelihood, derived, names, remembered
        )
        laws = [*likelihood.laws, *laws_of(self.declared.derived)]
        answers, order = ordered_answers(given, laws, remembered)
        given |= answers
        categories |= order
        made, labels, demands = label_data(given, self.log_likelihood, likelihood.indicators)
        given |= indicators_of(self.declared.derived, given)
        for label in labels.values():
            if label not in given and label not in self.missing:
                raise RecipeError(
                    f"log_likelihood uses {label}, and data= has no array for it; add {label}:"
                    f" ..., or declare it with its values, Data('{label}', ...)"
                )
        mine = {generic(s) for s in self.log_likelihood.free_symbols}
        derived_alone = data_in(self.derived.values()) | labels_of(self.declared.derived)
        unused = {*labels.values(), *derived_alone} - mine
        kept = [(s, given[s]) for s, _ in self.data if s not in unused]
        fields = {
            "given": MappingProxyType(given),
            "categories": MappingProxyType(categories),
            "label_names": MappingProxyType(label_names),
            "data": (*kept, *made.items()),
            "demands": (*self.demands, *demands),
        }
        for field, value in fields.items():
            object.__setattr__(self, field, value)

    def _check(self) -> None:
        if self.user_gradient is not None and not callable(self.user_gradient):
            raise RecipeError(f"gradient={self.user_gradient!r} is not a function")
        for e, where, allowed in (
            (self.log_likelihood, "log_likelihood", (VectorData, ScalarData)),
            (self.log_prior, "log_prior", ()),
        ):
            if e is None:
                continue
            check_no_matrix(e, where)
            check_number(e, where)
            check_symbols([(e, where)], self.blocks, allowed, "blocks")
            if abstract_of([e]):
                raise RecipeError(
                    f"{where} contains the abstract function {abstract_of([e])[0]}; write it out"
                )
        if self.log_likelihood is None:
            return
        for s in sorted(data_in(self.derived.values()) - {*self.given}, key=str):
            raise RecipeError(f"derived= uses {s}, and data= has no array for it; add {s}: ...")
        if self.user_gradient is None:
            require_every_block(self.blocks, (self.log_likelihood, self.log_prior))
        given = {s for s, _ in self.data}
        used = {generic(s) for s in self.log_likelihood.atoms(VectorData, ScalarData)}
        for s in sorted(used - given, key=str) if not self.missing else ():
            raise RecipeError(
                f"log_likelihood uses {s}, and data= has no array for it; add {s}: ..., or declare"
                f" it with its values, Data('{s}', ...)"
            )
        for s in sorted(given - used, key=str):
            raise RecipeError(
                f"data= has an array for {s}, which neither log_likelihood nor derived= uses"
            )

    def __repr__(self) -> str:
        # printing imports this file
        from recipe.printing.summary import posterior_summary

        return posterior_summary(self)

    def with_data(self, data: Mapping[Any, Any]) -> Posterior:
        """Return the posterior with other data, such as new covariates to predict at.

        Data that are not given stay. Data that a law by name is the law of need not be given: they
        are then left out, as no predictions need them. Such a posterior is not sampled. Of a
        ``prior()`` it is the prior of the posterior with these data.

        Args:
            data: the new arrays, by ``Data`` symbol or its name. Text is numbered by the names of
                the labels before, where these suffice; ordered answers have the categories of
                those before, in their order.

        Raises:
            RecipeError: for data that the posterior does not have, for ordered answers with other
                categories, and where data that stay have another number of rows, or may depend on
                those that are given.

        Example:
            >>> from recipe import Data, Posterior, Scalar
            >>> from recipe.laws import normal
            >>> b, x, y = Scalar("b", prior=normal(0, 1)), Data("x", [1, 2]), Data("y", [0.9, 2.1])
            >>> new = Posterior(log_likelihood=normal(y, b * x, 1)).with_data({x: [3, 4, 5]})
            >>> new.missing
            (y,)
        """
        if self.prior_of is not None:  # whose data it has, but for those of derived quantities
            return self.prior_of.with_data(data).prior()
        arrays, missing = other_data(self, data)
        new = object.__new__(type(self))
        order = self.declared.order or tuple(self.declared.data)
        parts = replace(self.declared, data=arrays, order=order)
        new._fill(parts, self.user_gradient, self.coords, self.categories, missing)
        return new

    def prior(self) -> Posterior:
        """Return the posterior without data: the law of the blocks before any data, as their
        priors say it. It is sampled as any other.

        Lengths, names of coordinates and derived quantities are those of the posterior.

        Raises:
            RecipeError: where a block has a flat prior.

        Example:
            >>> from catalog.posteriors.eight_schools import posterior
            >>> posterior.prior().data
            ()
        """
        require_every_prior(self.blocks, self.log_prior)
        needed = data_in(self.derived.values())
        parts = replace(
            self.declared,
            order=(),
            log_likelihood=LogDensity(Integer(0)),
            data={s: a for s, a in self.given.items() if s in needed},
        )
        new = object.__new__(type(self))
        new._fill(parts, None, self.coords, prior_of=self)
        return new

    @property
    def parameters(self) -> tuple[Symbol, ...]:
        """The free parameters of the log likelihood and the log prior, sorted by name; empty where
        there is no ``log_likelihood``.
        """
        return parameters_of(
            [] if self.log_likelihood is None else [self.log_likelihood, self.log_prior]
        )

    @cached_property
    def prior_gradient(self) -> dict[Block, Expr]:
        """The gradient of minus the log prior, one expression for each block."""
        return {block: -gradient(self.log_prior, block) for block in self.blocks}

    @cached_property
    def datum_gradient(self) -> dict[Block, Expr]:
        """The gradient of minus the log likelihood of one datum, one expression for each block."""
        return {block: -gradient(self.log_likelihood, block) for block in self.blocks}
