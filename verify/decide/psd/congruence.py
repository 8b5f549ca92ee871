"""Diagonalise a symmetric matrix by a congruence, whatever its signs: ``A = sum of weight * column
column^T``.
"""

from __future__ import annotations

from dataclasses import dataclass

from verify.decide.psd.field import RatioField, Rows
from verify.decide.zero.ratio import Ratio


@dataclass(frozen=True)
class Congruence:
    """``A = T diag(weights) T^T`` with an invertible T; ``inverse`` is T^-1."""

    T: Rows
    inverse: Rows
    weights: list[Ratio]


def diagonalise(matrix: Rows, field: RatioField) -> Congruence:
    """Diagonalise by symmetric elimination.

    Where no pivot remains but a row is not zero, another row is added to it first.
    """
    n = len(matrix)
    # A = back * matrix * back^T and back * forth = I throughout
    A, back, forth = [list(row) for row in matrix], field.unit(n), field.unit(n)
    left = list(range(n))
    while left:
        place = next((k for k in left if not A[k][k].is_zero()), None)
        if place is None:
            pair = next(((k, m) for k in left for m in left if not A[k][m].is_zero()), None)
            if pair is None:
                break
            _add_row(A, back, forth, pair[0], pair[1], field.one, field)
            place = pair[0]
        for k in left:
            if k != place and not A[k][place].is_zero():
                _add_row(A, back, forth, k, place, -(A[k][place] / A[place][place]), field)
        left.remove(place)
    return Congruence(forth, back, [A[k][k] for k in range(n)])


def _add_row(
    A: Rows, back: Rows, forth: Rows, to: int, place: int, share: Ratio, field: RatioField
) -> None:
    """Add ``share`` times the row and column ``place`` to the row and column ``to``."""
    n = range(len(A))
    for M in (A, back):
        M[to] = [field.reduced(M[to][m] + share * M[place][m]) for m in n]
    for k in n:
        A[k][to] = field.reduced(A[k][to] + share * A[k][place])
        forth[k][place] = field.reduced(forth[k][place] - share * forth[k][to])
