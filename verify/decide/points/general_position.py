"""Values of an expression in points of general position, and the lengths that it is about."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr

from recipe.language.derivatives import symbols_in
from recipe.language.symbols import Indexed, Length
from recipe.language.total import labels
from verify.decide.points.balls import Ball, NoValueError, at_precision
from verify.decide.points.point import Point

SIZES, SEEDS = (2, 3), 5  # numbers for every length, and points for each
BITS = 256
NEGLIGIBLE_RADIUS = 1e-30  # a wider ball says nothing


def lengths_in(e: Expr) -> set[Length]:
    """The lengths of all blocks and sums in an expression."""
    symbols = symbols_in(e)  # a sum contains its index
    return {s for s in symbols if isinstance(s, Length)} | {
        s.length for s in symbols if isinstance(s, Indexed)
    }


def is_zero_in_general_position(e: Expr) -> bool:
    """Return True if balls of negligible radius contain 0 at every point that was tried where the
    expression has a value, and there is such a point.

    It proves nothing: what is not zero there is not worth a proof, and a proof of what has no value
    there would have no independent support.
    """
    found = False
    for value in _values(e):
        if not value.contains(0):
            return False
        found |= bool(value.rad() < NEGLIGIBLE_RADIUS)
    return found


def is_nonzero_somewhere(e: Expr) -> bool:
    """Return True if a ball at some point excludes 0, which proves that the expression is not zero
    there; its free indices stand for different coordinates.
    """
    return any(not value.contains(0) for value in _values(e))


def _values(e: Expr) -> Iterator[Ball]:
    lengths = lengths_in(e)
    places = {label: k for k, label in enumerate(sorted(labels(e), reverse=True))}
    for size in [n for n in SIZES if n >= len(places)] if lengths else SIZES[:1]:
        for seed in range(SEEDS if e.free_symbols else 1):
            point = Point(dict.fromkeys(lengths, size), seed, generic=True)
            try:
                yield at_precision(BITS, lambda p=point: p.evaluate(e, places))  # type: ignore[misc]
            except NoValueError:
                continue


def first_value(e: Expr) -> Ball | None:
    """A ball of the value at some point of the domain; None if it has no value at the points that
    were tried.
    """
    return next(_values(e), None)
