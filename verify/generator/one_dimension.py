"""Expressions with every block at length one: the state is a point with explicit coordinates."""

from __future__ import annotations

from sympy import Expr, S

from recipe.language.abstract import DenseEntry, Partial, Potential
from recipe.language.symbols import GENERIC, Index, Indexed, Length
from recipe.language.total import Total


def at_length_one(e: Expr) -> Expr:
    """The expression where every block has one coordinate.

    A sum becomes its one summand, a length 1, a matrix its one entry. All labels become the generic
    one, so a derivative with respect to a block is that with respect to its coordinate.
    """
    if isinstance(e, Length):
        return S.One
    if isinstance(e, Indexed):
        return e.at(GENERIC)
    if isinstance(e, Potential) or not e.args:
        return e
    if isinstance(e, Total):
        return at_length_one(e.body)
    if isinstance(e, Partial):
        return Partial(*(at_length_one(a) for a in e.args))
    if isinstance(e, DenseEntry):
        return DenseEntry(e.matrix, *(Index("", a.length, GENERIC) for a in e.args[1:]))
    return e.func(*(at_length_one(a) for a in e.args))
