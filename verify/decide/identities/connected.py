"""Expressions that are continuously differentiable on a connected domain.

A symbol is *connected* if the values that its declaration allows are an interval: then the values
of several are a product of intervals, which is connected. Whole numbers, lengths and blocks on a
simplex are not taken for such symbols. Conditions between parameters are left out of the proof: a
proof for the whole product of intervals holds for any part of it.
"""

from __future__ import annotations

from sympy import (
    Add,
    Expr,
    Integer,
    Interval,
    Mul,
    Pow,
    Rational,
    S,
    Symbol,
    atan,
    cos,
    cosh,
    erf,
    exp,
    log,
    loggamma,
    polygamma,
    sin,
    sinh,
    tan,
    tanh,
)
from sympy.core.numbers import Exp1, Pi

from recipe.language.assumed import under
from recipe.language.blocks import Scalar, Vector
from recipe.language.data import VectorParameter
from recipe.language.symbols import Index, Length, assumptions_of
from recipe.signs.sign import is_nonzero, is_positive

NUMBERS = (Rational, Integer, Pi, Exp1)
EVERYWHERE = (sin, cos, sinh, cosh, tanh, exp, atan, erf)
OF_POSITIVE = (log, loggamma, polygamma)
# what may be known of a symbol whose values are an interval
INTERVAL_FACTS = {
    "commutative", "real", "positive", "negative", "nonnegative", "nonpositive", "finite",
    "extended_real",
}  # fmt: skip


def connected_symbols(e: Expr) -> list[Symbol]:
    """The symbols of an expression whose values are an interval, in a fixed order."""
    return [s for s in sorted(e.free_symbols, key=str) if is_connected(s)]


def is_connected(s: Symbol) -> bool:
    """Return True if the values that the declaration of a symbol allows are an interval."""
    if isinstance(s, Vector | Scalar):
        return s.domain == S.Reals or isinstance(s.domain, Interval)
    facts = assumptions_of(s)
    return (
        not isinstance(s, Length | Index)
        and (isinstance(s, VectorParameter) or type(s) is Symbol)
        and facts.keys() <= INTERVAL_FACTS
        and all(facts.values())
        and bool(s.is_real)
    )


def is_smooth_everywhere(e: Expr) -> bool:
    """Return True if an expression is defined and has all derivatives at every point of the product
    of the domains of its symbols.

    By induction over the expression: every operation is analytic at the values that are proved of
    its arguments. Roots of positive expressions alone, quotients by what does not vanish; what is
    not listed here, such as an absolute value, is not smooth.
    """
    with under(()):
        return _is_smooth(e)


def _is_smooth(e: Expr) -> bool:
    if type(e) in OF_POSITIVE:
        orders = e.args[:-1]
        return (
            all(m.is_Integer and m >= 0 for m in orders)
            and is_positive(e.args[-1])
            and _is_smooth(e.args[-1])
        )
    if not all(_is_smooth(a) for a in e.args):
        return False
    if isinstance(e, NUMBERS):
        return True
    if isinstance(e, Symbol):
        return is_connected(e) or (type(e) is Symbol and bool(e.is_integer)) or type(e) is Length
    if isinstance(e, Pow):
        if e.exp.is_Integer:
            return bool(e.exp > 0) or is_nonzero(e.base)
        return is_positive(e.base)
    if type(e) is tan:
        return is_nonzero(cos(e.args[0]))
    return isinstance(e, Add | Mul) or type(e) in EVERYWHERE
