"""Multiply out ``B W B^T``, block by block and for every length: the matrix that a factor claims D
to be.
"""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Expr, S

from recipe.language.abstract import Dense
from recipe.language.blocks import Block, Vector
from recipe.language.entry import Column, Coupling, Entry, Number, Row, combine
from recipe.language.symbols import GENERIC, OTHER
from recipe.language.total import relabel, sum_over
from verify.evidence import FactorColumn

SUMMED_LABEL = -2  # of the index between B, W and B^T
SPARE_LABEL = -3  # used while two labels are exchanged


def entry_of_product(columns: Iterable[FactorColumn], row: Block, column: Block) -> Entry:
    """The entry of ``B W B^T`` in the given row and column of blocks."""
    result = _zero(row, column)
    for c in columns:
        rows = dict(c.entries)
        if row in rows and column in rows:
            result = combine(result, _summand(c, rows[row], rows[column], row, column))
    return result


def _zero(row: Block, column: Block) -> Entry:
    if isinstance(row, Vector):
        return Coupling(S.Zero, S.Zero) if isinstance(column, Vector) else Column(S.Zero)
    return Row(S.Zero) if isinstance(column, Vector) else Number(S.Zero)


def _summand(c: FactorColumn, left: Entry, right: Entry, row: Block, column: Block) -> Entry:
    i, j = GENERIC, OTHER if isinstance(row, Vector) and isinstance(column, Vector) else GENERIC
    if c.length is None:
        return _entry(row, column, S.Zero, c.weight * left.value * relabel(right.value, GENERIC, j))  # type: ignore[union-attr]
    here, there = _diagonal(left, i), _diagonal(right, j)
    if c.matrix is not None:
        return _entry(
            row, column, S.Zero, c.weight * here * _matrix_entry(c.matrix, left, right) * there
        )

    def weight(label: int) -> Expr:
        return relabel(c.weight, GENERIC, label)

    off = here * weight(i) * _beside(right, j, i) + _beside(left, i, j) * weight(j) * there
    off += sum_over(
        _beside(left, i, SUMMED_LABEL) * weight(SUMMED_LABEL) * _beside(right, j, SUMMED_LABEL),
        SUMMED_LABEL,
        c.length,
    )
    return _entry(row, column, here * weight(i) * _diagonal(right, i), off)


def _matrix_entry(matrix: Dense, left: Entry, right: Entry) -> Expr:
    if not (
        isinstance(left, Coupling)
        and isinstance(right, Coupling)
        and left.kernel == 0
        and right.kernel == 0
    ):
        raise TypeError("a column with a matrix has diagonal entries only")
    return matrix.entry(GENERIC, OTHER)


def _entry(row: Block, column: Block, diagonal: Expr, off: Expr) -> Entry:
    zero = _zero(row, column)
    return Coupling(diagonal, off) if isinstance(zero, Coupling) else type(zero)(off)


def _diagonal(entry: Entry, label: int) -> Expr:
    return relabel(entry.diagonal, GENERIC, label) if isinstance(entry, Coupling) else S.Zero


def _beside(entry: Entry, row: int, column: int) -> Expr:
    """The off-diagonal part of an entry of B at a given row and column."""
    if isinstance(entry, Coupling):
        return relabel(
            relabel(relabel(entry.kernel, OTHER, SPARE_LABEL), GENERIC, row), SPARE_LABEL, column
        )
    return relabel(entry.value, GENERIC, column)
