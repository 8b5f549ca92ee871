"""The smooth branches of a map with a kink: on each side of 0, an absolute value is the number or
its negative.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Abs, Expr, Interval, S, Symbol, log, nan, oo, zoo

from recipe.declare.transformations.map import Map, derivative
from recipe.language.blocks import Scalar
from recipe.signs.defined import PROVERS, conditions
from recipe.signs.sign import is_positive
from verify.diffusion.change_of_variable.limits import limit_at
from verify.diffusion.change_of_variable.variable import in_variable

NO_VALUES = (nan, zoo, oo, -oo)


@dataclass(frozen=True)
class SmoothBranch:
    """``f(x)`` without absolute values, for x in an open interval, and its derivatives."""

    x: Scalar
    f: Expr

    @property
    def slope(self) -> Expr:
        """The derivative ``f'``."""
        return derivative(self.f, self.x)

    @property
    def log_slope_derivative(self) -> Expr:
        """``(log |f'|)'``, which is ``f''/f'``."""
        return derivative(log(self.slope), self.x)


def branches_of(f: Map) -> list[SmoothBranch]:
    """The branches of a map: one, or two on both sides of 0 if it contains an absolute value."""
    xs = [coordinate("phi", low, high) for low, high in sides(f.domain, f.kink)]
    return [SmoothBranch(x, without_kink(f(x))) for x in xs]


def sides(domain: Interval, split: bool) -> list[tuple[Expr, Expr]]:
    """The ends of an interval, or of its parts on both sides of 0 if it is split there."""
    low, high = domain.start, domain.end
    return [(low, S.Zero), (S.Zero, high)] if split and low < 0 < high else [(low, high)]


def coordinate(name: str, low: Expr, high: Expr) -> Scalar:
    """A scalar whose domain is the open interval between two ends."""
    return Scalar(name, None if (low, high) == (-oo, oo) else Interval.open(low, high))


def without_kink(e: Expr) -> Expr:
    """Replace each absolute value whose argument is proved positive or negative by that argument or
    its negative.
    """

    def written_out(size: Expr) -> Expr:
        inside = size.args[0]
        return inside if is_positive(inside) else -inside if is_positive(-inside) else size

    return e.replace(lambda part: isinstance(part, Abs), written_out)


def value_at(e: Expr, x: Symbol, at: Expr) -> Expr | None:
    """The value of a function at a point; None if it is not proved to have one there."""
    needed = [(c.e.xreplace({x: at}), c.sign) for c in conditions(e)]
    if any(needs.has(*NO_VALUES) or not PROVERS[sign](needs) for needs, sign in needed):
        return None
    value = e.xreplace({x: at})
    return None if value.has(*NO_VALUES) else value


def slope_at(branch: SmoothBranch, upper: bool, order: int = 1) -> Expr | None:
    """The limit of a derivative of f at one end of a branch; None if it is infinite or not
    decided.
    """
    e: Expr = branch.f
    for _ in range(order):
        e = e.diff(branch.x)
    limit = limit_of(e, branch, upper)
    return None if limit in (oo, -oo) else limit


def limit_of(e: Expr, branch: SmoothBranch, upper: bool) -> Expr | None:
    """The limit of an expression of phi at one end of a branch; None if it is not decided."""
    e, y = in_variable(e, branch.x)
    return limit_at(e, y, upper)
