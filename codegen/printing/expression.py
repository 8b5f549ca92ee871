"""Expressions as Python text: a symbol prints as its name, and a number in an array has the name
that it is read by.
"""

from __future__ import annotations

import sys
from functools import singledispatch

import sympy
from sympy import Add, Expr, Function, Integer, Mul, Pow, Rational, Symbol
from sympy.core.numbers import Exp1, Pi

from codegen.device.elementary import exp, expm1, log, tanh
from codegen.device.folds import (
    fold_above,
    fold_below,
    fold_between,
    turn_above,
    turn_below,
    turn_between,
)
from codegen.device.special import digamma, phi_1
from codegen.device.stable import logaddexp, sigmoid, softplus
from codegen.lowering.fold_forms import (
    FoldAbove,
    FoldBelow,
    FoldBetween,
    TurnAbove,
    TurnBelow,
    TurnBetween,
    limits_of,
)
from codegen.lowering.special_forms import Digamma
from codegen.lowering.stable_forms import (
    Expm1,
    Largest,
    LogAddExp,
    ScaledSum,
    Sigmoid,
    Softplus,
)
from recipe.language.errors import RecipeError
from recipe.language.phi import Phi

FOLDS = {
    FoldAbove: fold_above,
    FoldBelow: fold_below,
    FoldBetween: fold_between,
    TurnAbove: turn_above,
    TurnBelow: turn_below,
    TurnBetween: turn_between,
}
# Device functions of this project: the same bits on every machine.
OURS = {
    sympy.exp: exp,
    sympy.log: log,
    sympy.tanh: tanh,
    Expm1: expm1,
    Softplus: softplus,
    Sigmoid: sigmoid,
    LogAddExp: logaddexp,
    ScaledSum: exp,
    Digamma: digamma,
    Phi: phi_1,
    **FOLDS,
}
# The C library's, which may differ in the last bits from machine to machine, and keep a loop from
# being vectorised (as does a power with an exponent that is neither an integer nor a half).
LIBRARY = {
    sympy.sin: "math.sin", sympy.cos: "math.cos", sympy.tan: "math.tan", sympy.sinh: "math.sinh",
    sympy.cosh: "math.cosh", sympy.atan: "math.atan", sympy.erf: "math.erf",
    sympy.loggamma: "math.lgamma",
}  # fmt: skip
FUNCTIONS = (
    {kind: f.__name__ for kind, f in OURS.items()} | LIBRARY | {Largest: "max", sympy.Abs: "abs"}
)


class RepeatedProduct(Function):
    """``(x, n)``: the product of x with itself, n times."""


SUM, PRODUCT, UNARY, POWER, ATOM = range(5)


def text_of(e: Expr) -> str:
    """The expression as a line of Python."""
    return _printed(e)[0]


def _at_least(e: Expr, level: int) -> str:
    text, own = _printed(e)
    return text if own >= level else f"({text})"


@singledispatch
def _printed(e: Expr) -> tuple[str, int]:
    name = FUNCTIONS.get(type(e))
    if name is None:
        raise RecipeError(
            f"{e} ({type(e).__name__}) has no compiled form; write it with"
            f" {', '.join(sorted(_known()))}"
        )
    return f"{name}({', '.join(text_of(a) for a in e.args)})", ATOM


@_printed.register
def _(e: Phi) -> tuple[str, int]:
    k, z = e.args
    if k != 1:
        raise RecipeError(
            f"Phi({k}, ...) has no compiled form, only Phi(1, ...) has; choose a scheme without it,"
            " such as semi-implicit"
        )
    return f"phi_1({text_of(z)})", ATOM


def _fold(e: Expr) -> tuple[str, int]:
    name = FOLDS[type(e)].__name__
    return f"{name}({', '.join(map(text_of, [e.args[0], *limits_of(e)]))})", ATOM


for _kind in FOLDS:
    _printed.register(_kind, _fold)


def _known() -> set[str]:
    return {f.__name__ for f in FUNCTIONS if f.__module__.startswith("sympy")}


@_printed.register
def _(e: sympy.sign) -> tuple[str, int]:
    return f"math.copysign(1.0, {text_of(e.args[0])})", ATOM


@_printed.register
def _(e: Symbol) -> tuple[str, int]:
    return e.name, ATOM


@_printed.register
def _(e: Rational) -> tuple[str, int]:
    """A literal is the binary number that it reads as; 1/10, which is none, is a quotient, and
    10^30 a sum of such numbers.
    """
    if e < 0:
        text, own = _printed(-e)
        return (f"-{text}", min(own, UNARY)) if own > SUM else (f"-({text})", UNARY)
    most = sys.float_info.max
    if e.p <= most and Rational(float(e)) == e:
        return repr(float(e)), ATOM
    if max(e.p, e.q) > most:
        raise RecipeError(
            f"the number {sympy.N(e, 3)} needs a numerator or a denominator above {most:.2}; give"
            " it as a parameter"
        )
    if e.q != 1:
        return f"{_at_least(Integer(e.p), UNARY)} / {_at_least(Integer(e.q), POWER)}", PRODUCT
    near = Integer(int(float(e)))
    rest = e - near
    return f"{float(near)!r} {'-' if rest < 0 else '+'} {_at_least(abs(rest), PRODUCT)}", SUM


@_printed.register
def _(e: Pi) -> tuple[str, int]:
    return "math.pi", ATOM


@_printed.register
def _(e: Exp1) -> tuple[str, int]:
    return "math.e", ATOM


@_printed.register
def _(e: Add) -> tuple[str, int]:
    terms = [a for a in e.args if not a.could_extract_minus_sign()] + [
        a for a in e.args if a.could_extract_minus_sign()
    ]
    text = _at_least(terms[0], PRODUCT)
    for term in terms[1:]:
        negative = term.could_extract_minus_sign()
        text += f" - {_at_least(-term, PRODUCT)}" if negative else f" + {_at_least(term, PRODUCT)}"
    return text, SUM


@_printed.register
def _(e: ScaledSum) -> tuple[str, int]:
    return _printed(e.written_out())


@_printed.register
def _(e: RepeatedProduct) -> tuple[str, int]:
    base, count = e.args
    return " * ".join([_at_least(base, UNARY)] * int(count)), PRODUCT


def factors_of(e: Expr) -> tuple[Expr, Expr] | None:
    """A product as two factors, all but the last one and the last one; None for an expression that
    is no product, or has a divisor.
    """
    if isinstance(e, RepeatedProduct):
        base, count = e.args
        return RepeatedProduct(base, count - 1) if count > 2 else base, base
    if not isinstance(e, Mul) or any(_is_below(a) for a in e.args):
        return None
    return Mul(*e.args[:-1]), e.args[-1]


@_printed.register
def _(e: Mul) -> tuple[str, int]:
    above = [a for a in e.args if not _is_below(a)]
    below = [1 / a for a in e.args if _is_below(a)]
    if above and above[0] == -1 and len(above) > 1:
        return f"-{_joined(above[1:], below)}", PRODUCT
    return _joined(above, below), PRODUCT


def _is_below(factor: Expr) -> bool:
    return isinstance(factor, Pow) and factor.exp.is_number and factor.exp.is_negative is True


def _joined(above: list[Expr], below: list[Expr]) -> str:
    text = " * ".join(_at_least(a, UNARY) for a in above) or "1.0"
    if not below:
        return text
    under = (
        _at_least(below[0], POWER)
        if len(below) == 1
        else f"({' * '.join(_at_least(b, UNARY) for b in below)})"
    )
    return f"{text} / {under}"


@_printed.register
def _(e: Pow) -> tuple[str, int]:
    if _is_below(e):
        return f"1.0 / {_at_least(1 / e, POWER)}", PRODUCT
    if e.exp == Rational(1, 2):
        return f"math.sqrt({text_of(e.base)})", ATOM
    if isinstance(e.exp, Integer):
        return f"{_at_least(e.base, ATOM)} ** {int(e.exp)}", POWER
    if isinstance(e.exp, Rational) and e.exp.q == 2:
        whole = e.exp.p // 2
        power = f" ** {whole}" if whole > 1 else ""
        return f"{_at_least(e.base, ATOM)}{power} * math.sqrt({text_of(e.base)})", PRODUCT
    return f"{_at_least(e.base, ATOM)} ** {_at_least(e.exp, ATOM)}", POWER
