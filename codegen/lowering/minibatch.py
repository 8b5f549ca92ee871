"""Lower the gradient of a posterior to statements: what one row of the data contributes, the sum
over rows, its scale, and the gradient of the prior.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import singledispatchmethod

from sympy import Expr, S, Symbol

from codegen.lowering.lower import Lowering, factor_of, unbound, with_common_parts
from codegen.lowering.names import Namer
from codegen.lowering.places import Array, Cell, Datum, OneHot, at_label
from codegen.lowering.shared_sums import share_long_sums
from codegen.lowering.shared_symbols import CommonLeaves
from codegen.lowering.statements import Let, RowsJoin, Statement, Sums
from recipe.declare.posterior import Posterior
from recipe.language.abstract import Dense, Partial, Potential
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.data import ScalarData, VectorData
from recipe.language.errors import RecipeError
from recipe.language.symbols import GENERIC, Length, name_of

SCALE = Symbol("scale", positive=True)
VALUE = Symbol("value", real=True)


@dataclass(frozen=True)
class RowSum:
    """``scale * (sum over rows) + prior``, the form of a potential and of its gradient.

    Attributes:
        before: the statements that read the scalar blocks.
        each_datum: the statements that compute numbers of one row.
        joins: the statements that add the contribution of one row to the results.
        after: the statements that scale the results and add the prior.
        sizes: the local variable of each length that is used as a number.
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
    """The potential itself.

    Attributes:
        function: the name of the function that computes it.
        sum: the sum over rows that it computes.
    """

    function: str
    sum: RowSum


@dataclass(frozen=True)
class PosteriorGradient:
    """The gradient of one potential, computed from rows of the data of its posterior.

    Attributes:
        potential: the potential.
        posterior: the posterior that it is bound to.
        function: the name of the function that computes the gradient.
        results: the names of the arguments that receive the gradient, one a block.
        blocks: the names of the arguments with the blocks.
        fields: the field of ``Data`` that holds each datum.
        derived: the sum over rows, derived from the likelihood; None where a gradient function of
            the user is called.
        value: the potential itself; None if no test needs it.
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
    """Return the gradient of ``U = -log_prior - sum over data of log_likelihood``.

    Args:
        potential: U.
        posterior: its data, and its prior and likelihood.
        settings: the field of ``Params`` that holds each parameter.
        fields: the field of ``Data`` that holds each datum.
        namer: gives names that nothing else in the module has.
        valued: True if a Metropolis test compares values of U, so that U itself is lowered as well.

    Raises:
        RecipeError: where ``valued`` is True and the posterior has no log_likelihood.
    """
    builder = _Builder(potential, settings, fields, namer)
    if valued and posterior.log_likelihood is None:
        raise RecipeError(
            f"a Metropolis test compares values of {potential}, and its Posterior has no"
            " log_likelihood; give it one"
        )
    value = (
        Value(namer.fresh(f"potential_{potential.name}"), builder.value(posterior))
        if valued
        else None
    )
    if posterior.user_gradient is not None:
        return builder.built(posterior, None, value)
    gradient = builder.gradient(posterior)
    if value is not None:
        value = replace(value, sum=_with_functions_of(gradient, value.sum))
    return builder.built(posterior, gradient, value)


def posterior_density(
    potential: Potential,
    posterior: Posterior,
    settings: Mapping[Symbol, str],
    fields: Mapping[Symbol, str],
    namer: Namer,
) -> tuple[PosteriorGradient, RowSum]:
    """Return the gradient of the potential of a posterior, and the potential itself.

    The gradient is derived from the likelihood, even if the posterior has a gradient function of
    the user. The arguments are those of ``posterior_gradient``.
    """
    builder = _Builder(potential, settings, fields, namer)
    gradient = builder.gradient(posterior)
    value = _with_functions_of(gradient, builder.value(posterior))
    return builder.built(posterior, gradient, None), value


def _with_functions_of(gradient: RowSum, value: RowSum) -> RowSum:
    """Return a potential whose sums over coordinates are computed by the functions of its gradient,
    where that has the same sums.
    """
    known = {(s.length, s.values): s.function for s in gradient.each_datum if isinstance(s, Sums)}
    each = (
        replace(s, function=known.get((s.length, s.values), s.function))
        if isinstance(s, Sums)
        else s
        for s in value.each_datum
    )
    return replace(value, each_datum=tuple(each))


class _Builder:
    """The gradient of a posterior under construction, with the names of its arguments."""

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
        """Return the gradient with its names, the derived sum and the potential itself."""
        function = self.namer.fresh(f"gradient_{self.potential.name}")
        results, blocks = tuple(self.results.values()), tuple(self.blocks.values())
        return PosteriorGradient(
            self.potential, posterior, function, results, blocks, self.fields, derived, value
        )

    def gradient(self, posterior: Posterior) -> RowSum:
        """Return the sum over rows that computes the gradient of the potential."""
        each = self.joined(posterior.datum_gradient)
        return RowSum(
            self.before(), *each, self.scaled(posterior.prior_gradient), self.common.sizes
        )

    def value(self, posterior: Posterior) -> RowSum:
        """Return the sum over rows that computes the potential itself."""
        assert posterior.log_likelihood is not None
        lowering = Lowering(self.leaf, self.namer, self.matrix, self.reserve)
        joins: tuple[RowsJoin, ...] = ()
        if posterior.log_likelihood != 0:  # that of a prior alone
            term = lowering.let(lowering.lower(-posterior.log_likelihood), "value_of_row")
            joins = (RowsJoin("", None, (VALUE,), (VALUE,), (term,), ()),)
        prior = Lowering(self.leaf, self.namer, self.matrix, self.reserve)
        value = prior.lower(-posterior.log_prior)
        after = (*prior.statements, Let(VALUE, SCALE * VALUE + value))
        return RowSum(self.before(), tuple(lowering.statements), joins, after, self.common.sizes)

    def before(self) -> tuple[Statement, ...]:
        """Return the statements that read the scalar blocks."""
        return tuple(Let(s, Array("", self.blocks[b])["0"]) for b, s in self.number.items())

    def joined(
        self, gradient: dict[Block, Expr]
    ) -> tuple[tuple[Statement, ...], tuple[RowsJoin, ...]]:
        """Return the statements that compute the numbers of a row, and those that add the
        contribution of the row to the results.

        Args:
            gradient: the derivative of the potential of one row by each block.
        """
        lowering = Lowering(self.leaf, self.namer, self.matrix, self.reserve)
        every = lowering.lower_all({b: gradient[b] for b in self.potential.blocks})
        lowered = {b: e for b, e in every.items() if e != 0}
        shared, lowered = share_long_sums(lowered, self.namer)
        numbers = [(b, self._result(b), e) for b, e in lowered.items() if isinstance(b, Scalar)]
        vectors = {b: e for b, e in lowered.items() if isinstance(b, Vector)}
        for b, e in vectors.items():
            labelled, vectors[b] = _apart(e, self._result(b))
            numbers += [(b, cell, added) for cell, added in labelled.items()]
        values = [
            (Symbol(self.namer.fresh(f"{b.name}_of_row"), real=True), e) for b, _, e in numbers
        ]
        lowering.statements += [
            Let(s, e) for s, e in with_common_parts([*shared, *values], self.namer)
        ]
        sums, cells = tuple(s for s, _ in values), tuple(cell for _, cell, _ in numbers)
        joins = [RowsJoin("", None, cells, sums, sums, ())] if numbers else []
        for length in dict.fromkeys(b.length for b, e in vectors.items() if e != 0):
            of_length = {
                b: lowering.hoisted(e) for b, e in vectors.items() if b.length == length and e != 0
            }
            joins.append(self._join(length, of_length))
        return tuple(lowering.statements), tuple(joins)

    def _join(self, length: Length, values: dict[Vector, Expr]) -> RowsJoin:
        """Return the statement that adds the values of one row to the results, for all blocks of
        one length.
        """
        function = self.namer.fresh("add_datum")
        cells = tuple(self._result(b) for b in values)
        sums = tuple(Symbol(self.namer.fresh(f"{b.name}_sum"), real=True) for b in values)
        comments = tuple(f"gradient of the datum by {b}" for b in values)
        return RowsJoin(function, length, cells, sums, tuple(values.values()), comments)

    def scaled(self, gradient: dict[Block, Expr]) -> tuple[Statement, ...]:
        """Return the statements that scale the results and add the gradient of the prior.

        Args:
            gradient: the derivative of ``-log_prior`` by each block.
        """
        lowering = Lowering(self.leaf, self.namer, self.matrix, self.reserve)
        lowered = lowering.lower_all({b: gradient[b] for b in self.potential.blocks})
        self._numbers(lowering, {b: e for b, e in lowered.items() if isinstance(b, Scalar)})
        for length in dict.fromkeys(b.length for b in lowered if isinstance(b, Vector)):
            self._sweep(
                lowering,
                length,
                {b: e for b, e in lowered.items() if b.length == length},
            )
        return tuple(lowering.statements)

    def _numbers(self, lowering: Lowering, lowered: dict[Block, Expr]) -> None:
        """Append the statements that finish the derivatives by the scalar blocks; they compute
        common subexpressions once.
        """
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
        """Append the loop that finishes the derivatives by the vectors of one length."""
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
        """Return the cell with the derivative by a scalar block, or by a vector at coordinate
        ``i``.
        """
        return Array("", self.results[block])["0" if isinstance(block, Scalar) else "i"]

    @singledispatchmethod
    def leaf(self, e: Expr, label: int) -> Expr:
        """Return the symbol from which the text reads a leaf of an expression; the label of the sum
        around it is not used.

        Raises:
            RecipeError: for a function that is not bound.
        """
        return self.common.read(e)

    @leaf.register
    def _(self, e: Vector, label: int) -> Expr:
        return Array("", self.blocks[e.at(GENERIC)])["i"]

    @leaf.register
    def _(self, e: Scalar, label: int) -> Expr:
        return self.number[e]

    @leaf.register
    def _(self, e: VectorData, label: int) -> Expr:
        if e.labels is not None:
            return OneHot(Array("data", self.fields[e.at(GENERIC)]), "i")
        return Datum(Array("data", self.fields[e.at(GENERIC)]), "row", "i")

    @leaf.register
    def _(self, e: ScalarData, label: int) -> Expr:
        return Datum(Array("data", self.fields[e]), "row")

    @leaf.register
    def _(self, e: Partial, label: int) -> Expr:
        raise unbound(e.head)

    def matrix(self, M: Dense) -> Array:
        """Raise an error: a posterior has no constant matrices."""
        raise unbound(M)

    def reserve(self, wish: str, length: Length | None) -> Array:
        """Raise an error: the functions of a posterior have no scratch arrays."""
        raise unbound(wish)


def _apart(e: Expr, result: Cell) -> tuple[dict[Cell, Expr], Expr]:
    """Return what a row adds to the coordinates of a result that its labels name, by cell, and what
    it adds to every coordinate.
    """
    labelled = {}
    for hot in sorted(e.atoms(OneHot), key=str):
        rest = e.xreplace({hot: S.Zero})
        labelled[result.moved(result.array, hot.index)] = at_label(factor_of(hot, e - rest), hot)
        e = rest
    return labelled, e


def data_fields(
    posteriors: Mapping[Potential, Posterior], taken: Namer
) -> dict[Potential, dict[Symbol, str]]:
    """Return the field of ``Data`` for every array of every posterior, by potential and symbol."""
    return {
        U: {s: taken.fresh(name_of(s)) for s, _ in posterior.data}
        for U, posterior in posteriors.items()
    }
