"""Sums of squares by a Gram matrix: ``p^T G p`` with monomials p and a rational symmetric matrix G.

The terms of the polynomial determine G. A term that is a square times facts stands on the diagonal;
every other term is twice the product of two of the roots found there. Elimination of G in rational
numbers decides whether it is positive semidefinite. No linear or semidefinite program is solved, so
many variables and terms cost little: (x^2 + 2 y - z)^2 + x is found for x >= 0. A sum of squares
that needs further monomials is missed, such as 2 x^4 + 2 x^3 y - x^2 y^2 + 5 y^4, which needs x y.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

from sympy import Add, Expr, Mul, Pow, Rational, S

from recipe.signs.sets import NOT_NEGATIVE
from recipe.signs.sign import possible_signs
from verify.decide.linear_algebra.semidefinite import Indefinite, Numbers, eliminate
from verify.decide.zero.generators import Generators
from verify.decide.zero.ratio import Poly

Monomial = tuple[int, ...]
# a product w of different facts and a monomial p, for the term w p^2 on the diagonal of G
Root = tuple[Monomial, Monomial]
Gram = dict[tuple[Root, Root], Fraction]

MAX_ROOTS = 48


def sum_of_squares(poly: Poly, generators: Generators) -> Expr | None:
    """Return the polynomial as a nonnegative combination of squares times facts; None if the terms
    at hand do not give one.

    A *fact* is a generator that is known to be nonnegative. None does not mean that the polynomial
    is no sum of squares: no monomials are added to the roots of its own terms.
    """
    facts = {
        k
        for k in generators.generators_of(poly)
        if possible_signs(generators.meanings[k]) <= NOT_NEGATIVE
    }
    terms = {m: Fraction(int(c)) for m, c in poly.to_dict().items()}
    roots = [root for m, c in terms.items() if c > 0 and (root := _root(m, facts)) is not None]
    if not 0 < len(roots) <= MAX_ROOTS:
        return None
    products = _products(roots)
    for squares_first in (True, False):
        gram = _gram(terms, facts, products, squares_first)
        form = None if gram is None else _form(gram, generators)
        if form is not None:
            return form
    return None


def _root(m: Monomial, facts: set[int]) -> Root | None:
    if any(n % 2 and k not in facts for k, n in enumerate(m)):
        return None
    return tuple(n % 2 for n in m), tuple(n // 2 for n in m)


def _products(roots: list[Root]) -> dict[Monomial, list[tuple[Root, Root]]]:
    """The pairs of different roots with the same facts w, by the term ``w p q`` that they give."""
    found: dict[Monomial, list[tuple[Root, Root]]] = {}
    for one, other in itertools.combinations(roots, 2):
        if one[0] == other[0]:
            m = tuple(w + p + q for w, p, q in zip(one[0], one[1], other[1], strict=True))
            found.setdefault(m, []).append((one, other))
    return found


def _gram(
    terms: dict[Monomial, Fraction],
    facts: set[int],
    products: dict[Monomial, list[tuple[Root, Root]]],
    squares_first: bool,
) -> Gram | None:
    """The entries of G; None if a term is neither a square nor a product of two roots.

    A term that may be both is placed on the diagonal if ``squares_first``, else off it; pairs with
    the same product share the coefficient equally.
    """
    gram: Gram = {}
    for m, c in terms.items():
        pairs, root = products.get(m, []), _root(m, facts) if c > 0 else None
        if root is not None and (squares_first or not pairs):
            gram[root, root] = c
        elif pairs:
            gram |= dict.fromkeys(pairs, c / (2 * len(pairs)))
        else:
            return None
    return gram


def _form(gram: Gram, generators: Generators) -> Expr | None:
    """The sum of squares that the elimination of G gives, one product of facts at a time.

    None if G is not positive semidefinite.
    """
    squares: list[Expr] = []
    for fact in dict.fromkeys(one[0] for one, _ in gram):
        roots = list(dict.fromkeys(root for pair in gram for root in pair if root[0] == fact))
        G: Numbers = [
            [gram.get((p, q), gram.get((q, p), Fraction(0))) for q in roots] for p in roots
        ]
        pivots = eliminate(G)
        if isinstance(pivots, Indefinite):
            return None
        monomials = [generators.monomial_expression(p) for _, p in roots]
        for column, weight in pivots:
            inside = Add(*(_rational(c) * p for c, p in zip(column, monomials, strict=True)))
            square = S.One if inside == 1 else Pow(inside, 2, evaluate=False)
            factors = [
                f
                for f in (_rational(weight), generators.monomial_expression(fact), square)
                if f != 1
            ]
            squares.append(
                Mul(*factors, evaluate=False)
                if len(factors) > 1
                else factors[0]
                if factors
                else S.One
            )
    return Add(*squares, evaluate=False) if len(squares) > 1 else squares[0]


def _rational(c: Fraction) -> Rational:
    return Rational(c.numerator, c.denominator)
