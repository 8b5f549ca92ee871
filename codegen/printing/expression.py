"""Expressions as text: a symbol prints as its name, and a number in an array has the name by which
it is read.

What differs between the languages of back ends is in a ``Dialect``: the functions, the power, the
names of symbols. ``numba_dialect`` has that of a generated module.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import singledispatch
from operator import attrgetter

import sympy
from sympy import Add, Expr, Function, Integer, Mul, Pow, Rational, Symbol
from sympy.core.numbers import Exp1, Pi

from codegen.lowering.fold_forms import FOLD_FORMS, limits_of
from codegen.lowering.stable_forms import ScaledSum
from recipe.language.errors import RecipeError
from recipe.language.phi import Phi

Form = Callable[..., str]


def function(name: str) -> Form:
    """Return the form of a call: ``name(a, b)``."""
    return lambda *arguments: f"{name}({', '.join(arguments)})"


@dataclass(frozen=True)
class Dialect:
    """The text of expressions in one language.

    Attributes:
        functions: for each class of functions, the text of a call from the texts of its arguments;
            a function that is not here is refused. ``Phi`` is given z alone, and a fold the ends
            and the last numbers inside of them.
        square_root: the text of a square root, from the text of the number.
        pi, e: the texts of these constants.
        power: the text of ``x ** y`` from the texts of x and y, which have parentheses where they
            are needed.
        name: the text of a symbol, which can be a ``Cell`` of an array.
    """

    functions: Mapping[type[Expr], Form]
    square_root: Form = "math.sqrt({})".format
    pi: str = "math.pi"
    e: str = "math.e"
    power: Callable[[str, str], str] = "{} ** {}".format
    name: Callable[[Symbol], str] = attrgetter("name")


class RepeatedProduct(Function):
    """``(x, n)``: the product of x with itself, n times."""


SUM, PRODUCT, UNARY, POWER, ATOM = range(5)


def text_of(e: Expr, dialect: Dialect) -> str:
    """Return the expression as one line.

    Raises:
        RecipeError: naming the function that has no form in the dialect.
    """
    return _printed(e, dialect)[0]


def _at_least(e: Expr, level: int, dialect: Dialect) -> str:
    text, own = _printed(e, dialect)
    return text if own >= level else f"({text})"


@singledispatch
def _printed(e: Expr, dialect: Dialect) -> tuple[str, int]:
    return _called(e, e.args, dialect)


def _called(e: Expr, arguments: Iterable[Expr], dialect: Dialect) -> tuple[str, int]:
    form = dialect.functions.get(type(e))
    if form is None:
        known = {f.__name__ for f in dialect.functions if f.__module__.startswith("sympy")}
        raise RecipeError(
            f"{e} ({type(e).__name__}) has no compiled form; write it with"
            f" {', '.join(sorted(known))}"
        )
    return form(*(text_of(a, dialect) for a in arguments)), ATOM


@_printed.register
def _(e: Phi, dialect: Dialect) -> tuple[str, int]:
    k, z = e.args
    if k != 1:
        raise RecipeError(
            f"Phi({k}, ...) has no compiled form, only Phi(1, ...) has; choose a scheme without it,"
            " such as semi-implicit"
        )
    return _called(e, [z], dialect)


def _fold(e: Expr, dialect: Dialect) -> tuple[str, int]:
    return _called(e, [e.args[0], *limits_of(e)], dialect)


for _kind in FOLD_FORMS:
    _printed.register(_kind, _fold)


@_printed.register
def _(e: Symbol, dialect: Dialect) -> tuple[str, int]:
    return dialect.name(e), ATOM


@_printed.register
def _(e: Rational, dialect: Dialect) -> tuple[str, int]:
    """A literal is the binary number that it reads as; 1/10, which is none, is a quotient, and
    10^30 a sum of such numbers.
    """
    if e < 0:
        text, own = _printed(-e, dialect)
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
        above = _at_least(Integer(e.p), UNARY, dialect)
        return f"{above} / {_at_least(Integer(e.q), POWER, dialect)}", PRODUCT
    near = Integer(int(float(e)))
    sign, rest = "-" if e < near else "+", _at_least(abs(e - near), PRODUCT, dialect)
    return f"{float(near)!r} {sign} {rest}", SUM


@_printed.register
def _(e: Pi, dialect: Dialect) -> tuple[str, int]:
    return dialect.pi, ATOM


@_printed.register
def _(e: Exp1, dialect: Dialect) -> tuple[str, int]:
    return dialect.e, ATOM


@_printed.register
def _(e: Add, dialect: Dialect) -> tuple[str, int]:
    terms = [a for a in e.args if not a.could_extract_minus_sign()] + [
        a for a in e.args if a.could_extract_minus_sign()
    ]
    text = _at_least(terms[0], PRODUCT, dialect)
    for term in terms[1:]:
        sign, size = ("-", -term) if term.could_extract_minus_sign() else ("+", term)
        text += f" {sign} {_at_least(size, PRODUCT, dialect)}"
    return text, SUM


@_printed.register
def _(e: ScaledSum, dialect: Dialect) -> tuple[str, int]:
    return _printed(e.written_out(), dialect)


@_printed.register
def _(e: RepeatedProduct, dialect: Dialect) -> tuple[str, int]:
    base, count = e.args
    return " * ".join([_at_least(base, UNARY, dialect)] * int(count)), PRODUCT


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
def _(e: Mul, dialect: Dialect) -> tuple[str, int]:
    above = [a for a in e.args if not _is_below(a)]
    below = [1 / a for a in e.args if _is_below(a)]
    if above and above[0] == -1 and len(above) > 1:
        return f"-{_joined(above[1:], below, dialect)}", PRODUCT
    return _joined(above, below, dialect), PRODUCT


def _is_below(factor: Expr) -> bool:
    return isinstance(factor, Pow) and factor.exp.is_number and factor.exp.is_negative is True


def _joined(above: list[Expr], below: list[Expr], dialect: Dialect) -> str:
    text = " * ".join(_at_least(a, UNARY, dialect) for a in above) or "1.0"
    if not below:
        return text
    under = (
        _at_least(below[0], POWER, dialect)
        if len(below) == 1
        else f"({' * '.join(_at_least(b, UNARY, dialect) for b in below)})"
    )
    return f"{text} / {under}"


@_printed.register
def _(e: Pow, dialect: Dialect) -> tuple[str, int]:
    if _is_below(e):
        return f"1.0 / {_at_least(1 / e, POWER, dialect)}", PRODUCT
    base = _at_least(e.base, ATOM, dialect)
    if isinstance(e.exp, Integer):
        return dialect.power(base, str(e.exp)), POWER
    if isinstance(e.exp, Rational) and e.exp.q == 2:
        root, whole = dialect.square_root(text_of(e.base, dialect)), e.exp.p // 2
        if whole == 0:
            return root, ATOM
        return f"{base if whole == 1 else dialect.power(base, str(whole))} * {root}", PRODUCT
    return dialect.power(base, _at_least(e.exp, ATOM, dialect)), POWER
