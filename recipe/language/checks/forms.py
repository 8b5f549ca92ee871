"""The closed set of forms that an expression of the language consists of, by their exact classes.

A subclass may have another derivative than its parent (``class mylog(log)`` with an ``fdiff`` of
its own), or may stand for many expressions (``Wild``). So classes are compared, not their families.
"""

from __future__ import annotations

import sympy
from sympy import Add, Dummy, Expr, Mul, Pow, Rational, Symbol
from sympy.core.function import AppliedUndef, UndefinedFunction
from sympy.core.numbers import Exp1, Half, Integer, NegativeOne, One, Pi, Zero

from recipe.language.abstract import (
    Dense,
    DenseEntry,
    Field,
    Jet,
    Partial,
    Potential,
    TransposedDense,
)
from recipe.language.blocks import Scalar, Vector
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.data import ScalarData, VectorData, VectorParameter
from recipe.language.entry import Outer
from recipe.language.fold import FOLDS
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.phi import Ein, Phi
from recipe.language.symbols import Index, Length
from recipe.language.total import Total
from recipe.language.variance import ScalarVariance, VectorVariance

SMOOTH_FUNCTIONS = (
    sympy.exp, sympy.log, sympy.sin, sympy.cos, sympy.tan, sympy.sinh, sympy.cosh, sympy.tanh,
    sympy.atan, sympy.erf, sympy.loggamma, sympy.polygamma,
)  # fmt: skip
NUMBERS = (Rational, Integer, Half, One, Zero, NegativeOne, Pi, Exp1)
SYMBOLS = (
    Symbol,
    Dummy,
    Vector,
    Scalar,
    Index,
    Length,
    VectorParameter,
    Noise,
    ScalarNoise,
    VectorData,
    ScalarData,
    VectorVariance,
    ScalarVariance,
    Potential,
    Field,
    Dense,
)
FORMS = (
    Add,
    Mul,
    Pow,
    *NUMBERS,
    *SYMBOLS,
    Total,
    Partial,
    Jet,
    DenseEntry,
    Outer,
    TransposedDense,
    Phi,
    Ein,
    NoncentralChiSquared,
    *SMOOTH_FUNCTIONS,
    sympy.Abs,
)
RULE_FORMS = (*FORMS, *FOLDS, sympy.sign)
METHODS_OF_EVERY_FUNCTION = {"_prop_handler", "_sage_"}  # of what Function("f") makes
MAX_NUMBER_BITS = 3_400  # about a thousand digits
EVALUATED = (Pow, *SMOOTH_FUNCTIONS, sympy.Abs)


def has_form(node: Expr, forms: tuple[type, ...]) -> bool:
    """Return True if the class of a node is one of ``forms``, or that of an elementwise function
    ``f(x)`` of ``Function("f")``.
    """
    return type(node) in forms or _is_elementwise(type(node))


def _is_elementwise(cls: type) -> bool:
    """Return True for the class that ``Function("f")`` makes, without methods of the user's."""
    return (
        type(cls) is UndefinedFunction
        and cls.__bases__ == (AppliedUndef,)
        and not any(
            callable(value) and name not in METHODS_OF_EVERY_FUNCTION
            for name, value in vars(cls).items()
        )
    )


def evaluated(e: Expr) -> Expr:
    """Return an expression whose powers and functions are as sympy evaluates them.

    With ``evaluate=False`` sympy holds ``sqrt((x - 1)**2)``, which is an absolute value, or
    ``sqrt(-1)``, which is no real number. Sums and products are left as they are, as their terms
    have the same meaning in every order. So are powers that are too large to be written out.
    """
    done: dict[Expr, Expr] = {}

    def again(node: Expr) -> Expr:
        if node not in done:
            args = [again(a) if isinstance(a, Expr) else a for a in node.args]
            is_held = type(node) in EVALUATED and not is_huge_number(node)
            done[node] = node.func(*args) if is_held or args != [*node.args] else node
        return done[node]

    return again(e)


def is_huge_number(node: Expr) -> bool:
    """Return True for a number, or a power of one, with more than MAX_NUMBER_BITS bits."""
    if isinstance(node, Rational):
        return _bits(node) > MAX_NUMBER_BITS
    if not isinstance(node, Pow) or not all(isinstance(a, Rational) for a in node.args):
        return False
    base, exponent = node.args
    return abs(base) != 1 and base != 0 and _bits(base) * abs(exponent) > MAX_NUMBER_BITS


def _bits(q: Rational) -> int:
    return max(abs(int(q.p)), int(q.q)).bit_length()
