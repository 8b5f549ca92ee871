"""Entries of the block matrices D and Q, and products with them.

An entry between two blocks has one of four types: ``Coupling`` (vector, vector), ``Column``
(vector, scalar), ``Row`` (scalar, vector) or ``Number`` (scalar, scalar). A ``Coupling`` is
``diag(diagonal)`` plus a kernel ``K(i, j)``, which comes from ``outer`` and ``Dense`` and is
written at the labels GENERIC (row) and OTHER (column).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from sympy import Add, Expr, Mul, S

from recipe.language.abstract import Dense, DenseEntry, TransposedDense
from recipe.language.as_expression import as_expression
from recipe.language.blocks import Block, Vector
from recipe.language.calculus import explicit, partial
from recipe.language.errors import RecipeError
from recipe.language.symbols import GENERIC, OTHER
from recipe.language.total import free_indexed, labels, relabel, sum_over, swap_free


class Outer(Expr):
    """The rank-one matrix ``u v^T``; ``outer`` makes it."""

    is_commutative = True

    def __new__(cls, u: Any, v: Any) -> Expr:
        u, v = as_expression(u, "outer(...)"), as_expression(v, "outer(...)")
        if u == 0 or v == 0:
            return S.Zero
        return Expr.__new__(cls, u, v)  # type: ignore[no-any-return]

    def _sympystr(self, printer: Any) -> str:
        return f"outer({', '.join(printer.doprint(a) for a in self.args)})"


def outer(u: Any, v: Any) -> Expr:
    """The rank-one matrix with entries ``u_i v_j``, a summand of an entry of D or Q between two
    vector blocks.

    Args:
        u: the generic coordinate of a vector as long as the row block.
        v: the generic coordinate of a vector as long as the column block.

    Returns:
        The matrix; 0 where u or v is 0. A number may multiply it from outside. A factor that
        differs from row to row stands inside: ``outer(theta*u, v)``.

    Raises:
        RecipeError: where u or v is not an expression.

    Example:
        >>> from recipe import Vector, outer
        >>> theta = Vector("theta")
        >>> theta - outer(theta, theta)
        theta - outer(theta, theta)
    """
    return Outer(u, v)


@dataclass(frozen=True)
class Coupling:
    """An entry between two vector blocks: ``delta_ij * diagonal_i + kernel_ij``."""

    diagonal: Expr
    kernel: Expr


@dataclass(frozen=True)
class Column:
    """An entry between a vector row block and a scalar column block: ``value`` is its generic
    coordinate.
    """

    value: Expr


@dataclass(frozen=True)
class Row:
    """An entry between a scalar row block and a vector column block: ``value`` is its generic
    coordinate.
    """

    value: Expr


@dataclass(frozen=True)
class Number:
    """An entry between two scalar blocks."""

    value: Expr


Entry = Coupling | Column | Row | Number


MATRICES = (Outer, Dense, TransposedDense)


def matrices_in(e: Expr) -> list[Expr]:
    """The matrices in an expression; the factor M of a product ``dot(M, v)`` is not one of them."""
    if isinstance(e, MATRICES):
        return [e]
    return [] if isinstance(e, DenseEntry) else [m for a in e.args for m in matrices_in(a)]


def read_entry(e: Expr, row: Block, column: Block, where: str) -> Entry:
    """Return the entry of D or Q that an expression means between a row block and a column block.

    Raises:
        RecipeError: at the place ``where``, if the expression does not fit between these blocks.
    """
    if isinstance(row, Vector) and isinstance(column, Vector):
        return _read_coupling(e, row, column, where)
    guilty = next(iter(matrices_in(e)), None)
    if guilty is not None:
        raise RecipeError(
            f"{where}: {guilty} stands between {row} and {column}; outer and Dense need two vector"
            " blocks"
        )
    if isinstance(row, Vector):
        return Column(_of_length(e, row, where))
    if isinstance(column, Vector):
        return Row(_of_length(e, column, where))
    if GENERIC in labels(e):
        raise RecipeError(f"{where} = {e} is a vector where a number must be: sum it, total({e})")
    return Number(e)


def zero_entry(row: Block, column: Block) -> Entry:
    """The entry between two blocks that is 0."""
    if isinstance(row, Vector):
        return Coupling(S.Zero, S.Zero) if isinstance(column, Vector) else Column(S.Zero)
    return Row(S.Zero) if isinstance(column, Vector) else Number(S.Zero)


def _read_coupling(e: Expr, row: Vector, column: Vector, where: str) -> Coupling:
    """Read an entry between two vectors: a sum of a diagonal, ``outer(u, v)`` and ``Dense``
    matrices with number factors.
    """
    diagonal, kernel = S.Zero, S.Zero
    for term in Add.make_args(e.expand(deep=False) if matrices_in(e) else e):
        matrices = [f for f in Mul.make_args(term) if isinstance(f, MATRICES)]
        rest = Mul(*(f for f in Mul.make_args(term) if not isinstance(f, MATRICES)))
        if len(matrices) > 1 or matrices_in(rest):
            raise RecipeError(
                f"{where}: {term} is not a sum of diagonals, outer(u, v) and Dense matrices with"
                " number factors"
            )
        if not matrices:
            diagonal += term
        elif GENERIC in labels(rest):
            repair = (
                f"outer({rest}*u, v)"
                if isinstance(matrices[0], Outer)
                else "a Dense matrix scaled by numbers only"
            )
            raise RecipeError(
                f"{where}: the factor {rest} of {matrices[0]} is a vector; write row scaling as"
                f" {repair}"
            )
        else:
            kernel += rest * _kernel(matrices[0], row, column, where)
    if diagonal != 0 and row.length != column.length:
        raise RecipeError(
            f"{where} = {diagonal} would be diagonal, but {row} and {column} have different"
            f" lengths: use outer(u, v) or Dense, or declare {column} with like={row}"
        )
    return Coupling(_of_length(diagonal, row, where), kernel)


def _kernel(matrix: Expr, row: Vector, column: Vector, where: str) -> Expr:
    """The kernel ``K(i, j)`` of one matrix, whose shape must be that of the two blocks."""
    if isinstance(matrix, Outer):
        return _outer_kernel(matrix, row, column, where)
    straight = isinstance(matrix, Dense)
    M = matrix if straight else matrix.matrix
    rows, columns = (M.row, M.column) if straight else (M.column, M.row)
    if (rows.length, columns.length) != (row.length, column.length):
        raise RecipeError(
            f"{where}: {matrix} has the shape of {rows} by {columns}, not of {row} by {column}"
        )
    return M.entry(GENERIC, OTHER) if straight else M.entry(OTHER, GENERIC)


def _outer_kernel(matrix: Outer, row: Vector, column: Vector, where: str) -> Expr:
    u, v = matrix.args
    inside = next(iter([*matrices_in(u), *matrices_in(v)]), None)
    if inside is not None:
        raise RecipeError(
            f"{where}: {inside} is a matrix inside of {matrix}; outer(u, v) takes vectors, and"
            " dot(M, v) makes one"
        )
    return _of_length(u, row, where) * relabel(_of_length(v, column, where), GENERIC, OTHER)


def _of_length(e: Expr, block: Vector, where: str) -> Expr:
    """Return the expression if all vectors in it are as long as the block."""
    for s in sorted(free_indexed(e), key=str):
        if s.length != block.length:
            raise RecipeError(
                f"{where}: {s} has another length than {block}; declare it with like={block}, or"
                " sum it, total(...)"
            )
    return e


@singledispatch
def apply(entry: Entry, w: Expr, column: Block) -> Expr:
    """The product of an entry with the component ``w`` of a vector field in its column block."""
    raise TypeError(entry)


@apply.register
def _(entry: Coupling, w: Expr, column: Vector) -> Expr:
    return entry.diagonal * w + sum_over(
        entry.kernel * relabel(w, GENERIC, OTHER), OTHER, column.length
    )


@apply.register(Column)
@apply.register(Number)
def _(entry: Column | Number, w: Expr, column: Block) -> Expr:
    return entry.value * w


@apply.register
def _(entry: Row, w: Expr, column: Vector) -> Expr:
    return sum_over(entry.value * w, GENERIC, column.length)


@singledispatch
def divergence_of(entry: Entry, column: Block) -> Expr:
    """The divergence ``sum_j d entry_ij / d column_j``."""
    raise TypeError(entry)


@divergence_of.register
def _(entry: Coupling, column: Vector) -> Expr:
    # sum_j dK_ij/dc_j: the derivative by c_i where it is written in K itself (at j = i), and the
    # derivative of the rest, summed over j
    own = relabel(explicit(entry.kernel, column.at(GENERIC)), OTHER, GENERIC)
    rest = sum_over(partial(entry.kernel, column.at(OTHER)), OTHER, column.length)
    return partial(entry.diagonal, column) + own + rest


@divergence_of.register(Column)
@divergence_of.register(Number)
def _(entry: Column | Number, column: Block) -> Expr:
    return partial(entry.value, column)


@divergence_of.register
def _(entry: Row, column: Vector) -> Expr:
    return sum_over(partial(entry.value, column), GENERIC, column.length)


@singledispatch
def transposed(entry: Entry) -> Entry:
    """The transpose of an entry."""
    raise TypeError(entry)


@transposed.register
def _(entry: Coupling) -> Entry:
    return Coupling(entry.diagonal, swap_free(entry.kernel, GENERIC, OTHER))


@transposed.register
def _(entry: Column) -> Entry:
    return Row(entry.value)


@transposed.register
def _(entry: Row) -> Entry:
    return Column(entry.value)


@transposed.register
def _(entry: Number) -> Entry:
    return entry


def parts(entry: Entry) -> tuple[Expr, ...]:
    """The expressions that an entry consists of; it is zero for every length if and only if all of
    them are zero.
    """
    return (entry.diagonal, entry.kernel) if isinstance(entry, Coupling) else (entry.value,)


def is_diagonal(entry: Entry) -> bool:
    """Return True if the entry couples no two different coordinates of two vectors."""
    return not isinstance(entry, Coupling) or bool(entry.kernel == 0)


def combine(a: Entry, b: Entry, sign: int = 1) -> Entry:
    """``a + sign * b`` for two entries between the same blocks."""
    return type(a)(*(x + sign * y for x, y in zip(parts(a), parts(b), strict=True)))


def is_zero_entry(entry: Entry) -> bool:
    """Return True if every expression of the entry is written as 0."""
    return all(p == 0 for p in parts(entry))
