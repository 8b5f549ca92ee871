"""Derived entries of D in the form in which a person writes them in a Recipe."""

from __future__ import annotations

from sympy import Add, Expr, ImmutableDenseMatrix, Mul, S

from recipe import Dense
from recipe.declare.dynamics import Dynamics
from recipe.language.abstract import DenseEntry
from recipe.language.entry import Coupling, Entry, outer
from recipe.language.symbols import GENERIC, OTHER
from recipe.language.total import labels, relabel


def written_diffusion(dynamics: Dynamics) -> ImmutableDenseMatrix | None:
    """Return D as a matrix with one row and column for each block; None where an entry cannot be
    written.
    """
    entries = [
        [written_entry(dynamics.diffusion[row, column]) for column in dynamics.state]
        for row in dynamics.state
    ]
    return (
        None if any(e is None for line in entries for e in line) else ImmutableDenseMatrix(entries)
    )


def written_entry(entry: Entry) -> Expr | None:
    """Return one entry as a diagonal plus summands ``outer(u, v)`` and ``Dense`` with
    coordinate-free factors; None where it is not of this form.
    """
    if not isinstance(entry, Coupling):
        return entry.value
    summands = [
        _written_summand(term) for term in Add.make_args(entry.kernel.expand()) if term != 0
    ]
    return None if any(s is None for s in summands) else Add(entry.diagonal, *summands)


def _written_summand(term: Expr) -> Expr | None:
    """Return a summand of a kernel as ``outer(u, v)`` or a multiple of a matrix; None where it is
    neither.
    """
    number, row, column, matrix = S.One, S.One, S.One, None
    for factor in Mul.make_args(term):
        found = labels(factor)
        if isinstance(factor, DenseEntry) and found == {GENERIC, OTHER} and matrix is None:
            matrix = _dense(factor)
        elif found == {GENERIC}:
            row *= factor
        elif found == {OTHER}:
            column *= factor
        elif not found:
            number *= factor
        else:
            return None
    if matrix is not None:
        return number * matrix if row == column == 1 else None
    return number * outer(row, relabel(column, OTHER, GENERIC))


def _dense(entry: DenseEntry) -> Expr:
    M: Dense = entry.matrix
    return M if M.symmetric or entry.labels[0] == GENERIC else M.T
