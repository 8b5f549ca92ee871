"""D in balls at an explicit point, and exact rational numbers near them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from recipe.language.entry import Coupling, Entry, Row
from recipe.language.symbols import GENERIC, OTHER
from verify.decide.points.point import Point
from verify.generator.coupling import Diffusion, Group

Balls = list[list[Any]]


def explicit(point: Point, blocks: Group, diffusion: Diffusion) -> Balls:
    """The matrix of the given blocks at a point, as balls, one row for each coordinate."""
    coordinates = [(b, k) for b in blocks for k in point.coordinates(b)]
    return [[number(diffusion[a, b], i, j, point) for b, j in coordinates] for a, i in coordinates]


def number(entry: Entry, i: int, j: int, point: Point) -> Any:
    """An entry of the matrix at a point, between coordinates i and j of two blocks, as a ball."""
    if isinstance(entry, Coupling):
        value = point.evaluate(entry.kernel, {GENERIC: i, OTHER: j})
        return value + point.evaluate(entry.diagonal, {GENERIC: i}) if i == j else value
    return point.evaluate(entry.value, {GENERIC: j if isinstance(entry, Row) else i})


def middle(ball: Any) -> Fraction:
    """The midpoint of a ball."""
    mantissa, exponent = (int(n) for n in ball.mid().man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent
