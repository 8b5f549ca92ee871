"""The smallest eigenvalue of a symmetric matrix in floating point, for proposals alone."""

from __future__ import annotations

import math

MAX_SWEEPS = 50  # rotations converge quadratically: some ten sweeps are enough


def smallest_eigenvalue(matrix: list[list[float]]) -> float:
    """Return about the smallest eigenvalue, by Jacobi's (1846) rotations; the lower triangle is
    read.

    Infinite or undefined numbers give NaN.
    """
    n = len(matrix)
    size = max((abs(matrix[i][j]) for i in range(n) for j in range(i + 1)), default=0.0)
    if not math.isfinite(size) or any(math.isnan(c) for row in matrix for c in row):
        return math.nan
    if size == 0.0:
        return 0.0
    A = [[matrix[max(i, j)][min(i, j)] / size for j in range(n)] for i in range(n)]
    for _ in range(MAX_SWEEPS):
        if all(abs(A[i][j]) <= 1e-17 for i in range(n) for j in range(i)):
            break
        for i in range(n):
            for j in range(i):
                if A[i][j]:
                    _rotate(A, i, j)
    return size * min(A[i][i] for i in range(n))


def _rotate(A: list[list[float]], i: int, j: int) -> None:
    """Rotate the coordinates i and j so that the entry of both becomes zero."""
    ratio = (A[j][j] - A[i][i]) / (2 * A[i][j])
    tangent = math.copysign(1.0, ratio) / (abs(ratio) + math.hypot(ratio, 1.0))
    cosine = 1 / math.hypot(tangent, 1.0)
    sine = tangent * cosine
    for row in A:
        row[i], row[j] = cosine * row[i] - sine * row[j], sine * row[i] + cosine * row[j]
    A[i], A[j] = (
        [cosine * a - sine * b for a, b in zip(A[i], A[j], strict=True)],
        [sine * a + cosine * b for a, b in zip(A[i], A[j], strict=True)],
    )
    A[i][j] = A[j][i] = 0.0
