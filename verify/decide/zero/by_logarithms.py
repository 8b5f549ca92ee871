"""Sums of logarithms by products, and differences of two products by their logarithms.

A logarithm is defined for positive numbers alone, and both ``log`` and ``exp`` are injective:

* ``n_1 log u_1 + n_2 log u_2 + ... + r = 0`` iff the product of the ``u_k^n_k`` with positive n_k
  equals ``exp(-r)`` times that of the others;
* ``c m = c' m'`` with positive m and m', and with positive c and c', iff ``log c + log m = log c' +
  log m'``.
"""

from __future__ import annotations

from sympy import Expr, Integer, Mul, Pow, S, exp, log

from recipe.signs.sign import is_positive
from verify.decide.zero.form import Form, Prove, terms_of
from verify.decide.zero.ratio import Poly

MAX_POWER = 24  # the sum of all powers in a product


def compare_products(form: Form, prove: Prove) -> bool:
    """Return True if the numerator is a sum of logarithms that is proved to be zero; with
    coefficients, each is.
    """
    logarithms = {k for k in form.used() if isinstance(form.meaning(k), log)}
    if not logarithms:
        return False
    whole = _gap_of_products(form, form.numerator, logarithms)
    if whole is not None and prove(whole):
        return True
    groups = form.grouped(logarithms)
    if len(groups) < 2:
        return False
    gaps = [_gap_of_products(form, poly, logarithms) for poly in groups.values()]
    return all(gap is not None for gap in gaps) and all(prove(gap) for gap in gaps if gap)


def _gap_of_products(form: Form, poly: Poly, logarithms: set[int]) -> Expr | None:
    """What is zero iff the polynomial is; None if it is no sum of logarithms with whole numbers as
    factors and of a rest without them.
    """
    sides: tuple[list[Expr], list[Expr]] = ([], [])
    powers, rest = [], S.Zero
    for factors, c in terms_of(poly):
        inside = [n for k, n in factors if k in logarithms]
        if not inside:
            rest += c * Mul(*(Pow(form.meaning(k), n) for k, n in factors))
        elif len(factors) == 1 and inside == [1]:
            powers.append(c)
            sides[c < 0].append(Pow(form.meaning(factors[0][0]).args[0], abs(c)))
        else:
            return None
    if not powers or sum(abs(c) for c in powers) > MAX_POWER:
        return None
    return Mul(*sides[0]) - exp(-rest) * Mul(*sides[1])


def compare_logarithms(form: Form, prove: Prove) -> bool:
    """Return True if the numerator is the difference of two products of positive numbers, of which
    the logarithms are proved to be equal.
    """
    terms = list(terms_of(form.numerator))
    if len(terms) != 2 or terms[0][1] * terms[1][1] > 0:
        return False
    meanings = {form.meaning(k) for factors, _ in terms for k, _ in factors}
    if not any(isinstance(m, exp) or (isinstance(m, Pow) and m.exp.free_symbols) for m in meanings):
        return False
    powers: dict[int, int] = {}
    for factors, c in terms:
        for k, n in factors:
            powers[k] = powers.get(k, 0) + (n if c > 0 else -n)
    gap = log(Integer(abs(terms[0][1]))) - log(Integer(abs(terms[1][1])))
    gap = gap if terms[0][1] > 0 else -gap
    for k, n in powers.items():
        meaning = form.meaning(k)
        if n and not isinstance(meaning, exp) and not is_positive(meaning):
            return False
        gap += n * (meaning.args[0] if isinstance(meaning, exp) else log(meaning)) if n else 0
    return prove(gap)
