"""Print the difference of two expressions: factored in canonical form, if that is short enough to
help.
"""

from __future__ import annotations

import math
from decimal import ROUND_DOWN, Context, Decimal

from sympy import Add, Expr, Integer, Mul, Pow, Rational, Symbol

from recipe.language.abstract import Field, Jet, Partial
from recipe.language.assumed import cached
from recipe.language.symbols import GENERIC, Indexed, index_name
from recipe.language.total import Total, labels, relabel
from recipe.printing.latex import latex
from verify.decide.points.show_values import quotient
from verify.decide.zero.canonical import Canonical
from verify.decide.zero.errors import CannotDecideError
from verify.decide.zero.ratio import Poly, factors_of
from verify.verdict import Formula

MAX_EXPRESSION_CHARS = 160
MAX_DIGITS_IN_FULL = 20  # fractions with more digits than this are abbreviated
MAX_DIGITS_SHOWN = 400  # an expression with a number longer than this is not abbreviated at all
ABBREVIATED_DIGITS = 6
TOO_LONG = "a long expression"


def formula(e: Expr) -> Formula | None:
    """The expression as a product, for display; None if it has more than MAX_EXPRESSION_CHARS
    characters.
    """
    short, where = abbreviated(factored(e))
    return (
        Formula(str(short), latex(short), (*explained(short), *where))
        if len(str(short)) <= MAX_EXPRESSION_CHARS
        else None
    )


def shown_factored(e: Expr) -> str:
    """The expression as a product in one line, or the words "a long expression" if it is too
    long.
    """
    short, _ = abbreviated(factored(e))
    return str(short) if _length(short) <= MAX_EXPRESSION_CHARS else TOO_LONG


def abbreviated(e: Expr) -> tuple[Expr, tuple[str, ...]]:
    """Replace each long fraction by its first digits; return the expression and a line for each
    with its exact value.

    ``2.30599...`` is a number cut off there. Verdicts never use the abbreviation. An expression
    with a number of more than MAX_DIGITS_SHOWN digits is returned as it is.
    """
    digits = {r: math.log10(max(abs(r.p), r.q)) for r in e.atoms(Rational) if r}
    long = sorted((r for r, n in digits.items() if n >= MAX_DIGITS_IN_FULL), key=str)
    if max(digits.values(), default=0) > MAX_DIGITS_SHOWN:
        return e, ()
    cut = {r: _first_digits(r) for r in long}
    return e.xreplace(cut), tuple(f"{abs(cut[r])} is {abs(r)}" for r in long)


def _first_digits(r: Rational) -> Expr:
    value = Context(prec=ABBREVIATED_DIGITS, rounding=ROUND_DOWN).divide(
        Decimal(abs(int(r.p))), Decimal(int(r.q))
    )
    return (-1 if r < 0 else 1) * Symbol(f"{value}...", positive=True)


@cached(maxsize=256)
def factored(e: Expr) -> Expr:
    """The expression as a product, or as it is written where that is shorter.

    Sums over one index are gathered into one ``total`` where possible.
    """
    try:
        found = _product(e)
        return min((_gathered(found), _gathered(e), found, e), key=_length)
    except (CannotDecideError, ValueError):  # ValueError: Python refuses to print a huge number
        return min((_gathered(e), e), key=_length)


def _length(e: Expr) -> float:
    """The number of characters; infinite for a number of more than 4300 digits, which Python does
    not print.
    """
    try:
        return len(str(e))
    except ValueError:
        return math.inf


def explained(e: Expr) -> list[str]:
    """A line for each derivative that the reader has not declared: ``d(U, theta, theta) is
    d^2U/dtheta[i]^2``.
    """
    derivatives = {
        _at_generic(p) for p in e.atoms(Partial) if len(p.wrt) > 1 or isinstance(p.head, Field)
    }
    return [
        f"{p} is {_quotient(p)}" for p in sorted(derivatives, key=lambda p: (len(p.wrt), str(p)))
    ]


def _at_generic(p: Partial) -> Partial:
    found = labels(p)
    return relabel(p, found.pop(), GENERIC) if len(found) == 1 else p


def _quotient(p: Partial) -> str:
    head = (
        f"{p.head.base}[{index_name(p.head.label)}]" if isinstance(p.head, Field) else str(p.head)
    )
    return quotient(
        head,
        [f"{s.base}[{index_name(s.label)}]" if isinstance(s, Indexed) else s.name for s in p.wrt],
    )


def _product(e: Expr) -> Expr:
    canonical = Canonical()
    ratio = canonical.read(e)

    def product(poly: Poly) -> list[Expr]:
        constant, factors = factors_of(poly)
        powers = [(canonical.generators.poly_expression(f), n) for f, n in factors]
        turned = [(-f, n) if str(_gathered(f)).startswith("-") else (f, n) for f, n in powers]
        sign = (-1) ** sum(n for (f, n), (g, _) in zip(powers, turned, strict=True) if f != g)
        return [Integer(constant * sign), *(Pow(f, n) for f, n in turned)]

    above, below = product(ratio.num), product(ratio.den)
    number, rest = above[0] / below[0], Mul(*above[1:]) / Mul(*below[1:])
    return rest if number == 1 else Mul(number, rest, evaluate=False)


def _gathered(e: Expr) -> Expr:
    """The same expression with ``total(a) - total(b)`` written as ``total(a - b)``."""
    if not e.args or isinstance(e, Total | Partial | Jet):
        return e
    e = (
        e.func(*(_gathered(a) for a in e.args), evaluate=False)
        if isinstance(e, Mul)
        else e.func(*(_gathered(a) for a in e.args))
    )
    if not isinstance(e, Add):
        return e
    split = [term.as_coeff_Mul() for term in e.args]
    indices = [factor.index for _, factor in split if isinstance(factor, Total)]
    sums: dict[Expr, list[Expr]] = {}
    rest = []
    for number, factor in split:
        if isinstance(factor, Total) and indices.count(factor.index) > 1:
            sums.setdefault(factor.index, []).append(number * factor.body)
        else:
            rest.append(number * factor)
    return Add(*rest, *(Total(Add(*bodies), index) for index, bodies in sums.items()))
