"""Showing what is left over: an expression factored in canonical form, where that is short enough to help."""

from __future__ import annotations

from sympy import Expr, Integer, Mul

from recipe.text import text
from verify.zero.canonical import Canonical
from verify.zero.errors import CannotDecideError
from verify.zero.ratio import Poly

LONGEST = 160
TOO_LONG = "a long expression"


def shown_factored(e: Expr) -> str:
    """The expression as a product in one line; as it is written, or in words, where that would be too long."""
    try:
        found = text(_factored(e))
    except CannotDecideError:
        found = text(e)
    except ValueError:  # Python prints no number of more than 4300 digits
        return TOO_LONG
    shortest = min((found, text(e)), key=len)
    return shortest if len(shortest) <= LONGEST else TOO_LONG


def _factored(e: Expr) -> Expr:
    canonical = Canonical()
    ratio = canonical.read(e)

    def product(poly: Poly) -> Expr:
        constant, factors = poly.factor()
        return Mul(Integer(int(constant)), *(canonical.generators.poly_expression(f) ** int(n) for f, n in factors))

    return product(ratio.num) / product(ratio.den)
