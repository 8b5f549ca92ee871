"""Sylvester's criterion: a symmetric matrix is positive definite iff its leading principal minors
are all positive.
"""

from __future__ import annotations

from sympy import Matrix, factor

from recipe.language.sign import is_positive


def has_positive_minors(matrix: Matrix) -> bool:
    """Return True if every leading principal minor is proved positive, which proves positive
    definiteness.

    Each minor is tried as it stands and factored. False proves nothing.
    """
    minors = (matrix[:k, :k].det(method="berkowitz") for k in range(1, matrix.rows + 1))
    return all(is_positive(m) or is_positive(factor(m)) for m in minors)
