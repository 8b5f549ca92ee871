"""Signs at whole numbers, such as lengths: of rational functions of one of them, and of sums with
several.

Beyond its last real root a polynomial has the sign of its leading coefficient. The finitely many
whole numbers before that are tried one by one: ``n^2 - 3 n + 2`` is negative between its roots 1
and 2, and at no whole number.
"""

from __future__ import annotations

from sympy import Add, Dummy, Expr, Mul, Poly, Pow, Symbol
from sympy.polys.domains import QQ

from recipe.language.calculus import freeze
from recipe.signs.sets import ANY, Ask, Signs

Quotient = tuple[Poly, Poly]

MAX_DEGREE = 24
MAX_NUMBERS = 20_000  # whole numbers that are tried one by one


def sign_from_one_on(e: Add, signs: Ask) -> Signs:
    """The signs of a sum with positive whole numbers, each of which is 1 plus a nonnegative one.

    It knows ``n a - a + b`` with further parameters, and ``sign_at_whole_numbers`` the signs of
    ``n^2 - 3 n + 2``; neither rule knows both.
    """
    frozen, stands_for = freeze(e)
    whole = {s for s in frozen.free_symbols if s.is_integer and s.is_positive}
    from_one = {s: 1 + Dummy(nonnegative=True, integer=True) for s in whole}
    back = {symbol: a for a, symbol in stands_for.items()}
    return signs(frozen.xreplace(from_one).expand().xreplace(back)) if whole else ANY


def sign_at_whole_numbers(e: Expr, signs: Ask) -> Signs:
    """The signs of a rational function of one whole number; any, of another expression."""
    return signs_at_whole_numbers(e) or ANY


def signs_at_whole_numbers(e: Expr) -> Signs | None:
    """The signs of ``e`` at the values of its one symbol, which is a whole number.

    Returns:
        A set that contains every sign it has where it is defined; None if ``e`` is no rational
        function, with rational coefficients, of a single whole number.
    """
    symbols = e.free_symbols
    if len(symbols) != 1:
        return None
    (n,) = symbols
    if not (isinstance(n, Symbol) and n.is_integer):
        return None
    read = _quotient(e, n)
    if read is None or read[1].is_zero:
        return None
    # a quotient has the sign of the product, wherever its denominator is not zero
    product = read[0] * read[1]
    if product.degree() > MAX_DEGREE:
        return None
    minus = Poly(-n, n, domain=QQ)
    mirrored = product.compose(minus), read[1].compose(minus)
    if n.is_negative:
        return _signs_from(*mirrored, 1)
    if n.is_positive or n.is_nonnegative:
        return _signs_from(product, read[1], 1 if n.is_positive else 0)
    above, below = _signs_from(product, read[1], 0), _signs_from(*mirrored, 1)
    return None if above is None or below is None else above | below


def _quotient(e: Expr, n: Symbol) -> Quotient | None:
    """Numerator and denominator, by the arithmetic of polynomials with rational coefficients."""
    one = Poly(1, n, domain=QQ)
    if e.is_Rational or e == n:
        return Poly(e, n, domain=QQ), one
    if isinstance(e, Pow) and e.exp.is_Integer and abs(int(e.exp)) <= MAX_DEGREE:
        base = _quotient(e.base, n)
        if base is None:
            return None
        above, below = (p ** abs(int(e.exp)) for p in base)
        return (above, below) if e.exp > 0 else (below, above)
    if not isinstance(e, Add | Mul):
        return None
    above, below = (Poly(0, n, domain=QQ), one) if isinstance(e, Add) else (one, one)
    for a in e.args:
        part = _quotient(a, n)
        if part is None:
            return None
        above = above * part[1] + part[0] * below if isinstance(e, Add) else above * part[0]
        below = below * part[1]
    return above, below


def _signs_from(p: Poly, below: Poly, start: int) -> Signs | None:
    """The signs of a polynomial at ``start``, ``start + 1`` and so on, where ``below`` is not zero;
    None if they are too many to try.
    """
    if p.is_zero:
        return frozenset({0})
    lead, end = _sign(p.LC()), start + 1
    # where no coefficient of p(end + t) has another sign than the leading one, no t > 0 is a root
    while any(_sign(c) * lead < 0 for c in _shifted(p, end)):
        end = 2 * end
        if end - start > MAX_NUMBERS:
            return None
    return frozenset({lead, *(_sign(p(k)) for k in range(start, end + 1) if below(k) != 0)})


def _shifted(p: Poly, by: int) -> list[Expr]:
    return p.shift(by).all_coeffs()  # type: ignore[no-any-return]


def _sign(c: Expr) -> int:
    return int(bool(c > 0)) - int(bool(c < 0))
