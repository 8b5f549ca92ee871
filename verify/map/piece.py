"""A map apart at its kink: on each side of 0 an absolute value is the number or its negative, and the map is smooth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Abs, Expr, Interval, S, log, oo

from recipe.map import Map, derivative
from recipe.symbols import Scalar
from verify.signs.sign import is_positive


@dataclass(frozen=True)
class Piece:
    """``f(x)`` without absolute values for x in an open interval, with its derivatives."""

    x: Scalar
    f: Expr

    @property
    def slope(self) -> Expr:
        """``f'``."""
        return derivative(self.f, self.x)

    @property
    def bend(self) -> Expr:
        """``(log |f'|)'``, which is ``f''/f'``."""
        return derivative(log(self.slope), self.x)


def pieces(f: Map) -> list[Piece]:
    """The map on its domain, or on both sides of 0 where an absolute value stands in it."""
    return [Piece(x, without_kink(f(x))) for x in _sides(f.domain, f.kink)]


def _sides(domain: Interval, split: bool) -> Iterator[Scalar]:
    low, high = domain.start, domain.end
    if not (split and low < 0 < high):
        yield coordinate("phi", low, high)
        return
    yield coordinate("phi", low, S.Zero)
    yield coordinate("phi", S.Zero, high)


def coordinate(name: str, low: Expr, high: Expr) -> Scalar:
    """A number strictly between two ends."""
    return Scalar(name, None if (low, high) == (-oo, oo) else Interval.open(low, high))


def without_kink(e: Expr) -> Expr:
    """The same with the absolute values of what is proved positive or negative written out."""

    def written_out(size: Expr) -> Expr:
        inside = size.args[0]
        return inside if is_positive(inside) else -inside if is_positive(-inside) else size

    return e.replace(lambda part: isinstance(part, Abs), written_out)
