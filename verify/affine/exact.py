"""Exact linear algebra with the entries of an affine map, as ratios of polynomials (``verify.zero.canonical``).

What is an identity in independent symbols is one for the exponentials that some of them stand for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sympy import Expr, ImmutableDenseMatrix, expand

from verify.affine.decay import Decays, decays_in
from verify.zero.canonical import Canonical
from verify.zero.ratio import Ratio

Table = list[list[Ratio]]


class Exact:
    """One ring for all entries of a step."""

    def __init__(self, expressions: Iterable[Expr]) -> None:
        listed = list(expressions)
        self.decays: Decays = decays_in(listed)
        self.canonical = Canonical()
        for e in listed:
            self.canonical.read(self.decays.put(e))  # so that every root is known before anything is computed
        self.zero, self.one = self.canonical.generators.number(0), self.canonical.generators.number(1)

    def read(self, e: Expr) -> Ratio:
        """An expression as a ratio."""
        return self.canonical.read_again(self.decays.put(e))

    def table(self, matrix: ImmutableDenseMatrix) -> Table:
        """A matrix of expressions as one of ratios."""
        return [[self.read(matrix[a, b]) for b in range(matrix.cols)] for a in range(matrix.rows)]

    def reduced(self, r: Ratio) -> Ratio:
        """With the relations of roots applied."""
        return self.canonical.generators.reduce(r)

    def product(self, A: Table, B: Table) -> Table:
        """The matrix product."""
        columns = list(zip(*B, strict=True))
        return [[self.reduced(self._dot(row, column)) for column in columns] for row in A]

    def _dot(self, row: Sequence[Ratio], column: Sequence[Ratio]) -> Ratio:
        return sum((a * b for a, b in zip(row, column, strict=True)), self.zero)

    def solve(self, A: Table, b: Sequence[Ratio]) -> list[Ratio] | None:
        """The solution of ``A x = b``; None where the determinant is identically zero."""
        rows = [[*row, right] for row, right in zip(A, b, strict=True)]
        for k in range(len(rows)):
            candidates = [r for r in range(k, len(rows)) if not rows[r][k].is_zero()]
            if not candidates:
                return None
            found = min(candidates, key=lambda r: len(rows[r][k].num) + len(rows[r][k].den))
            rows[k], rows[found] = rows[found], rows[k]
            inverse = rows[k][k].inverse()
            rows[k] = [self.reduced(x * inverse) for x in rows[k]]
            for r in range(len(rows)):
                if r != k and not rows[r][k].is_zero():
                    share = rows[r][k]
                    rows[r] = [self.reduced(x - share * y) for x, y in zip(rows[r], rows[k], strict=True)]
        return [row[-1] for row in rows]


def covariance_of(N: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """``N N^T``, multiplied out, so that roots meet themselves and go."""
    return ImmutableDenseMatrix((N * N.T).applyfunc(expand))
