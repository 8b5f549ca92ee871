"""Nonnegative combinations of squares times facts: ``multiplier * e = sum of lambda * facts *
square``.

A *fact* is an expression known to be nonnegative: a generator of one sign, or the distance of a
coordinate to an end of its domain. Squares are of monomials m_i, of ``m_i + m_j`` and ``m_i - m_j``
(Ahmadi & Majumdar 2019, "DSOS and SDSOS optimization"), and if there are few monomials of the
second differences ``m_i + m_j - 2 m_k``. Linear programming in rational arithmetic finds the
lambdas, so that the identity is exact.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from sympy import Add, Expr, Interval, Mul, Pow, Rational, S

from recipe.signs.intervals import domain_of
from recipe.signs.sets import NOT_NEGATIVE, NOT_POSITIVE
from recipe.signs.sign import possible_signs
from verify.decide.linear_algebra.linear_program import least_combination
from verify.decide.linear_algebra.work import count
from verify.decide.zero.canonical import Canonical
from verify.decide.zero.errors import CannotDecideError
from verify.decide.zero.ratio import Poly, Ratio

Monomial = tuple[int, ...]

MAX_GENERATORS, MAX_DEGREE, MAX_MONOMIALS, MAX_TERMS = 5, 12, 48, 4000
MAX_MONOMIALS_WITH_DIFFERENCES = 16  # with more, second differences would be too many
STEPS_OF_PRODUCT = 5000  # as many multiplications take as long as one product of polynomials


@dataclass(frozen=True)
class _Term:
    """A product of facts and one square: as a polynomial, and as the expression to display."""

    poly: Poly
    form: Expr


def combination_of(e: Expr) -> Expr | None:
    """A form of ``e`` whose nonnegativity can be read off; None if none was found.

    None says nothing about the sign of ``e``.
    """
    canonical = Canonical()
    try:
        whole = canonical.read(e)
        if whole.den != 1 or whole.num.total_degree() > MAX_DEGREE:
            return None
        used = canonical.generators.generators_of(whole.num)
        if not used or len(used) > MAX_GENERATORS:
            return None
        for with_second_differences, multiplier in itertools.product(
            (False, True), _multipliers(used, canonical)
        ):
            form = _combined(
                canonical.generators.reduce(whole * canonical.read(multiplier)),
                used,
                canonical,
                with_second_differences,
            )
            if form is not None:
                return (
                    form
                    if multiplier == 1
                    else Mul(form, Pow(multiplier, -1, evaluate=False), evaluate=False)
                )
    except CannotDecideError:
        pass
    return None


def _multipliers(used: list[int], canonical: Canonical) -> list[Expr]:
    """The multipliers to try: 1, and sums of squares.

    Motzkin's polynomial is nonnegative and not a sum of squares, but it is one after such a
    multiplication.
    """
    squares = [canonical.generators.meanings[k] ** 2 for k in used]
    return [S.One, 1 + Add(*squares), Add(*squares)] if len(used) > 1 else [S.One]


def _combined(
    target: Ratio, used: list[int], canonical: Canonical, with_second_differences: bool
) -> Expr | None:
    if target.den != 1:
        return None
    terms = _terms(target.num, used, canonical, with_second_differences)
    found = _solve_by_linear_program(terms, target.num) if terms else None
    if found is None:
        return None
    parts = [Mul(c, t.form, evaluate=False) if c != 1 else t.form for c, t in found]
    return Add(*parts, evaluate=False) if len(parts) > 1 else parts[0]


def _terms(
    target: Poly, used: list[int], canonical: Canonical, with_second_differences: bool
) -> list[_Term]:
    """The products of facts and squares whose degrees do not exceed those of the target.

    Empty if there are more than MAX_TERMS.
    """
    generators = canonical.generators
    roots = _roots(target, used, canonical, with_second_differences)
    degree, highest = target.total_degree(), target.degrees()
    found: list[_Term] = []
    for fact, fact_form in products_of_facts(used, canonical):
        count(STEPS_OF_PRODUCT * len(roots))
        for poly, form in roots:
            product = generators.reduce(Ratio(fact * poly * poly, generators.number(1).den))
            fits = all(a <= b for a, b in zip(product.num.degrees(), highest, strict=True))
            if product.den == 1 and product.num.total_degree() <= degree and fits:
                square = Pow(form, 2, evaluate=False) if form != 1 else S.One
                factors = [f for f in (fact_form, square) if f != 1]
                written = (
                    Mul(*factors, evaluate=False)
                    if len(factors) > 1
                    else factors[0]
                    if factors
                    else S.One
                )
                found.append(_Term(product.num, written))
    return found if len(found) <= MAX_TERMS else []


def _roots(
    target: Poly, used: list[int], canonical: Canonical, with_second_differences: bool
) -> list[tuple[Poly, Expr]]:
    """The expressions to square: monomials of at most half the target's degrees, their sums and
    differences.

    Empty if there are more than MAX_MONOMIALS monomials, or too many for second differences where
    these are asked for: without them the sums have been tried.
    """
    generators, context = canonical.generators, canonical.generators.context
    ends = [int(target.degrees()[k]) // 2 for k in used]
    half = int(target.total_degree()) // 2
    choices = [m for m in itertools.product(*(range(n + 1) for n in ends)) if sum(m) <= half]
    if len(choices) > (
        MAX_MONOMIALS_WITH_DIFFERENCES if with_second_differences else MAX_MONOMIALS
    ):
        return []
    monomials = []
    for m in choices:
        exponents = [0] * generators.capacity
        for k, n in zip(used, m, strict=True):
            exponents[k] = n
        monomials.append(context.from_dict({tuple(exponents): 1}))
    pairs = [p + sign * q for p, q in itertools.combinations(monomials, 2) for sign in (1, -1)]
    second_differences: list[Poly] = []
    if with_second_differences:
        second_differences = [
            p + q - 2 * r
            for p, q in itertools.combinations(monomials, 2)
            for r in monomials
            if r not in (p, q)
        ]
    return [(p, generators.poly_expression(p)) for p in (*monomials, *pairs, *second_differences)]


def products_of_facts(used: list[int], canonical: Canonical) -> list[tuple[Poly, Expr]]:
    """1, each fact, and the product of each pair of facts; as a polynomial and as an expression."""
    one = (canonical.generators.number(1).num, S.One)
    facts: list[tuple[Poly, Expr]] = []
    for k in used:
        meaning, poly = canonical.generators.meanings[k], canonical.generators.of_index(k).num
        signs, domain = possible_signs(meaning), domain_of(meaning)
        if signs <= NOT_NEGATIVE:
            facts.append((poly, meaning))
        elif signs <= NOT_POSITIVE:
            facts.append((-poly, -meaning))
        if isinstance(domain, Interval):
            forms = [meaning - domain.start] * (domain.start.is_Rational and domain.start != 0)
            forms += [domain.end - meaning] * (domain.end.is_Rational and domain.end != 0)
            facts += [(r.num, f) for f in forms if (r := canonical.read(f)).den == 1]
    pairs = [
        (p * q, Mul(f, g, evaluate=False)) for (p, f), (q, g) in itertools.combinations(facts, 2)
    ]
    return [one, *facts, *pairs]


def _solve_by_linear_program(
    terms: list[_Term], target: Poly
) -> list[tuple[Rational, _Term]] | None:
    """The terms of a combination that gives the target, with their positive lambdas; None if there
    is none.
    """
    weights = least_combination([_coefficients(t.poly) for t in terms], _coefficients(target))
    if weights is None:
        return None
    return [(Rational(int(w.p), int(w.q)), t) for w, t in zip(weights, terms, strict=True) if w]


def _coefficients(poly: Poly) -> dict[Monomial, int]:
    return {m: int(c) for m, c in poly.to_dict().items()}
