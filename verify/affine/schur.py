"""When all eigenvalues of M lie inside the unit circle.

The characteristic polynomial is taken by ``z = (1 + s) / (1 - s)`` from the unit disc to the left half plane, where the criterion
of Liénard and Chipart decides: all coefficients positive, and every second Hurwitz determinant (Gantmacher 1959, "The Theory of
Matrices", volume 2, chapter XV, sections 13 and 15). For two coordinates these are Jury's conditions on trace and determinant.
"""

from __future__ import annotations

import math

from verify.affine.exact import Exact, Table
from verify.zero.ratio import Ratio


def positive_when_stable(exact: Exact, M: Table) -> list[Ratio]:
    """Numbers that are all positive if and only if the spectral radius of M is below one."""
    moved = _in_half_plane(exact, characteristic(exact, M))
    n = len(moved) - 1
    return [*moved, *(_hurwitz(exact, moved, size) for size in range(n - 1, 1, -2))]


def characteristic(exact: Exact, M: Table) -> list[Ratio]:
    """The coefficients of ``det(z - M)``, the lowest first (Faddeev and LeVerrier)."""
    n = len(M)
    coefficients = [exact.one]
    power = M
    for k in range(1, n + 1):
        trace = sum((power[a][a] for a in range(n)), exact.zero)
        c = exact.reduced(-trace * exact.canonical.generators.number(1, k))
        coefficients.insert(0, c)
        shifted = [[x + c if a == b else x for b, x in enumerate(row)] for a, row in enumerate(power)]
        power = exact.product(M, shifted)
    return coefficients


def _in_half_plane(exact: Exact, p: list[Ratio]) -> list[Ratio]:
    """The coefficients of ``(1 - s)^n p((1 + s) / (1 - s))``, the lowest first."""
    n = len(p) - 1
    result = [exact.zero] * (n + 1)
    for j, c in enumerate(p):
        for a in range(j + 1):
            for b in range(n - j + 1):
                number = math.comb(j, a) * math.comb(n - j, b) * (-1) ** b
                result[a + b] += c * exact.canonical.generators.number(number)
    return [exact.reduced(c) for c in result]


def _hurwitz(exact: Exact, c: list[Ratio], size: int) -> Ratio:
    """The leading minor of the Hurwitz matrix, whose entry ``(i, j)`` is ``c[n - 2 j + i]`` counted from 1."""
    n = len(c) - 1

    def entry(i: int, j: int) -> Ratio:
        k = n - 2 * (j + 1) + (i + 1)
        return c[k] if 0 <= k <= n else exact.zero

    return exact.reduced(_determinant(exact, [[entry(i, j) for j in range(size)] for i in range(size)]))


def _determinant(exact: Exact, A: Table) -> Ratio:
    if not A:
        return exact.one
    minors = ([row[:k] + row[k + 1 :] for row in A[1:]] for k in range(len(A)))
    terms = (a * _determinant(exact, minor) for a, minor in zip(A[0], minors, strict=True))
    return sum((t if k % 2 == 0 else -t for k, t in enumerate(terms)), exact.zero)
