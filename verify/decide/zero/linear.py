"""Exact linear algebra over rational functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from verify.decide.zero.ratio import Ratio

Sparse = Mapping[tuple[int, ...], Ratio]


def solve(columns: Sequence[Sparse], target: Sparse, zero: Ratio) -> list[Ratio] | None:
    """Solve ``sum of weights * columns = target`` for rational functions as weights.

    Columns and target are sparse vectors with the same kind of keys. Weights that remain free are
    zero; None if there is no solution.
    """
    rows_named = list(dict.fromkeys(key for vector in (*columns, target) for key in vector))
    rows = [[vector.get(key, zero) for vector in (*columns, target)] for key in rows_named]
    pivots: list[int] = []
    for column in range(len(columns)):
        rank = len(pivots)
        found = next((r for r in range(rank, len(rows)) if not rows[r][column].is_zero()), None)
        if found is None:
            continue
        rows[rank], rows[found] = rows[found], rows[rank]
        inverse = rows[rank][column].inverse()
        rows[rank] = [x * inverse for x in rows[rank]]
        for r in range(len(rows)):
            if r != rank and not rows[r][column].is_zero():
                factor = rows[r][column]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[rank], strict=True)]
        pivots.append(column)
    if any(not row[-1].is_zero() for row in rows[len(pivots) :]):
        return None
    weights = [zero] * len(columns)
    for row, column in zip(rows, pivots, strict=False):
        weights[column] = row[-1]
    return weights
