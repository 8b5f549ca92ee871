"""Groups of blocks on which D is positive definite, so that there is noise in every direction."""

from __future__ import annotations

from sympy import Add, Expr, Matrix, Mul

from recipe.declare.dynamics import Dynamics
from recipe.language.abstract import DenseEntry
from recipe.language.blocks import Block, Vector
from recipe.language.entry import Coupling, parts
from recipe.language.symbols import GENERIC, OTHER
from recipe.language.total import labels
from recipe.signs.sign import is_nonnegative, is_positive
from verify.decide.linear_algebra.minors import has_positive_minors


def is_definite(dynamics: Dynamics, group: tuple[Block, ...]) -> bool:
    """Return True if D between these blocks is proved symmetric and positive definite, everywhere
    and for every length.
    """
    if len(group) == 1 and isinstance(group[0], Vector):
        entry = dynamics.diffusion[group[0], group[0]]
        assert isinstance(entry, Coupling)
        if entry.kernel != 0:
            return is_nonnegative(entry.diagonal) and is_definite_kernel(entry.kernel)
    return _is_definite_at_each_coordinate(dynamics, group)


def is_definite_kernel(kernel: Expr) -> bool:
    """Return True if the kernel is a sum of matrices ``c M`` with positive definite M and positive
    numbers c.
    """
    return all(_is_definite_matrix(term) for term in Add.make_args(kernel))


def _is_definite_matrix(term: Expr) -> bool:
    factors = Mul.make_args(term)
    matrices = [
        f
        for f in factors
        if isinstance(f, DenseEntry) and f.matrix.positive_definite and f.labels == (GENERIC, OTHER)
    ]
    rest = Mul(*(f for f in factors if f not in matrices))
    return len(matrices) == 1 and not labels(rest) and is_positive(rest)


def _is_definite_at_each_coordinate(dynamics: Dynamics, group: tuple[Block, ...]) -> bool:
    """Return True for one positive definite matrix at each coordinate.

    The group has vectors with plain diagonals between them, or scalars alone.
    """
    vectors = [isinstance(b, Vector) for b in group]
    entries = [parts(dynamics.diffusion[a, b]) for a in group for b in group]
    if any(vectors) != all(vectors) or any(p != 0 for e in entries for p in e[1:]):
        return False
    matrix = Matrix(len(group), len(group), [e[0] for e in entries])
    if any(
        (matrix[a, b] - matrix[b, a]).expand() != 0 for a in range(len(group)) for b in range(a)
    ):
        return False
    return has_positive_minors(matrix)
