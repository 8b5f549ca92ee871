"""Signs that are read off the numbers of a data set."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from sympy import Expr, Symbol

from recipe.language.data import ScalarData, VectorData, VectorParameter
from recipe.language.symbols import Indexed, generic

REAL_KINDS = "buif"  # of numpy's types of numbers


def with_signs(e: Expr, data: Iterable[tuple[Symbol, Any]]) -> Expr:
    """The expression with each Data symbol whose numbers are all nonnegative declared so."""
    for symbol, array in data:
        if _has_no_negative(array):
            e = e.xreplace({s: _nonnegative(s) for s in _written(symbol, e)})
    return e


def _written(symbol: Symbol, e: Expr) -> list[Symbol]:
    return [s for s in e.atoms(VectorData, ScalarData) if generic(s) == generic(symbol)]


def _nonnegative(s: Symbol) -> Symbol:
    if isinstance(s, Indexed):
        return Indexed.__new__(VectorParameter, s.base, s.length, s.label, (), nonnegative=True)
    return Symbol(s.name, nonnegative=True)


def _has_no_negative(array: Any) -> bool:
    """Return True if all numbers of nested lists or of an array are finite and at least 0; False
    for anything that is not a number.
    """
    if hasattr(array, "to_numpy"):  # a table, whose own comparisons pass over NaN
        array = array.to_numpy()
    if hasattr(array, "dtype") and hasattr(array, "shape"):
        plain = getattr(array.dtype, "kind", "") in REAL_KINDS and not hasattr(array, "mask")
        return plain and bool(((array >= 0) & (array < math.inf)).all())
    if isinstance(array, list | tuple):
        return all(_has_no_negative(row) for row in array)
    return isinstance(array, int | float) and 0 <= array < math.inf
