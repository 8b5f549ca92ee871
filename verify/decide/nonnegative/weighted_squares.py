"""Sums of squares times facts, by one rational matrix for each fact: ``e = sum of fact * p^T G p``.

Every polynomial of one variable that is nonnegative on the line, on a half line or on an interval
has this form, with the distances from the ends as facts (Lukács 1918; Pólya & Szegő, "Aufgaben und
Lehrsätze aus der Analysis", VI, 44 to 47). The matrices are proposed by
``linear_algebra.gram_matrix`` and eliminated in rational numbers.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

from sympy import Add, Expr, Mul, Pow, Rational, S, cos, sin

from verify.decide.linear_algebra.gram_matrix import Equation, semidefinite_solution
from verify.decide.nonnegative.combination import products_of_facts
from verify.decide.zero.canonical import Canonical
from verify.decide.zero.ratio import Poly, Ratio

Monomial = tuple[int, ...]
# a fact as a polynomial, its form, and the monomials p of its matrix
Block = tuple[Poly, Expr, list[Monomial]]

MAX_GENERATORS, MAX_ROWS, MAX_DEGREE = 4, 16, 12


def weighted_squares(poly: Poly, canonical: Canonical) -> Expr | None:
    """A form of the polynomial whose sign can be read off; None if none was found."""
    generators = canonical.generators
    used = _with_partners(generators.generators_of(poly), canonical)
    if not 0 < len(used) <= MAX_GENERATORS or poly.total_degree() > MAX_DEGREE:
        return None
    blocks = _blocks(poly, used, canonical)
    rows = [(n, m) for n, (_, _, monomials) in enumerate(blocks) for m in monomials]
    if len(rows) > MAX_ROWS:
        return None
    found = semidefinite_solution(len(rows), _equations(poly, blocks, rows, canonical))
    if not found:
        return None
    squares = []
    for column, weight in found:
        n = next(n for (n, _), c in zip(rows, column, strict=True) if c)
        inside = Add(
            *(
                _rational(c) * generators.monomial_expression(m)
                for (_, m), c in zip(rows, column, strict=True)
                if c
            )
        )
        square = S.One if inside == 1 else Pow(inside, 2, evaluate=False)
        factors = [f for f in (_rational(weight), blocks[n][1], square) if f != 1]
        squares.append(Mul(*factors, evaluate=False) if len(factors) != 1 else factors[0])
    return Add(*squares, evaluate=False) if len(squares) > 1 else squares[0]


def _with_partners(used: list[int], canonical: Canonical) -> list[int]:
    """The generators in use, with the cosine of each sine and the sine of each cosine."""
    generators = canonical.generators
    found = set(used)
    for k in used:
        meaning = generators.meanings[k]
        if isinstance(meaning, sin | cos):
            other = (cos if isinstance(meaning, sin) else sin)(meaning.args[0])
            found.update(generators.generators_of(canonical.read(other).num))
    return sorted(found)


def _blocks(poly: Poly, used: list[int], canonical: Canonical) -> list[Block]:
    """The facts, each with the monomials whose squares times the fact are within the degrees."""
    found = []
    generators = canonical.generators
    highest, degree = list(poly.degrees()), int(poly.total_degree())
    for k in used:  # with cos^2 = 1 - sin^2 either may stand in the square of what has the other
        if isinstance(generators.meanings[k], sin | cos):
            highest[k] = max(highest[k], 2)
    degree += degree % 2
    for fact, form in products_of_facts(used, canonical):
        ends = [(int(highest[k]) - int(fact.degrees()[k])) // 2 for k in used]
        half = (degree - int(fact.total_degree())) // 2
        monomials = []
        for m in itertools.product(*(range(n + 1) for n in ends)):
            if sum(m) <= half:
                exponents = [0] * canonical.generators.capacity
                for k, n in zip(used, m, strict=True):
                    exponents[k] = n
                monomials.append(tuple(exponents))
        if monomials:
            found.append((fact, form, monomials))
    return found


def _equations(
    poly: Poly, blocks: list[Block], rows: list[tuple[int, Monomial]], canonical: Canonical
) -> list[Equation]:
    """One equation for each monomial; the entries between different facts are zero."""
    generators = canonical.generators
    context, one = generators.context, generators.number(1).den
    factors: dict[Monomial, dict[tuple[int, int], Fraction]] = {}
    apart = []
    for (p, (a, m)), (q, (b, n)) in itertools.combinations_with_replacement(enumerate(rows), 2):
        if a != b:
            apart.append(Equation({(p, q): Fraction(1)}, Fraction(0)))
            continue
        whole = tuple(x + y for x, y in zip(m, n, strict=True))
        value = generators.reduce(Ratio(blocks[a][0] * context.from_dict({whole: 1}), one))
        if value.den != 1:
            return []
        for exponents, c in value.num.to_dict().items():
            factors.setdefault(exponents, {})[p, q] = Fraction(int(c))
    targets = {m: Fraction(int(c)) for m, c in poly.to_dict().items()}
    if targets.keys() - factors.keys():
        return []
    return [*(Equation(f, targets.get(m, Fraction(0))) for m, f in factors.items()), *apart]


def _rational(c: Fraction) -> Rational:
    return Rational(c.numerator, c.denominator)
