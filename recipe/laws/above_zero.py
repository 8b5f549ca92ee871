"""Whether an argument of a law is above 0: proved, refuted at a point, left to the data, or
open.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import islice, product

from sympy import Dummy, Expr, Integer, Interval, Rational, Symbol, oo

from recipe.language.blocks import Scalar, Vector
from recipe.language.data import ScalarData, VectorData
from recipe.language.domain import on_simplex
from recipe.language.errors import RecipeError
from recipe.language.log_density import Demand
from recipe.language.symbols import Indexed, Length, generic
from recipe.language.total import Total, without_hot
from recipe.signs.sign import is_nonnegative, is_positive

DATA = (ScalarData, VectorData)
MAX_POINTS = 400
STEPS = (1, Rational(1, 2), 2, Rational(1, 100), 100)  # from an end of an interval, or from 0


class SupportWarning(UserWarning):
    """The warning that an argument of a law is not seen to lie in its range."""


def demands_above_zero(e: Expr, where: str) -> list[Demand]:
    """Return what must hold of data so that an expression is above 0 almost everywhere, wherever
    blocks and parameters may be.

    Args:
        e: the expression, of several symbols.
        where: what it is, as messages name it.

    Raises:
        RecipeError: where it is negative at a point, which the message names.

    Warns:
        SupportWarning: where its sign is open.
    """
    e = _at_one_coordinate(e)
    if is_positive(e) or is_nonnegative(e):
        return []
    data = sorted({generic(s) for s in e.atoms(*DATA) if not _is_derived(s)}, key=str)
    for open_at_zero in (False, True) if data else ():
        if is_positive(_with_signs(e, open_at_zero)):
            role = f"a number in {where}, {e},"
            return [Demand(s, role, lower=Integer(0), open=open_at_zero) for s in data]
    point = None if data else _point_below_zero(e)
    if point is not None:
        shown = ", ".join(f"{s} = {value}" for s, value in point.items())
        raise RecipeError(
            f"{where} is {e}, which is {e.xreplace(point)} at {shown}, and it must be above 0;"
            " declare its blocks with domains on which it is, such as Interval.open(0, oo), or"
            " write exp(...)"
        )
    warnings.warn(
        f"{where} is {e}, which is not seen to be above 0 everywhere; where it is not, the law has"
        " another density than is meant",
        SupportWarning,
        stacklevel=5,
    )
    return []


def _is_derived(s: Symbol) -> bool:
    return isinstance(s, VectorData) and s.labels is not None


def _with_signs(e: Expr, positive: bool) -> Expr:
    """The expression with data of one sign: above 0, or 0 and more."""
    signs = {"positive" if positive else "nonnegative": True}
    stands: dict[Symbol, Symbol] = {}
    for s in e.atoms(*DATA):
        if _is_derived(s):
            continue
        stands[s] = (
            Indexed.__new__(VectorData, s.base, s.length, s.label, (), **signs)
            if isinstance(s, VectorData)
            else Dummy(s.name, **signs)
        )
    return e.xreplace(stands)


def _at_one_coordinate(e: Expr) -> Expr:
    """The expression with the coordinates that labels name written as any coordinate; one of a
    simplex as a number between 0 and 1.
    """
    named = {t: without_hot(t.body) for t in e.atoms(Total) if without_hot(t.body) != t.body}
    e = e.xreplace(named)
    on_simplices = {s for s in e.atoms(Vector) if on_simplex(s)}
    if any(t.atoms(Vector) & on_simplices for t in e.atoms(Total)):
        return e
    unit = Interval.open(0, 1)
    return e.xreplace({s: Vector(s.base, domain=unit).at(s.label) for s in on_simplices})


def _point_below_zero(e: Expr) -> dict[Symbol, Expr] | None:
    """A point at which an expression is negative, exactly; None where none was found."""
    if e.atoms(Total) or e.atoms(Length):
        return None
    symbols = sorted(e.free_symbols, key=str)
    for values in islice(product(*(list(_values(s)) for s in symbols)), MAX_POINTS):
        point = dict(zip(symbols, values, strict=True))
        if e.xreplace(point).is_negative:
            return point
    return None


def _values(s: Symbol) -> Iterator[Expr]:
    """Some numbers that a block or a parameter may have."""
    domain = s.domain if isinstance(s, Scalar | Vector) else _of_assumptions(s)
    low, high = domain.inf, domain.sup
    if low == -oo and high == oo:
        yield from (sign * Integer(1) * step for step in STEPS for sign in (-1, 1))
    elif high == oo:
        yield from (low + step for step in STEPS)
    elif low == -oo:
        yield from (high - step for step in STEPS)
    else:
        yield from (low + (high - low) * Rational(k, 8) for k in (1, 2, 4, 6, 7))


def _of_assumptions(s: Symbol) -> Interval:
    if s.is_positive or s.is_nonnegative:
        return Interval.open(0, oo)
    return Interval(-oo, oo)
