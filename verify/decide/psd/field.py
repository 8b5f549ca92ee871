"""The field for eliminations: expressions as reduced ratios in one ring, and small matrices of
them.
"""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Expr

from recipe.language.symbols import GENERIC, Length
from recipe.language.total import sum_over
from verify.decide.linear_algebra.equations import inverse
from verify.decide.zero.canonical import Canonical
from verify.decide.zero.ratio import Ratio

Rows = list[list[Ratio]]


class RatioField:
    """Arithmetic with ratios of one table of generators, in which ``expressions`` have been
    read.
    """

    def __init__(self, capacity: int, expressions: Iterable[Expr]) -> None:
        self.canonical = Canonical(capacity)
        self.generators = self.canonical.generators
        listed = list(expressions)
        for e in listed:
            self.canonical.read(e)
        if listed:
            self.canonical.read_again(listed[0])  # forget readings made before all roots were known
        self.zero, self.one = self.generators.number(0), self.generators.number(1)

    def read(self, e: Expr) -> Ratio:
        """Read an expression as a ratio."""
        return self.canonical.read(e)

    def reduced(self, r: Ratio) -> Ratio:
        """Apply the relations between generators to a result of arithmetic."""
        return self.generators.reduce(r)

    def expression(self, r: Ratio) -> Expr:
        """The sympy expression that a ratio stands for."""
        return self.generators.expression(r)

    def total(self, r: Ratio, length: Length) -> Ratio:
        """The sum over all coordinates of a ratio that is given at the generic coordinate."""
        return self.read(sum_over(self.expression(r), GENERIC, length))

    # -- small matrices

    def sum(self, terms: Iterable[Ratio]) -> Ratio:
        """The sum of some ratios."""
        result = self.zero
        for t in terms:
            result += t
        return self.reduced(result)

    def zeros(self, rows: int, columns: int) -> Rows:
        """A matrix of zeros."""
        return [[self.zero] * columns for _ in range(rows)]

    def unit(self, n: int) -> Rows:
        """The identity matrix."""
        return [[self.one if a == b else self.zero for b in range(n)] for a in range(n)]

    def times(self, A: Rows, B: Rows) -> Rows:
        """The product of two matrices."""
        columns = list(zip(*B, strict=True))
        return [
            [self.sum(x * y for x, y in zip(row, column, strict=True)) for column in columns]
            for row in A
        ]

    def minus(self, A: Rows, B: Rows) -> Rows:
        """The difference of two matrices."""
        return [
            [self.reduced(x - y) for x, y in zip(a, b, strict=True)]
            for a, b in zip(A, B, strict=True)
        ]

    def plus(self, A: Rows, B: Rows) -> Rows:
        """The sum of two matrices."""
        return [
            [self.reduced(x + y) for x, y in zip(a, b, strict=True)]
            for a, b in zip(A, B, strict=True)
        ]

    def inverse(self, A: Rows) -> Rows | None:
        """The inverse of a square matrix; None if it is singular.

        The elimination knows of no relation between generators, so the result is multiplied out.
        """
        found = inverse(A, self.generators.field)
        if found is None:
            return None
        try:
            reduced = [[self.reduced(e) for e in row] for row in found]
        except ZeroDivisionError:  # the determinant is zero by a relation
            return None
        left_over = self.minus(self.times(A, reduced), self.unit(len(A)))
        return reduced if all(e.is_zero() for row in left_over for e in row) else None


def transpose(A: Rows) -> Rows:
    """The transposed matrix."""
    return [list(column) for column in zip(*A, strict=True)]
