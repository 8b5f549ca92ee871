"""Equality of two expressions.

Two points in ball arithmetic are a fast test. If the values there do not differ, a proof decides; a
point where the expressions differ is a witness.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sympy import Expr, Integer

from recipe.language.symbols import GENERIC, OTHER, Length
from verify.decide.points.balls import NoValueError, at_precision
from verify.decide.points.point import Point
from verify.decide.zero.decide import find_nonzero, vanishes
from verify.translation.reference.equal_sums import EqualSums
from verify.translation.reference.generalise import generalised
from verify.verdict import Witness

WORKING_BITS = 128
PROVING_SEEDS = (5, 6)
COMPARED_SEEDS = tuple(range(5, 13))  # of the points where numbers alone are compared
NARROW, APART = 1e-12, 1e-9  # the radius of a ball, and a distance that no such ball can bridge
LARGEST_GAP = 1e-20  # relative to 1 + the value; 128 bits are 38 digits
BLOCK_LENGTH = 3  # coordinates of every block at the points where expressions are evaluated
COORDINATE_OF_LABEL = {GENERIC: 0, OTHER: 1, -2: 2}


class EqualityProver:
    """Proves that expressions are equal, and remembers its answers.

    Args:
        lengths: the lengths of all blocks, which get a number at the points of the fast test.
        numerically: True to prove nothing: expressions count as equal where they agree at more
            points. A verdict must never rest on this.
    """

    def __init__(self, lengths: Iterable[Length], numerically: bool = False) -> None:
        sizes = dict.fromkeys(lengths, BLOCK_LENGTH)
        seeds = COMPARED_SEEDS if numerically else PROVING_SEEDS
        self.numerically = numerically
        self._points = [Point(sizes, seed=seed) for seed in seeds]
        self._values: dict[Expr, list[Any]] = {}
        self._decided: dict[tuple[Expr, Expr], bool] = {}
        self._sums = EqualSums()

    def equal(self, a: Expr, b: Expr) -> bool:
        """Return True if two expressions are proved to be equal, or agree at all points where only
        numbers are compared.
        """
        if a == b:
            return True
        if self.numerically:
            return self._agree(a, b)
        if (a, b) not in self._decided:
            self._decided[a, b] = not self.differ(a, b) and any(map(vanishes, generalised(a - b)))
        return self._decided[a, b]

    def shared(self, e: Expr) -> Expr:
        """Return an equal expression, whose long sums are the objects that stood in others."""
        return self._sums.shared(e)

    def differ(self, a: Expr, b: Expr) -> bool:
        """Return True if two expressions certainly differ at one of the points."""
        pairs = zip(self._at_points(a), self._at_points(b), strict=True)
        return any(x is not None and y is not None and not x.overlaps(y) for x, y in pairs)

    def has_values(self, e: Expr) -> bool:
        """Return True if an expression has a value at every point."""
        return all(value is not None for value in self._at_points(e))

    def approximation(self, e: Expr) -> float | None:
        """Return the value of an expression at the first point; None where it is not known to
        ``NARROW``.
        """
        value = self._at_points(e)[0]
        if value is None or not value.rad() < NARROW:
            return None
        return float(value.mid())

    def _agree(self, a: Expr, b: Expr) -> bool:
        """Return True if two expressions have the same value at every point where both have one,
        and there is such a point.
        """
        pairs = zip(self._at_points(a), self._at_points(b), strict=True)
        known = [(x, y) for x, y in pairs if x is not None and y is not None]
        return bool(known) and all(_near(x, y) for x, y in known)

    def _at_points(self, e: Expr) -> list[Any]:
        """Return the values of an expression at the points; None where it has no value."""
        if e not in self._values:
            self._values[e] = [_value(e, point) for point in self._points]
        return self._values[e]


def not_apart(x: float | None, others: Sequence[float | None]) -> list[int]:
    """Return the places of the approximations that are not certainly those of other values than an
    approximation is.
    """
    if x is None:
        return list(range(len(others)))
    size = 1 + abs(x)
    return [
        n for n, y in enumerate(others) if y is None or not abs(x - y) > APART * (size + abs(y))
    ]


def _value(e: Expr, point: Point) -> Any:
    """Return a ball around the value of an expression at a point; None if it has no value there."""
    try:
        return at_precision(WORKING_BITS, lambda: point.evaluate(e, COORDINATE_OF_LABEL))
    except (NoValueError, KeyError):
        return None


def _near(x: Any, y: Any) -> bool:
    """Return True if two balls are small, and equal as far as they say."""
    gap = at_precision(WORKING_BITS, lambda: abs(x - y))
    size = at_precision(WORKING_BITS, lambda: 1 + abs(x))
    return bool(gap < LARGEST_GAP * size)


def witness_against(a: Expr, b: Expr) -> Witness | None:
    """Return a point where two expressions certainly differ; None if none was found."""
    difference = a - b
    return find_nonzero(difference if isinstance(difference, Expr) else Integer(0))
