"""The meaning of operators and functions of the text, in real arithmetic.

A float of the text is the binary number that it denotes, exactly.
"""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable
from typing import Any

import sympy
from sympy import Expr, Integer, Rational, S, oo

from recipe.language.fold import Fold, FoldSign
from recipe.language.phi import Ein, Phi
from verify.decide.identities.maximum import Maximum


def _sign(one: Expr, x: Expr) -> Expr:
    if one != 1:
        raise ValueError("copysign is only read with 1.0 as its first argument")
    return sympy.sign(x)


MATH: dict[str, Callable[..., Expr]] = {
    "math.exp": sympy.exp,
    "math.log": sympy.log,
    "math.sqrt": sympy.sqrt,
    "math.sin": sympy.sin,
    "math.cos": sympy.cos,
    "math.tan": sympy.tan,
    "math.sinh": sympy.sinh,
    "math.cosh": sympy.cosh,
    "math.tanh": sympy.tanh,
    "math.atan": sympy.atan,
    "math.erf": sympy.erf,
    "math.lgamma": sympy.loggamma,
    "math.expm1": lambda a: sympy.exp(a) - 1,
    "math.log1p": lambda a: sympy.log(1 + a),
    "math.copysign": _sign,
    "abs": sympy.Abs,
    "max": Maximum,
}

CONSTANTS = {"math.pi": sympy.pi, "math.e": sympy.E}


def nearest_inside(end: Expr, towards: float) -> Expr:
    """Return the float next to an end of an interval, inside of it, at which a fold is clamped."""
    x = float(end)
    return Rational(
        math.copysign(sys.float_info.min, towards) if x == 0 else math.nextafter(x, towards)
    )


def _fold(kind: Any, low: Expr, high: Expr, x: Expr, *limits: Expr) -> Expr:
    clamps = [nearest_inside(low, math.inf)] * (low != -oo) + [nearest_inside(high, -math.inf)] * (
        high != oo
    )
    if kind is Fold and list(limits) != clamps:
        raise ValueError("a fold must be clamped to the floats next to its ends")
    return kind(x, low, high)  # type: ignore[no-any-return]


# Functions of this release that a module contains, by name: their texts are trusted.
DEVICE_FUNCTIONS: dict[str, Callable[..., Expr]] = {
    "exp": sympy.exp,
    "expm1": lambda a: sympy.exp(a) - 1,
    "log": sympy.log,
    "log1p": lambda a: sympy.log(1 + a),
    "tanh": sympy.tanh,
    "fma": lambda a, b, c: a * b + c,
    "softplus": lambda a: sympy.log(1 + sympy.exp(a)),
    "sigmoid": lambda a: 1 / (1 + sympy.exp(-a)),
    "logaddexp": lambda a, b: sympy.log(sympy.exp(a) + sympy.exp(b)),
    "digamma": lambda a: sympy.polygamma(0, a),
    "loggamma": sympy.loggamma,
    "phi_1": lambda a: Phi(1, a),
    "ein_exp": lambda a: Ein(sympy.exp(a)),
    "fold_above": lambda x, low, *more: _fold(Fold, low, oo, x, *more),
    "fold_below": lambda x, high, *more: _fold(Fold, -oo, high, x, *more),
    "fold_between": lambda x, low, high, *more: _fold(Fold, low, high, x, *more),
    "turn_above": lambda x, low: FoldSign(x, low, oo),
    "turn_below": lambda x, high: FoldSign(x, -oo, high),
    "turn_between": FoldSign,
}


def apply_operator(operator: ast.operator, a: Any, b: Any) -> Expr | None:
    """Return the result of an operator on two numbers; None if the operator is not read.

    Raises:
        ValueError: if the result is no real number.
    """
    a, b = (Integer(x) if isinstance(x, int) else x for x in (a, b))
    match operator:
        case ast.Add():
            return require_real(a + b)
        case ast.Sub():
            return require_real(a - b)
        case ast.Mult():
            return require_real(a * b)
        case ast.Div():
            return require_real(a / b)
        case ast.Pow():
            return require_real(a**b)
    return None


def require_real(e: Expr) -> Expr:
    """Return the expression.

    Raises:
        ValueError: if it is a number that is infinite or undefined.
    """
    if e is S.NaN or (e.is_number and e.is_finite is False):
        raise ValueError(f"{e} is no real number")
    return e
