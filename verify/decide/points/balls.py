"""Ball arithmetic: a number is enclosed by a midpoint and a radius (Johansson 2017, Arb)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flint
import sympy
from sympy import Function, Rational

from recipe.language.phi import Ein

Ball = Any  # flint.arb

WORKING_BITS = (128, 512)  # precisions of ball arithmetic; the second if the first is too coarse


def _ein(x: Ball) -> Ball:
    """``gamma + log(x) + E1(x)`` where x is positive; where it may not be, no value is enclosed."""
    return x.expint(flint.arb(1)) + x.log() + flint.arb.const_euler()


BALL_FUNCTIONS: dict[type[Function], Callable[[Ball], Ball]] = {
    sympy.exp: lambda x: x.exp(),
    sympy.log: lambda x: x.log(),
    sympy.sin: lambda x: x.sin(),
    sympy.cos: lambda x: x.cos(),
    sympy.tan: lambda x: x.tan(),
    sympy.sinh: lambda x: x.sinh(),
    sympy.cosh: lambda x: x.cosh(),
    sympy.tanh: lambda x: x.tanh(),
    sympy.atan: lambda x: x.atan(),
    sympy.erf: lambda x: x.erf(),
    sympy.loggamma: lambda x: x.lgamma(),
    sympy.gamma: lambda x: x.gamma(),
    Ein: _ein,
    sympy.asin: lambda x: x.asin(),
    sympy.acos: lambda x: x.acos(),
    sympy.asinh: lambda x: x.asinh(),
    sympy.acosh: lambda x: x.acosh(),
    sympy.atanh: lambda x: x.atanh(),
    sympy.Abs: abs,
}


class NoValueError(Exception):
    """The expression has no value at the point, or none that ball arithmetic can enclose."""


def ball_of(value: Rational) -> Ball:
    """Return a ball around a rational number, at the working precision."""
    return flint.arb(flint.fmpq(int(value.p), int(value.q)))


def at_precision(bits: int, compute: Callable[[], Ball]) -> Ball:
    """Return ``compute()``, run in ball arithmetic with a working precision of this many bits."""
    before = flint.ctx.prec
    flint.ctx.prec = bits
    try:
        return compute()
    finally:
        flint.ctx.prec = before


def shown_ball(value: Ball) -> str:
    """The midpoint of a ball to twelve digits, without zeros at the end."""
    digits, exponent, power = str(value.str(12, radius=False)).partition("e")
    return (digits.rstrip("0").removesuffix(".") if "." in digits else digits) + exponent + power
