"""A function on a connected domain is zero if its derivatives vanish and it is zero at one point.

All symbols that vary over intervals are varied. Others, such as whole numbers, are fixed; the value
at the point must be zero for all of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from sympy import Expr, Rational, S, Symbol

from recipe.language.assumed import under
from recipe.language.calculus import abstract_atoms, partial
from verify.decide.identities.connected import connected_symbols, is_smooth_everywhere
from verify.decide.points.candidate_values import fits, is_inside
from verify.decide.points.general_position import is_zero_in_general_position
from verify.decide.zero.form import Form, Prove

MAX_SYMBOLS = 4
MAX_POINTS = 4
SIMPLE_VALUES = tuple(Rational(p, q) for p, q in ((0, 1), (1, 1), (1, 2), (-1, 1), (2, 1)))


def stay_constant(form: Form, prove: Prove) -> bool:
    """Return True if an expression is smooth, its derivatives are proved to be zero, and its value
    at one point is proved to be zero.

    All of this is proved without conditions between parameters, which could leave a domain that is
    not connected.
    """
    with under(()):
        return _stays_constant(form.written, prove)


def _stays_constant(e: Expr, prove: Prove) -> bool:
    symbols = connected_symbols(e)
    if not 0 < len(symbols) <= MAX_SYMBOLS or abstract_atoms(e) or not is_smooth_everywhere(e):
        return False
    if not all(prove(partial(e, s)) for s in symbols):
        return False
    return any(prove(value) for value in itertools.islice(_values(e, symbols), MAX_POINTS))


def _values(e: Expr, symbols: list[Symbol]) -> Iterator[Expr]:
    """Values at simple points of the domain where the expression seems to be zero."""
    for at in itertools.product(
        *([v for v in SIMPLE_VALUES if fits(v, s) and is_inside(v, s)] for s in symbols)
    ):
        value = e.xreplace(dict(zip(symbols, at, strict=True)))
        if not value.has(S.NaN, S.ComplexInfinity, S.Infinity) and (
            value == 0 or is_zero_in_general_position(value)
        ):
            yield value
