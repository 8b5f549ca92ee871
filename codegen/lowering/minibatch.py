"""The gradient of a posterior over rows of its data, lowered like a step: sums of a datum, its
contribution, prior and scale.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import singledispatchmethod

from sympy import Expr, Symbol

from codegen.lowering.lower import Lowering, unbound, with_common_parts
from codegen.lowering.names import Namer
from codegen.lowering.places import Array, Cell, Datum
from codegen.lowering.shared_symbols import CommonLeaves
from codegen.lowering.statements import Let, RowsJoin, Statement
from recipe.declare.posterior import Posterior
from recipe.language.abstract import Dense, Partial, Potential
from recipe.language.errors import RecipeError
from recipe.language.symbols import (
    GENERIC,
    Block,
    Length,
    Scalar,
    ScalarData,
    Vector,
    VectorData,
    name_of,
)

SCALE = Symbol("scale", positive=True)
VALUE = Symbol("value", real=True)


@dataclass(frozen=True)
class RowSum:
    """``scale * (sum over rows of a datum) + after``, the form of a potential and of its gradient.

    ``before`` reads the scalar blocks, ``each_datum`` are numbers of a row, ``joins`` are the sums
    over rows; ``sizes`` names the lengths that are used as numbers.
    """

    before: tuple[Statement, ...]
    each_datum: tuple[Statement, ...]
    joins: tuple[RowsJoin, ...]
    after: tuple[Statement, ...]
    sizes: Mapping[Length, Symbol]

    @property
    def statements(self) -> tuple[Statement, ...]:
        """All statements, in order."""
        return (*self.before, *self.each_datum, *self.joins, *self.after)


@dataclass(frozen=True)
class Value:
    """The potential itself: the name of its function, and the sum over rows that it computes."""

    function: str
    sum: RowSum


@dataclass(frozen=True)
class PosteriorGradient:
    """How the gradient of one potential is estimated from rows of the data of its posterior.

    ``results`` and ``blocks`` are the array arguments of the function, ``fields`` gives the field
    of ``Data`` that holds each datum. ``derived`` is None where the user's own gradient is called,
    ``value`` is None where the potential itself is not needed.
    """

    potential: Potential
    posterior: Posterior
    function: str
    results: tuple[str, ...]
    blocks: tuple[str, ...]
    fields: Mapping[Symbol, str]
    derived: RowSum | None
    value: Value | None


def posterior_gradient(
    potential: Potential,
    posterior: Posterior,
    settings: Mapping[Symbol, str],
    fields: Mapping[Symbol, str],
    namer: Namer,
    *,
    valued: bool,
) -> PosteriorGradient:
    """The gradient of ``U = -log_prior - sum over data of log_likelihood``.

    Args:
        potential: U.
        posterior: its data, and its prior and likelihood.
        settings: the field of ``Params`` that holds each parameter.
        fields: the field of ``Data`` that holds each datum.
        namer: gives names that nothing else in the module has.
        valued: whether a test compares values of U, so that U itself is needed as well.

    Raises:
        RecipeError: where values are needed and the posterior has no log_likelihood.
    """
    builder = _Builder(potential, settings, fields, namer)
    if valued and posterior.log_likelihood is None:
        raise RecipeError(
            f"a Metropolis test compares values of {potential}, and its Posterior has no"
            " log_likelihood; give it"
        )
    value = (
        Value(namer.fresh(f"potential_{potential.name}"), builder.value(posterior))
        if valued
        else None
    )
    return builder.built(
        posterior, builder.gradient(posterior) if posterior.user_gradient is None else None, value
    )


def posterior_density(
    potential: Potential,
    posterior: Posterior,
    settings: Mapping[Symbol, str],
    fields: Mapping[Symbol, str],
    namer: Namer,
) -> tuple[PosteriorGradient, RowSum]:
    """The gradient that is derived from the likelihood, also where the user gave one, and the
    potential itself.
    """
    builder = _Builder(potential, settings, fields, namer)
    return builder.built(posterior, builder.gradient(posterior), None), builder.value(posterior)


class _Builder:
    """The gradient under construction."""

    def __init__(
        self,
        potential: Potential,
        settings: Mapping[Symbol, str],
        fields: Mapping[Symbol, str],
        namer: Namer,
    ) -> None:
        self.potential, self.settings, self.fields, self.namer = potential, settings, fields, namer
        self.blocks: dict[Block, str] = {b: namer.fresh(b.name) for b in potential.blocks}
        self.results: dict[Block, str] = {b: namer.fresh(f"g_{b.name}") for b in potential.blocks}
        self.common = CommonLeaves(self.settings, namer)
        self.number = {
            b: Symbol(namer.fresh(b.name), real=True)
            for b in potential.blocks
            if isinstance(b, Scalar)
        }

    def built(
        self, posterior: Posterior, derived: RowSum | None, value: Value | None
    ) -> PosteriorGradient:
        function = self.namer.fresh(f"gradient_{self.potential.name}")
        results, blocks = tuple(self.results.values()), tuple(self.blocks.values())
        return PosteriorGradient(
            self.potential, posterior, function, results, blocks, self.fields, derived, value
        )

    def gradient(self, posterior: Posterior) -> RowSum:
        each = self.joined(posterior.datum_gradient)
        return RowSum(
            self.before(), *each, self.scaled(posterior.prior_gradient), self.common.sizes
        )

    def value(self, posterior: Posterior) -> RowSum:
        """The posterior's potential itself."""
        assert posterior.log_likelihood is not None
        lowering = Lowering(self.leaf, self.namer, self.matrix, self.reserve)
        term = lowering.let(lowering.lower(-posterior.log_likelihood), "value_of_row")
        joins = RowsJoin("", None, (VALUE,), (VALUE,), (term,), ())
        prior = Lowering(self.leaf, self.namer, self.matrix, self.reserve)
        value = prior.lower(-posterior.log_prior)
        after = (*prior.statements, Let(VALUE, SCALE * VALUE + value))
        return RowSum(self.before(), tuple(lowering.statements), (joins,), after, self.common.sizes)

    def before(self) -> tuple[Statement, ...]:
        """Read the scalar blocks."""
        return tuple(Let(s, Array("", self.blocks[b])["0"]) for b, s in self.number.items())

    def joined(
        self, gradient: dict[Block, Expr]
    ) -> tuple[tuple[Statement, ...], tuple[RowsJoin, ...]]:
        """The statements that compute the numbers of a row, and those that add the row to the
        results.
        """
        lowering = Lowering(self.leaf, self.namer, self.matrix, self.reserve)
        lowered = {b: e for b in self.potential.blocks if (e := lowering.lower(gradient[b])) != 0}
        numbers = {b: e for b, e in lowered.items() if isinstance(b, Scalar)}
        values = [
            (Symbol(self.namer.fresh(f"{b.name}_of_row"), real=True), e) for b, e in numbers.items()
        ]
        lowering.statements += [Let(s, e) for s, e in with_common_parts(values, self.namer)]
        joins = (
            [self._join(None, dict(zip(numbers, (s for s, _ in values), strict=True)))]
            if numbers
            else []
        )
        for length in dict.fromkeys(b.length for b in lowered if isinstance(b, Vector)):
            of_length = {b: lowering.hoisted(e) for b, e in lowered.items() if b.length == length}
            joins.append(self._join(length, of_length))
        return tuple(lowering.statements), tuple(joins)

    def _join(self, length: Length | None, values: dict[Block, Expr]) -> RowsJoin:
        function = "" if length is None else self.namer.fresh("add_datum")
        cells = tuple(self._result(b) for b in values)
        sums = tuple(Symbol(self.namer.fresh(f"{b.name}_sum"), real=True) for b in values)
        comments = () if length is None else tuple(f"gradient of the datum by {b}" for b in values)
        return RowsJoin(function, length, cells, sums, tuple(values.values()), comments)

    def scaled(self, gradient: dict[Block, Expr]) -> tuple[Statement, ...]:
        """Scale the results, and add the gradient of the prior."""
        lowering = Lowering(self.leaf, self.namer, self.matrix, self.reserve)
        lowered = {b: lowering.lower(gradient[b]) for b in self.potential.blocks}
        self._numbers(lowering, {b: e for b, e in lowered.items() if isinstance(b, Scalar)})
        for length in dict.fromkeys(b.length for b in lowered if isinstance(b, Vector)):
            self._sweep(
                lowering,
                length,
                {b: e for b, e in lowered.items() if b.length == length},
            )
        return tuple(lowering.statements)

    def _numbers(self, lowering: Lowering, lowered: dict[Block, Expr]) -> None:
        """The derivatives by the scalar blocks; common subexpressions are computed once."""
        cells = {b: self._result(b) for b in lowered}
        values = [
            (Symbol(self.namer.fresh(f"{b.name}_sum"), real=True), SCALE * cells[b] + e)
            for b, e in lowered.items()
        ]
        stores = {local: cells[b] for b, (local, _) in zip(lowered, values, strict=True)}
        lowering.statements += [
            Let(s, e, stores.get(s)) for s, e in with_common_parts(values, self.namer)
        ]

    def _sweep(self, lowering: Lowering, length: Length, lowered: dict[Block, Expr]) -> None:
        cells = {b: self._result(b) for b in lowered}
        values = [
            (Symbol(self.namer.fresh(f"{b.name}_sum"), real=True), SCALE * cells[b] + e)
            for b, e in lowered.items()
        ]
        stores = {cells[b]: local for b, (local, _) in zip(lowered, values, strict=True)}
        lowering.sweep(
            length, values, stores, [f"gradient of the prior by {b}" for b in lowered], "add_prior"
        )

    def _result(self, block: Block) -> Cell:
        """The number of the gradient by a scalar block, or that by a vector at its coordinate."""
        return Array("", self.results[block])["0" if isinstance(block, Scalar) else "i"]

    @singledispatchmethod
    def leaf(self, e: Expr, label: int) -> Expr:
        """The symbol that a parameter or a length is read from."""
        return self.common.read(e)

    @leaf.register
    def _(self, e: Vector, label: int) -> Expr:
        return Array("", self.blocks[e.at(GENERIC)])["i"]

    @leaf.register
    def _(self, e: Scalar, label: int) -> Expr:
        return self.number[e]

    @leaf.register
    def _(self, e: VectorData, label: int) -> Expr:
        return Datum(Array("data", self.fields[e.at(GENERIC)]), "row", "i")

    @leaf.register
    def _(self, e: ScalarData, label: int) -> Expr:
        return Datum(Array("data", self.fields[e]), "row")

    @leaf.register
    def _(self, e: Partial, label: int) -> Expr:
        raise unbound(e.head)

    def matrix(self, M: Dense) -> Array:
        raise unbound(M)

    def reserve(self, wish: str, length: Length | None) -> Array:
        raise unbound(wish)


def data_fields(
    posteriors: Mapping[Potential, Posterior], taken: Namer
) -> dict[Potential, dict[Symbol, str]]:
    """A field of ``Data`` for every array of every posterior."""
    return {
        U: {s: taken.fresh(name_of(s)) for s, _ in posterior.data}
        for U, posterior in posteriors.items()
    }
