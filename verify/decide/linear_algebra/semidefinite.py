"""Elimination of a symmetric rational matrix: a factor, or a direction in which the matrix is
negative.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

Numbers = list[list[Fraction]]


@dataclass(frozen=True)
class Indefinite:
    """A vector x with ``x^T A x < 0``, which proves that A is not positive semidefinite."""

    direction: tuple[Fraction, ...]


def eliminate(matrix: Numbers) -> list[tuple[tuple[Fraction, ...], Fraction]] | Indefinite:
    """Decide exactly whether a symmetric rational matrix A is positive semidefinite.

    If it is, return (column, weight) pairs with positive weights and ``A = sum of weight * column
    column^T``; otherwise a direction in which A is negative.
    """
    n = range(len(matrix))
    A = [list(row) for row in matrix]
    # A[a][b] is basis[a]^T matrix basis[b] throughout
    basis = [[Fraction(int(a == b)) for b in n] for a in n]
    left = list(n)
    found: list[tuple[tuple[Fraction, ...], Fraction]] = []
    while left:
        place = max(left, key=lambda k: A[k][k])
        lowest = min(left, key=lambda k: A[k][k])
        if A[lowest][lowest] < 0:
            return Indefinite(tuple(basis[lowest]))
        if A[place][place] == 0:
            off_diagonal = next(((k, m) for k in left for m in left if A[k][m] != 0), None)
            return (
                found
                if off_diagonal is None
                else Indefinite(_across(basis, off_diagonal, A[off_diagonal[0]][off_diagonal[1]]))
            )
        column = tuple(A[k][place] / A[place][place] if k in left else Fraction(0) for k in n)
        found.append((column, A[place][place]))
        left.remove(place)
        row = list(A[place])
        for k in left:
            basis[k] = [x - column[k] * y for x, y in zip(basis[k], basis[place], strict=True)]
            for m in left:
                A[k][m] -= column[k] * row[m]
    return found


def _across(basis: Numbers, pair: tuple[int, int], between: Fraction) -> tuple[Fraction, ...]:
    """A negative direction from two directions with zero squares and a nonzero product: their
    difference or sum.
    """
    sign = -1 if between > 0 else 1
    return tuple(x + sign * y for x, y in zip(basis[pair[0]], basis[pair[1]], strict=True))
