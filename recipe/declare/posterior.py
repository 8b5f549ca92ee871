"""``Posterior``: the potential of a Bayesian model, given by the log likelihood of one datum and
the log prior.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

from sympy import Expr, Integer, Symbol

from recipe.declare.categories import numbered
from recipe.declare.coordinate_names import Names, coordinate_names
from recipe.declare.declared import (
    declared,
    refuse_density,
    refuse_prior_without_use,
    require_every_block,
    require_order,
)
from recipe.declare.derived_data import CoordinateAt, LabelAt, LabelIs, LabelIsLast
from recipe.declare.derived_quantities import (
    Quantity,
    data_in,
    derived_quantities,
    expressions_of,
)
from recipe.declare.ordered import Ordered, unfolded
from recipe.language.calculus import gradient
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import abstract_of, parameters_of
from recipe.language.log_density import Demand, Indicator, NamedLaw, as_log_density
from recipe.language.symbols import (
    Block,
    Length,
    ScalarData,
    Vector,
    VectorData,
    generic,
)
from recipe.language.validate import check_no_matrix, check_number, check_symbols, read


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
        data: pairs of a ``Data`` symbol and its array.
        demands: what laws demand of the numbers in ``given``.
        given: the arrays as they were given, by symbol; those of labels are not in ``data`` where
            only their indicators are used.
        user_gradient: the argument ``gradient``; None where it was not given.
        coords: the checked names, by block.
        label_names: the names of the coordinates by length, where labels are categories or text.
        derived: the checked quantities, by name; those of ``Ordered`` blocks are among them.
        ordered: the ``Ordered`` blocks; draws of their scalars are left out by default.
        laws: the laws by name that the log likelihood is a sum of, where it is one.

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
            "coords": coordinate_names(coords, checked),
            "derived": {},
            "ordered": ordered,
            "laws": () if likelihood is None else likelihood.laws,
            "priors": MappingProxyType(parts.priors),
        }
        for field, value in values.items():
            object.__setattr__(self, field, value)
        quantities = derived_quantities(parts.derived, ordered, checked, self.parameters)
        object.__setattr__(self, "derived", MappingProxyType(quantities))
        if likelihood is not None:
            self._number_labels()
            self._derive_data(likelihood.indicators)
        self._check()

    def _number_labels(self) -> None:
        """Number the labels that are categories, or text with names in ``coords``; their names are
        those of the coordinates.
        """
        assert self.log_likelihood is not None
        names = {block.length: listed for block, listed in self.coords.items()}
        expressions = [
            self.log_likelihood,
            *(e for q in self.derived.values() for e in expressions_of(q)),
        ]
        named = {generic(s) for e in expressions for s in e.atoms(VectorData)}
        given, label_names = dict(self.given), {}
        for s in sorted((s for s in named if s.labels in given), key=str):
            found = numbered(f"the data of {s.labels}", self.given[s.labels], names.get(s.length))
            if found is not None:
                given[s.labels], label_names[s.length] = found
        object.__setattr__(self, "given", MappingProxyType(given))
        object.__setattr__(self, "label_names", MappingProxyType(label_names))
        object.__setattr__(self, "data", tuple((s, given[s]) for s, _ in self.data))

    def _derive_data(self, indicators: tuple[Indicator, ...]) -> None:
        """Derive the data that are made of labels: indicators, and coordinates that labels name.
        Labels that are used in no other way are left out of ``data``.
        """
        assert self.log_likelihood is not None
        named = sorted(
            {generic(s) for s in self.log_likelihood.atoms(VectorData) if s.labels is not None},
            key=str,
        )
        labels = {i.data: i.label for i in indicators}
        labels |= {s: s.labels for s in named if s.coordinate is None}
        for s, label in labels.items():
            if s in self.given:
                raise RecipeError(
                    f"data= has an array for {s}, and a law makes numbers of that name from"
                    f" {label}; give the array another name"
                )
            if label not in self.given:
                raise RecipeError(
                    f"log_likelihood uses {label}, and data= has no array for it; add {label}:"
                    f" ..., or declare it with its values, Data('{label}', ...)"
                )
        mine = self.log_likelihood.free_symbols
        unused = {*labels.values(), *data_in(self.derived.values())} - {generic(s) for s in mine}
        kept = [(s, array) for s, array in self.data if s not in unused]
        derived = [(i.data, _indicator(self.given[i.label], i.value)) for i in indicators]
        derived += [
            (s, CoordinateAt(s.coordinate))
            if s.coordinate is not None
            else (s, LabelAt(self.given[s.labels], s.but_last))
            for s in named
        ]
        object.__setattr__(self, "data", (*kept, *derived))
        coordinates = [
            Demand(
                label,
                f"a label that names a coordinate of {s.length.owner}",
                Integer(0),
                whole=True,
            )
            for s, label in labels.items()
            if isinstance(s, VectorData)
        ]
        object.__setattr__(self, "demands", (*self.demands, *dict.fromkeys(coordinates)))

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
        for s in sorted(used - given, key=str):
            raise RecipeError(
                f"log_likelihood uses {s}, and data= has no array for it; add {s}: ..., or declare"
                f" it with its values, Data('{s}', ...)"
            )
        for s in sorted(given - used, key=str):
            raise RecipeError(f"data= has an array for {s}, which log_likelihood does not use")

    def __repr__(self) -> str:
        # printing imports this file
        from recipe.printing.summary import posterior_summary

        return posterior_summary(self)

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


def _indicator(labels: Any, value: int | Length) -> Any:
    """Return the numbers of an indicator, from its labels."""
    return LabelIsLast(labels, value) if isinstance(value, Length) else LabelIs(labels, value)
