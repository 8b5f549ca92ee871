"""Writing a ratio as a product that is read: its factors turned so that they are positive where that can be seen."""

from __future__ import annotations

from sympy import Expr, Integer, Mul, Pow, Symbol

from verify.affine.exact import Exact
from verify.signs.sign import NEGATIVE, POSITIVE, possible_signs
from verify.zero.ratio import Poly, Ratio


def product(exact: Exact, r: Ratio, step: Symbol) -> Expr:
    """The ratio as a product of powers of irreducible polynomials."""
    above, below = _factors(exact, r.num, step), _factors(exact, r.den, step)
    number = above[0] / below[0]
    forms = [*above[1:], *(Pow(f, -1) for f in below[1:])]
    return exact.decays.back(Mul(number, *forms))


def _factors(exact: Exact, poly: Poly, step: Symbol) -> list[Expr]:
    constant, factors = poly.factor()
    number, forms = Integer(int(constant)), list[Expr]()
    for f, n in factors:
        e = exact.canonical.generators.poly_expression(f)
        if _reads_negative(e, step):
            e = (-e).expand()
            number *= (-1) ** int(n)
        forms.append(Pow(e, int(n)))
    return [number, *forms]


def _reads_negative(e: Expr, step: Symbol) -> bool:
    signs = possible_signs(e)
    if signs in (POSITIVE, NEGATIVE):
        return signs == NEGATIVE
    return possible_signs(e.xreplace({step: Integer(0)})) == NEGATIVE
