"""Signs and ranges on an open interval, by exact counts of real roots (Sturm's theorem)."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Poly, Rational, S, oo

from verify.decide.asymptotics.leading import certain_sign
from verify.diffusion.change_of_variable.limits import compare_limits, limit_at
from verify.diffusion.change_of_variable.variable import Fraction, Variable, Y


def roots_inside(p: Poly, low: Expr, high: Expr) -> int:
    """The number of distinct real roots of a polynomial strictly between two ends."""
    if p.degree() <= 0:
        return 0
    ends = [end for end in (low, high) if end not in (oo, -oo) and p(end) == 0]
    between = p.count_roots(None if low == -oo else low, None if high == oo else high)
    return int(between) - len(ends)


def sign_of(r: Fraction, y: Variable) -> int | None:
    """The sign of a fraction without zeros and poles inside the interval; None if it has one."""
    if r.num.is_zero or roots_inside(r.num, y.low, y.high) or roots_inside(r.den, y.low, y.high):
        return None
    return certain_sign(r(point_inside(y.low, y.high)))


def point_inside(low: Expr, high: Expr) -> Expr:
    """A rational number between two ends, which may be infinite."""
    if low == -oo:
        return S.Zero if high == oo else high - 1
    return low + 1 if high == oo else (low + high) / 2


def zeros(r: Fraction, y: Variable) -> list[Expr] | None:
    """The exact zeros of a fraction inside the interval; None if one is not expressible by square
    roots.
    """
    found: list[Expr] = []
    for factor, _ in r.num.factor_list()[1]:
        inside = roots_inside(factor, y.low, y.high)
        if not inside:
            continue
        if factor.degree() > 2:
            return None
        roots = [root for root in _by_square_roots(factor) if _is_inside(root, y)]
        if len(roots) != inside:
            return None
        found += roots
    return found


def _by_square_roots(p: Poly) -> list[Expr]:
    if p.degree() == 1:
        a, b = p.all_coeffs()
        return [-b / a]
    a, b, c = p.all_coeffs()
    root = (b**2 - 4 * a * c) ** Rational(1, 2)
    return [(-b - root) / (2 * a), (-b + root) / (2 * a)]


def _is_inside(root: Expr, y: Variable) -> bool:
    above = y.low == -oo or certain_sign(root - y.low) == 1
    return above and (y.high == oo or certain_sign(y.high - root) == 1)


@dataclass(frozen=True)
class Range:
    """The infimum ``low`` and the supremum ``high``, possibly infinite.

    ``at_low`` and ``at_high`` are the values of y at which they are attained or approached; these
    may be ends.
    """

    low: Expr
    high: Expr
    at_low: Expr
    at_high: Expr

    @property
    def size(self) -> Expr:
        """The supremum of the absolute value."""
        return self.high if certain_sign(self.high + self.low) in (0, 1) else -self.low

    @property
    def is_bounded(self) -> bool:
        """True if both are finite."""
        return self.low != -oo and self.high != oo


def range_of(e: Expr, slope: Fraction, y: Variable) -> Range | None:
    """The range of an expression of y inside the interval; None if it is not decided.

    ``slope`` is the derivative, or a fraction with the same zeros and with a pole wherever the
    derivative has one.
    """
    at = None if roots_inside(slope.den, y.low, y.high) else zeros(slope, y)
    if at is None:
        return None
    values = [(limit_at(e, y, upper), y.high if upper else y.low) for upper in (False, True)]
    values += [(e.xreplace({Y: root}), root) for root in at]
    lowest = highest = values[0]
    for value in values:
        if value[0] is None or value[0] is S.NaN:
            return None
        below, above = compare_limits(value[0], lowest[0]), compare_limits(value[0], highest[0])
        if below is None or above is None:
            return None
        lowest = value if below < 0 else lowest
        highest = value if above > 0 else highest
    return Range(lowest[0], highest[0], lowest[1], highest[1])
