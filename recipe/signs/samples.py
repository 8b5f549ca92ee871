"""Does a sum take both signs? A few points in floating point say so quickly, before rules are asked
that cannot find a sign then and may search for minutes.

Floating point proves nothing here: whoever hears *True* leaves the sign open, as it would be left
without this. A rounding error can cost a proof, and never gives one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

from sympy import (
    Abs,
    Add,
    Expr,
    Integer,
    Interval,
    Mul,
    Number,
    NumberSymbol,
    Pow,
    S,
    Symbol,
    atan,
    cos,
    cosh,
    erf,
    exp,
    log,
    sin,
    sinh,
    tanh,
)

POINTS = 30
SPREAD = 4.0  # sizes of coordinates and parameters lie between exp(-4) and exp(4)
LOST = 1e-9  # a sum that is smaller than this part of its terms has no sign for certain
FUNCTIONS: dict[type[Expr], Callable[[float], float]] = {
    exp: math.exp,
    log: math.log,
    sin: math.sin,
    cos: math.cos,
    sinh: math.sinh,
    cosh: math.cosh,
    tanh: math.tanh,
    atan: math.atan,
    erf: math.erf,
    Abs: abs,
}


class _NoValueError(Exception):
    """An expression has no certain value at a point."""


class _UnknownError(Exception):
    """An expression is not computed here at any point."""


def takes_both_signs(e: Expr) -> bool:
    """Return True if points were found at which the expression is positive and negative.

    Args:
        e: an expression. Its symbols are independent of each other, as no conditions between
            parameters hold.
    """
    symbols = sorted(e.free_symbols, key=str)
    chosen, found = Random(len(symbols)), set[bool]()
    for _ in range(POINTS):
        try:
            value = _value(e, {s: _chosen(s, chosen) for s in symbols})
        except _UnknownError:
            return False
        except (_NoValueError, ArithmeticError, ValueError):
            continue
        if value:
            found.add(value > 0)
        if len(found) == 2:
            return True
    return False


def _chosen(s: Symbol, chosen: Random) -> float:
    """A value of a symbol that satisfies its assumptions."""
    size = math.exp(chosen.uniform(-SPREAD, SPREAD))
    domain = getattr(s, "domain", S.Reals)
    if domain != S.Reals:
        return _inside(domain, size)
    if s.is_real is not True or s.is_even or s.is_odd or s.is_zero:
        raise _UnknownError
    turned = not s.is_nonnegative and (s.is_nonpositive or chosen.random() < 0.5)
    size = math.ceil(size) if s.is_integer else size
    return -size if turned else size


def _inside(domain: object, size: float) -> float:
    """A point of an interval with a finite end."""
    if not isinstance(domain, Interval):
        raise _UnknownError
    low, high = domain.start, domain.end
    if low.is_finite and high.is_finite:
        return float(low) + float(high - low) * size / (1 + size)
    return float(low) + size if low.is_finite else float(high) - size


def _value(e: Expr, values: dict[Symbol, float]) -> float:
    if isinstance(e, Symbol):
        return values[e]
    if isinstance(e, Number | NumberSymbol):
        return float(e)
    if isinstance(e, Add):
        terms = [_value(a, values) for a in e.args]
        result = math.fsum(terms)
        if abs(result) < LOST * math.fsum(map(abs, terms)):
            raise _NoValueError
        return result
    if isinstance(e, Mul):
        return math.prod(_value(a, values) for a in e.args)
    if isinstance(e, Pow):
        base = _value(e.base, values)
        if isinstance(e.exp, Integer):
            return float(base ** int(e.exp))
        if base < 0:
            raise _NoValueError
        return float(base ** _value(e.exp, values))
    function = FUNCTIONS.get(type(e))
    if function is None:
        raise _UnknownError
    return function(_value(e.args[0], values))
