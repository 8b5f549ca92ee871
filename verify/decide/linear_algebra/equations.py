"""Linear equations and inverses over a field with exact arithmetic, by sympy's ``DomainMatrix``.

A field is a sympy domain: its elements know ``+``, ``-``, ``*`` and ``**``, and are false where
they are zero.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from sympy import Matrix
from sympy.polys.domains.domain import Domain
from sympy.polys.matrices import DomainMatrix
from sympy.polys.matrices.exceptions import DMNonInvertibleMatrixError

Element = Any  # of the field: sympy has no public type for the elements of a domain
Sparse = Mapping[Any, Element]
Rows = list[list[Element]]


def solve(
    columns: Sequence[Sparse], target: Sparse, field: Domain, *, only: bool = False
) -> list[Element] | None:
    """Solve ``sum of weights * columns = target``.

    Args:
        columns: sparse vectors, with the same kind of keys as the target.
        target: the vector on the right.
        field: where the elements are from.
        only: whether a solution counts only if there is no other.

    Returns:
        The weights, with zero for those that remain free. None if there is no solution, or if it is
        not the only one and ``only`` is True.
    """
    rows: dict[Hashable, dict[int, Element]] = {}
    for place, vector in enumerate((*columns, target)):
        for key, e in vector.items():
            if e:
                rows.setdefault(key, {})[place] = e
    width = len(columns)
    joint = DomainMatrix(dict(enumerate(rows.values())), (len(rows), width + 1), field)
    reduced, pivots = joint.rref()
    if width in pivots or (only and len(pivots) < width):
        return None
    weights = [field.zero] * width
    found = reduced.to_dod()
    for row, place in enumerate(pivots):
        weights[place] = found[row].get(width, field.zero)
    return weights


def inverse(matrix: Rows, field: Domain) -> Rows | None:
    """Return the inverse of a square matrix; None if it is singular."""
    try:
        return list(DomainMatrix(matrix, (len(matrix), len(matrix)), field).inv().to_list())
    except DMNonInvertibleMatrixError:
        return None


def solve_rational(A: Matrix, b: Matrix) -> Matrix | None:
    """Return the solution of ``A x = b`` over rational functions of the symbols in A and b; None
    where A is singular.
    """
    joint = DomainMatrix.from_Matrix(Matrix.hstack(A, b)).to_field()
    n = range(A.rows)
    left, right = joint.extract(n, n), joint.extract(n, range(A.rows, joint.shape[1]))
    try:
        return left.lu_solve(right).to_Matrix()
    except DMNonInvertibleMatrixError:
        return None
