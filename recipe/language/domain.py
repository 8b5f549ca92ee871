"""The set that a block lives in: the real line, an interval, or the open simplex."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import Expr, Interval, Set, oo

from recipe.language.blocks import Scalar, Simplex, Vector


@dataclass(frozen=True)
class End:
    """A finite end of an interval.

    Attributes:
        at: where it lies.
        inward: 1 at the lower end and -1 at the upper one, the direction in which the interval
            lies.
        belongs: whether it is a point of the interval.
    """

    at: Expr
    inward: int
    belongs: bool

    def gap(self, x: Any) -> Any:
        """How far ``x`` lies inside of this end; negative outside."""
        return x - self.at if self.inward == 1 else self.at - x


def finite_ends(domain: Set) -> tuple[End, ...]:
    """The finite ends of an interval, the lower one first; the simplex has none."""
    if not isinstance(domain, Interval):
        return ()
    ends = (
        End(domain.start, 1, not domain.left_open),
        End(domain.end, -1, not domain.right_open),
    )
    return tuple(end for end in ends if end.at not in (-oo, oo))


def on_simplex(symbol: Any) -> bool:
    """Whether a symbol is a block whose coordinates are positive with a total below one."""
    return isinstance(symbol, Vector) and isinstance(symbol.domain, Simplex)


def domain_text(block: Vector | Scalar) -> str:
    """The domain of a block in words."""
    return "the open simplex" if on_simplex(block) else str(block.domain)
