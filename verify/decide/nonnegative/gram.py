"""Sums of squares read off a polynomial as it stands: ``p^T G p`` with monomials p and a matrix G
of rational numbers.

The terms that are squares times facts stand on the diagonal of G, each other one is twice the
product of two of their roots. An elimination of G in rational numbers says whether it is positive
semidefinite. Nothing is solved for, so the number of variables and terms does not matter; (x^2 + 2
y - z)^2 + x comes out, x^4 - x^2 y^2 + y^4 does not need to.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

from sympy import Add, Expr, Mul, Pow, Rational, S

from recipe.language.sign import NOT_NEGATIVE, possible_signs
from verify.decide.nonnegative.rational import Indefinite, Numbers, eliminate
from verify.decide.zero.generators import Generators
from verify.decide.zero.ratio import Poly

Monomial = tuple[int, ...]
Root = tuple[
    Monomial, Monomial
]  # a product w of different facts and a monomial p: w p^2 is on the diagonal
Gram = dict[tuple[Root, Root], Fraction]

MOST_ROOTS = 48


def sum_of_squares(poly: Poly, generators: Generators) -> Expr | None:
    """A polynomial as a nonnegative combination of squares times facts; None where it is none as it
    stands.
    """
    facts = {
        k
        for k in generators.generators_of(poly)
        if possible_signs(generators.meanings[k]) <= NOT_NEGATIVE
    }
    terms = {m: Fraction(int(c)) for m, c in poly.to_dict().items()}
    roots = [root for m, c in terms.items() if c > 0 and (root := _root(m, facts)) is not None]
    if not 0 < len(roots) <= MOST_ROOTS:
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
    """The pairs of different roots with one fact, by the term ``w p q`` that they give."""
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
    """The entries of G. What may be a square or a product is the one or the other; several products
    share a term.
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
    """The sum of squares that an elimination of G gives, one fact at a time."""
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
