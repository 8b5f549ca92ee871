"""Sign certificates: an equal form of an expression whose sign is read off.

A ratio is a constant times powers of irreducible polynomials. Even powers are nonnegative as they stand; each odd one needs a form
of its own: what ``sign`` proves, or nonnegative combinations of products of facts and squares (``combination``).
"""

from __future__ import annotations

from functools import lru_cache

from sympy import Expr, Mul, Pow, Rational, S

from verify.evidence import SignStep
from verify.signs.combination import combination_of
from verify.signs.readable import readable_form
from verify.signs.sign import NOT_NEGATIVE, NOT_POSITIVE, possible_signs
from verify.zero.canonical import Canonical
from verify.zero.decide import vanishes
from verify.zero.errors import CannotDecideError
from verify.zero.ratio import Poly, Ratio

NONNEGATIVE = ">= 0"


@lru_cache(maxsize=4096)
def nonnegative(e: Expr, *, combining: bool = False) -> SignStep | None:
    """Why an expression is nonnegative wherever it is defined; None where that is not proved.

    ``combining`` looks for nonnegative combinations as well, which takes longer.
    """
    form = _form(e, combining)
    if form is None or not possible_signs(form) <= NOT_NEGATIVE:
        return None
    if form != e and not vanishes(e - form):
        return None
    return SignStep(e, NONNEGATIVE, form)


def _form(e: Expr, combining: bool) -> Expr | None:
    if possible_signs(e) <= NOT_NEGATIVE:
        return readable_form(e)
    try:
        canonical = Canonical()
        canonical.read(e)
        return _of_ratio(canonical.read_again(e), canonical, combining)
    except CannotDecideError:
        return None


def _of_ratio(r: Ratio, canonical: Canonical, combining: bool) -> Expr | None:
    above, below = _of_poly(r.num, canonical, combining), _of_poly(r.den, canonical, combining)
    if above is None or below is None:
        return None
    (p, numerator), (q, denominator) = above, below
    if p * q < 0:
        return None
    return _product([p / q, *numerator, *(Pow(f, -1, evaluate=False) for f in denominator)])


def _of_poly(poly: Poly, canonical: Canonical, combining: bool) -> tuple[Rational, list[Expr]] | None:
    """A polynomial as a constant times nonnegative forms."""
    constant, factors = poly.factor()
    number, forms = Rational(int(constant)), list[Expr]()
    for factor, n in factors:
        e = canonical.generators.poly_expression(factor)
        if n % 2 == 0:
            forms.append(Pow(e, int(n), evaluate=False))
            continue
        found = _of_factor(e, combining)
        if found is None:
            return None
        number *= found[0]
        forms += [found[1], *([Pow(e, int(n) - 1, evaluate=False)] if n > 1 else [])]
    return number, forms


def _of_factor(e: Expr, combining: bool) -> tuple[int, Expr] | None:
    """An irreducible factor as ``1`` or ``-1`` times a form that is not negative."""
    signs = possible_signs(e)
    if signs <= NOT_NEGATIVE:
        return 1, readable_form(e)
    if signs <= NOT_POSITIVE:
        return -1, readable_form((-e).expand())
    for sign in (1, -1) if combining else ():
        form = combination_of(sign * e)
        if form is not None:
            return sign, form
    return None


def _product(factors: list[Expr]) -> Expr:
    kept = [f for f in factors if f != 1]
    return Mul(*kept, evaluate=False) if len(kept) > 1 else kept[0] if kept else S.One
