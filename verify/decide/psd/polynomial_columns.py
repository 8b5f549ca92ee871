"""A factor of D with polynomial columns: ``x^T D x`` as a sum of squares that are linear in x.

The squares are of combinations of ``x_a m`` with monomials m, so a rational matrix G between these
products decides, and no pivot is divided by. G is proposed by ``linear_algebra.gram_matrix``. It
has as many rows as there are products, so that the work grows like a power of the number of
coordinates. Relations such as ``cos^2 = 1 - sin^2`` hold between the monomials.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import prod

from sympy import Add, Expr, Rational, S

from recipe.language.blocks import Vector
from recipe.language.entry import Coupling, Number, is_diagonal, parts
from recipe.language.symbols import Length
from verify.decide.linear_algebra.gram_matrix import Equation, semidefinite_solution
from verify.decide.psd.elimination import Certify, NotReachedError
from verify.decide.psd.field import RatioField
from verify.decide.zero.ratio import Poly, Ratio, ratio
from verify.evidence import FactorColumn, SignStep
from verify.generator.coupling import Diffusion, Group

Monomial = tuple[int, ...]
Product = tuple[int, Monomial]  # x_a m: the row a and the exponents of m

MAX_PRODUCTS, MAX_GENERATORS = 40, 12


def polynomial_columns(
    diffusion: Diffusion, group: Group, field: RatioField, certify: Certify
) -> list[tuple[FactorColumn, SignStep]]:
    """The columns of the factor, for a group of scalars or of diagonal vectors of one length.

    Raises:
        NotReachedError: if the group is of another kind, or no such factor was found.
    """
    lengths = {b.length if isinstance(b, Vector) else None for b in group}
    if len(lengths) > 1 or not all(is_diagonal(diffusion[a, b]) for a in group for b in group):
        raise NotReachedError("the group is not one small matrix at each coordinate")
    read = [[field.read(parts(diffusion[a, b])[0]) for b in group] for a in group]
    below = _common_denominator([r for row in read for r in row], field)
    matrix = [[(r * Ratio(below, field.one.den)).num for r in row] for row in read]
    products = _products(matrix, field)
    found = semidefinite_solution(len(products), _equations(matrix, products, field))
    sign = certify(ratio(field.one.num, below))
    if found is None or sign is None:
        raise NotReachedError("no sum of squares was found")
    return [
        _column(column, weight, products, group, sign, lengths.copy().pop(), field)
        for column, weight in found
    ]


def _common_denominator(read: list[Ratio], field: RatioField) -> Poly:
    found = field.one.den
    for r in read:
        found = found * (r.den // found.gcd(r.den))
    return found


def _products(matrix: list[list[Poly]], field: RatioField) -> list[Product]:
    """The products ``x_a m`` that may stand in a square: twice m is within the degrees of the
    diagonal, or of the row where generators have relations.
    """
    generators = field.generators
    found: list[Product] = []
    for a, row in enumerate(matrix):
        used = _used_in_row(a, row, field)
        if len(used) > MAX_GENERATORS:
            raise NotReachedError("a row has too many variables")
        ends = [
            1 if generators.square_of(k) is not None else int(row[a].degrees()[k]) // 2
            for k in used
        ]
        related = {k for k in used if _is_related(k, used, field)}
        ends = [max(end, 1) if k in related else end for k, end in zip(used, ends, strict=True)]
        degree = max(-(-int(p.total_degree()) // 2) for p in row)
        if prod(n + 1 for n in ends) > 2**MAX_GENERATORS:
            raise NotReachedError("too many monomials")
        for m in itertools.product(*(range(n + 1) for n in ends)):
            if sum(m) <= degree:
                exponents = [0] * generators.capacity
                for k, n in zip(used, m, strict=True):
                    exponents[k] = n
                found.append((a, tuple(exponents)))
    found = _without_lonely(found, matrix, field)
    if len(found) > MAX_PRODUCTS:
        raise NotReachedError("too many monomials")
    return found


def _used_in_row(a: int, row: list[Poly], field: RatioField) -> list[int]:
    """The generators of a diagonal entry, and those that all other entries of its row share.

    A square that is linear in x_a seldom needs others.
    """
    own = set(field.generators.generators_of(row[a]))
    others = [set(field.generators.generators_of(p)) for b, p in enumerate(row) if b != a and p]
    return sorted(own.union(set.intersection(*others) if others else set()))


def _is_related(k: int, used: list[int], field: RatioField) -> bool:
    """Whether the square of some generator in use is written by generator k."""
    squares = [s for n in used if (s := field.generators.square_of(n)) is not None]
    return any(k in field.generators.generators_of(s.num) for s in squares)


def _without_lonely(
    products: list[Product], matrix: list[list[Poly]], field: RatioField
) -> list[Product]:
    """The products without those whose square has no other way to cancel: their row of G is zero.

    It has none where no other two products of the row give the same monomial, which D lacks.
    """
    if any(
        field.generators.square_of(k) is not None for k in range(len(field.generators.meanings))
    ):
        return products
    written = [set(row[a].to_dict()) for a, row in enumerate(matrix)]
    while True:
        left = []
        for a, m in products:
            square = tuple(2 * n for n in m)
            others = (
                tuple(x + y for x, y in zip(p, q, strict=True))
                for (b, p), (c, q) in itertools.combinations(products, 2)
                if b == c == a
            )
            if square in written[a] or any(o == square for o in others):
                left.append((a, m))
        if left == products:
            return left
        products = left


def _equations(
    matrix: list[list[Poly]], products: list[Product], field: RatioField
) -> list[Equation]:
    """One equation for each monomial of each entry of D."""
    generators, one = field.generators, field.one.den
    factors: dict[Product, dict[tuple[int, int], Fraction]] = {}
    size = len(matrix)
    for (p, (a, m)), (q, (b, n)) in itertools.combinations_with_replacement(enumerate(products), 2):
        whole = tuple(x + y for x, y in zip(m, n, strict=True))
        value = generators.reduce(Ratio(generators.context.from_dict({whole: 1}), one))
        if value.den != 1:
            raise NotReachedError("a relation has a denominator")
        for exponents, c in value.num.to_dict().items():
            found = factors.setdefault((a * size + b, exponents), {})
            # x_a x_b has the coefficient 2 D_ab, and G stands there twice as well
            found[p, q] = Fraction(int(c)) / (1 if p == q or a == b else 2)
    targets = {
        (a * size + b, exponents): Fraction(int(c))
        for a in range(size)
        for b in range(a, size)
        for exponents, c in matrix[a][b].to_dict().items()
    }
    if targets.keys() - factors.keys():
        raise NotReachedError("a term of D is no product of two monomials of squares")
    return [Equation(f, targets.get(key, Fraction(0))) for key, f in factors.items()]


def _column(
    column: tuple[Fraction, ...],
    weight: Fraction,
    products: list[Product],
    group: Group,
    sign: SignStep,
    length: Length | None,
    field: RatioField,
) -> tuple[FactorColumn, SignStep]:
    rows: list[list[Expr]] = [[] for _ in group]
    for c, (a, m) in zip(column, products, strict=True):
        if c:
            rows[a].append(_rational(c) * field.generators.monomial_expression(m))
    entries = tuple(
        (b, Coupling(Add(*row), S.Zero) if length is not None else Number(Add(*row)))
        for b, row in zip(group, rows, strict=True)
        if row
    )
    w = _rational(weight)
    scaled = SignStep(w * sign.e, sign.sign, w * sign.form)
    return FactorColumn(length, entries, scaled.e), scaled


def _rational(c: Fraction) -> Rational:
    return Rational(c.numerator, c.denominator)
