"""The sign of a number such as ``pi/2 - 1`` or ``sqrt(2) - 1``, by intervals that enclose it.

An interval that excludes 0 proves the sign. None proves that a number is 0: that takes algebra.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from mpmath import libmp
from mpmath.ctx_iv import MPIntervalContext
from sympy import Add, Expr, Mul, Pow, Rational, atan, cos, cosh, exp, log, sin, sinh, tan, tanh
from sympy.core.numbers import Exp1, Pi

WORKING_BITS = (64, 256)  # precisions of the intervals; the second if the first is too coarse
MAX_SIZE = 2**20  # of an exponent, so that no number of a million digits is made

Interval = Any  # mpmath's, which has no public type

_interval = MPIntervalContext()


class NoBoundsError(Exception):
    """No interval is known that encloses the number."""


def sign_of_number(e: Expr) -> int | None:
    """Return 1 or -1 if intervals prove that a number is positive or negative, else None."""
    for bits in WORKING_BITS:
        _interval.prec = bits
        try:
            value = _bounds(e)
        except (NoBoundsError, ValueError, ZeroDivisionError, libmp.ComplexResult):
            return None
        if value.a > 0:
            return 1
        if value.b < 0:
            return -1
    return None


@singledispatch
def _bounds(e: Expr) -> Interval:
    raise NoBoundsError


@_bounds.register
def _(e: Rational) -> Interval:
    return _interval.mpf(int(e.p)) / int(e.q)


@_bounds.register
def _(e: Pi) -> Interval:
    return _interval.mpf(_interval.pi)


@_bounds.register
def _(e: Exp1) -> Interval:
    return _interval.exp(_interval.mpf(1))


@_bounds.register
def _(e: Add) -> Interval:
    return sum((_bounds(a) for a in e.args), _interval.mpf(0))


@_bounds.register
def _(e: Mul) -> Interval:
    result = _interval.mpf(1)
    for a in e.args:
        result *= _bounds(a)
    return result


@_bounds.register
def _(e: Pow) -> Interval:
    base, power = _bounds(e.base), e.exp
    if power.is_Integer and abs(int(power)) <= MAX_SIZE:
        # ``x**n`` of an interval around 0 is kept as a product
        result = _interval.mpf(1)
        for bit in f"{abs(int(power)):b}":
            result = result * result * (base if bit == "1" else 1)
        return result if power > 0 else 1 / _away_from_zero(result)
    if not base.a > 0:
        raise NoBoundsError
    return _exponential(_bounds(power) * _interval.log(base))


@_bounds.register
def _(e: exp) -> Interval:
    return _exponential(_bounds(e.args[0]))


@_bounds.register
def _(e: log) -> Interval:
    inside = _bounds(e.args[0])
    if not inside.a > 0:
        raise NoBoundsError
    return _interval.log(inside)


@_bounds.register
def _(e: sin) -> Interval:
    return _interval.sin(_angle(e))


@_bounds.register
def _(e: cos) -> Interval:
    return _interval.cos(_angle(e))


@_bounds.register
def _(e: tan) -> Interval:
    angle = _angle(e)
    return _interval.sin(angle) / _away_from_zero(_interval.cos(angle))


@_bounds.register(sinh)
@_bounds.register(cosh)
@_bounds.register(tanh)
def _(e: Expr) -> Interval:
    up = _exponential(_bounds(e.args[0]))
    down = 1 / _away_from_zero(up)
    if isinstance(e, tanh):
        return (up - down) / (up + down)
    return (up - down) / 2 if isinstance(e, sinh) else (up + down) / 2


@_bounds.register
def _(e: atan) -> Interval:
    """``low <= atan(x) <= high`` where ``tan(low) <= x <= tan(high)``, as the tangent increases
    between -pi/2 and pi/2.
    """
    x = _bounds(e.args[0])
    if not (x.a > -MAX_SIZE and x.b < MAX_SIZE):
        raise NoBoundsError
    bits = _interval.prec
    ends = []
    for end, step in ((x.a, -1), (x.b, 1)):
        raw = libmp.mpf_atan(end._mpi_[0], bits, "n")
        guess = _interval.make_mpf((raw, raw)) + _interval.mpf(step) / 2 ** (bits - 24)
        cosine = _interval.cos(guess)
        slope = _interval.sin(guess) / _away_from_zero(cosine)
        inside = (slope - end) * step
        if not (cosine.a > 0 and inside.a >= 0 and abs(guess).b < 2):
            raise NoBoundsError
        ends.append(guess)
    return _interval.mpf([ends[0].a, ends[1].b])


def _exponential(x: Interval) -> Interval:
    if not abs(x).b < MAX_SIZE:
        raise NoBoundsError
    return _interval.exp(x)


def _angle(e: Expr) -> Interval:
    angle = _bounds(e.args[0])
    if not abs(angle).b < MAX_SIZE:
        raise NoBoundsError
    return angle


def _away_from_zero(x: Interval) -> Interval:
    if x.a <= 0 <= x.b:
        raise NoBoundsError
    return x
