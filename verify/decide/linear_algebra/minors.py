"""Sylvester's criterion: a symmetric matrix is positive definite iff its leading principal minors
are all positive.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, Matrix, factor

from recipe.language.sign import is_positive


def leading_minors(matrix: Matrix) -> Iterator[Expr]:
    """Yield the determinants of the leading square parts, the smallest first, without a
    division.
    """
    return (matrix[:k, :k].det(method="berkowitz") for k in range(1, matrix.rows + 1))


def has_positive_minors(matrix: Matrix) -> bool:
    """Return True if every leading principal minor is proved positive, which proves positive
    definiteness.

    Each minor is tried as it stands and factored. False proves nothing.
    """
    return all(is_positive(m) or is_positive(factor(m)) for m in leading_minors(matrix))
