"""Positive definite matrices: by constant parts, and by Sylvester's criterion, that a symmetric
matrix is positive definite iff its leading principal minors are all positive.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from sympy import Add, Expr, Matrix, factor
from sympy.polys.matrices import DomainMatrix

from recipe.signs.sign import is_nonnegative, is_positive
from verify.decide.linear_algebra.semidefinite import Indefinite, Numbers, eliminate


def leading_minors(matrix: Matrix) -> Iterator[Expr]:
    """Yield the determinants of the leading square parts, the smallest first, up to the first that
    is zero.

    They are the pivots of an elimination without fractions (Bareiss 1968), in which every division
    is exact: of the order of ``n^3`` products for n rows.
    """
    A = DomainMatrix.from_Matrix(matrix)
    rows, ring = A.to_list(), A.domain
    if not (ring.is_ZZ or ring.is_QQ or ring.is_PolynomialRing):
        A = A.to_field()  # a ring in which sympy knows no exact division
        rows, ring = A.to_list(), A.domain
    before = ring.one
    for k, pivot_row in enumerate(rows):
        pivot = pivot_row[k]
        yield ring.to_sympy(pivot)
        if not pivot:
            return
        for row in rows[k + 1 :]:
            first = row[k]
            for m in range(k + 1, len(rows)):
                row[m] = ring.exquo(row[m] * pivot - first * pivot_row[m], before)
        before = pivot


def has_positive_minors(matrix: Matrix) -> bool:
    """Return True if a symmetric matrix is proved positive definite: by its constant parts, or as
    every leading principal minor is proved positive.

    Each minor is tried as it stands and factored. False proves nothing.
    """
    return _has_definite_parts(matrix) or (
        all(is_positive(m) or is_positive(factor(m)) for m in leading_minors(matrix))
    )


def _has_definite_parts(matrix: Matrix) -> bool:
    """Return True for a sum of nonnegative functions times constant positive semidefinite matrices,
    if the matrices of the positive functions have a positive definite sum.

    That sum is definite where its elimination has as many pivots as rows. A function that is
    positive is at least something positive at every point, so the whole is definite there.
    """
    n = range(matrix.rows)
    parts: dict[Expr, Numbers] = {}
    for a in n:
        for b in n:
            for term in Add.make_args(matrix[a, b]):
                c, f = term.as_coeff_Mul(rational=True)
                part = parts.setdefault(f, [[Fraction(0)] * len(n) for _ in n])
                part[a][b] += Fraction(int(c.p), int(c.q))
    if not all(map(is_nonnegative, parts)):
        return False
    if any(isinstance(eliminate(C), Indefinite) for C in parts.values()):
        return False
    positive = [C for f, C in parts.items() if is_positive(f)]
    together = [[sum((C[a][b] for C in positive), Fraction(0)) for b in n] for a in n]
    pivots = eliminate(together)
    return not isinstance(pivots, Indefinite) and len(pivots) == len(n)
