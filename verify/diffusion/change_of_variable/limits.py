"""Limits at the ends of an interval, from exact leading terms."""

from __future__ import annotations

from sympy import Dummy, Expr, Poly, S, Symbol, oo

from verify.decide.asymptotics.growth import ONE, bound, compare, expanded, goes_to_zero, leading
from verify.decide.asymptotics.leading import NoLeadingTermError, certain_sign, trend
from verify.decide.asymptotics.leading import leading as leading_at_edge
from verify.diffusion.change_of_variable.variable import Fraction, Variable, Y, fraction
from verify.diffusion.infinity.ends import T


def limit_at(e: Expr, y: Variable, upper: bool) -> Expr | None:
    """The limit of an expression of y at one end, which may be infinite; None if it is not
    decided.
    """
    found = fraction(e)
    if found is not None:
        return _limit_of_fraction(found, y.high if upper else y.low, upper)
    position = y.high if upper else y.low
    return limit(e, Y, towards(position, upper))


def towards(end: Expr, upper: bool) -> Expr:
    """A point that goes to the end, from inside the interval, as T goes to infinity."""
    if end in (oo, -oo):
        return T if upper else -T
    return end - 1 / T if upper else end + 1 / T


def limit(e: Expr, x: Symbol, position: Expr) -> Expr | None:
    """The limit of e as T goes to infinity, where ``x = position`` is a function of T; None if it
    is not decided.
    """
    at = expanded(e.xreplace({x: position}))
    if T not in at.free_symbols:
        return at
    order = leading(at, T)
    if order is None:
        return S.Zero if goes_to_zero(bound(at, T)) else _where_terms_cancel(at)
    return _of_size(compare(order, ONE), order.coefficient)


def _where_terms_cancel(e: Expr) -> Expr | None:
    """The limit by the leading term at ``1/T = 0``, found by derivatives if everything is analytic
    there.
    """
    small = Dummy("small", positive=True)
    try:
        found = leading_at_edge(e.xreplace({T: 1 / small}), small)
        return _of_size(trend(found), found.coefficient)
    except NoLeadingTermError:
        return None


def compare_limits(a: Expr, b: Expr) -> int | None:
    """The sign of ``a - b``, where both may be infinite; None if it is not decided."""
    if a == b:
        return 0
    if a in (oo, -oo) or b in (oo, -oo):
        return 1 if a == oo or b == -oo else -1
    return certain_sign(a - b)


def _of_size(size: int | None, coefficient: Expr) -> Expr | None:
    if size == 1:
        return _infinite(coefficient)
    return None if size is None else coefficient if size == 0 else S.Zero


def _limit_of_fraction(r: Fraction, end: Expr, upper: bool) -> Expr | None:
    if end in (oo, -oo):
        degree = r.num.degree() - r.den.degree() if not r.num.is_zero else -1
        lead = r.constant * r.num.LC() / r.den.LC()
        return (
            S.Zero
            if degree < 0
            else lead
            if degree == 0
            else _infinite(lead * (1 if end == oo else -1) ** degree)
        )
    if r.den(end) != 0:
        return r(end)
    return _infinite(_near_pole(r, end, upper))


def _near_pole(r: Fraction, end: Expr, upper: bool) -> Expr:
    """A number with the sign of the fraction next to a root of its denominator, inside the
    interval.
    """
    away, rest, order = Poly(Y - end, Y, domain="QQ"), r.den, 0
    while rest(end) == 0:
        rest, order = rest.quo(away), order + 1
    return r.constant * r.num(end) / rest(end) * (-1 if upper and order % 2 else 1)


def _infinite(towards: Expr) -> Expr | None:
    """Plus or minus infinity, with the sign of the argument; None if that sign is not known."""
    return {1: oo, -1: -oo}.get(certain_sign(towards) or 0)
