"""Sylvester's criterion: a symmetric matrix is positive definite iff its leading principal minors
are positive.
"""

from __future__ import annotations

from sympy import Matrix, factor

from recipe.language.sign import is_positive


def has_positive_minors(matrix: Matrix) -> bool:
    """Whether the leading minors of a symmetric matrix are all proved positive, as they are or
    factored.
    """
    minors = (matrix[:k, :k].det(method="berkowitz") for k in range(1, matrix.rows + 1))
    return all(is_positive(m) or is_positive(factor(m)) for m in minors)
