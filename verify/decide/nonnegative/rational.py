"""Elimination of a symmetric matrix of rational numbers: its factor, or a direction in which it is
negative.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

Numbers = list[list[Fraction]]


@dataclass(frozen=True)
class Indefinite:
    """A vector x with ``x^T A x < 0``."""

    direction: tuple[Fraction, ...]


def eliminate(matrix: Numbers) -> list[tuple[tuple[Fraction, ...], Fraction]] | Indefinite:
    """``A = sum of weight * column column^T`` as (column, weight), or a direction that shows that
    there is no such sum.
    """
    n = range(len(matrix))
    A = [list(row) for row in matrix]
    basis = [
        [Fraction(int(a == b)) for b in n] for a in n
    ]  # A[a][b] is what the matrix gives for basis[a] and basis[b]
    left = list(n)
    found: list[tuple[tuple[Fraction, ...], Fraction]] = []
    while left:
        place = max(left, key=lambda k: A[k][k])
        lowest = min(left, key=lambda k: A[k][k])
        if A[lowest][lowest] < 0:
            return Indefinite(tuple(basis[lowest]))
        if A[place][place] == 0:
            bad = next(((k, m) for k in left for m in left if A[k][m] != 0), None)
            return found if bad is None else Indefinite(_across(basis, bad, A[bad[0]][bad[1]]))
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
    """Two directions whose squares are zero and whose product is not: their difference or sum is
    negative.
    """
    sign = -1 if between > 0 else 1
    return tuple(x + sign * y for x, y in zip(basis[pair[0]], basis[pair[1]], strict=True))
