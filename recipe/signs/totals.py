"""The signs of a sum with a total: less one of its summands, or over the open simplex.

The functions are given ``signs``, which proves the sign of any expression.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Add, Expr, Mul, S

from recipe.language.domain import on_simplex
from recipe.language.symbols import GENERIC
from recipe.language.total import Total, free_indexed, labels, relabel
from recipe.signs.sets import ANY, NOT_NEGATIVE, Ask, Signs, signs_of_sum


def sign_on_simplex(e: Add, signs: Ask) -> Signs:
    """The signs of ``a + b s``, where s is the sum of the coordinates on the open simplex.

    As ``a + b s = (1 - s) a + s (a + b)`` and 0 < s < 1, the signs of a and a + b decide.
    """
    for _, a, b in of_sum_on_simplex(e):
        found = signs_of_sum([signs(a), signs(a + b)])
        if found != ANY:
            return found
    return ANY


def of_sum_on_simplex(e: Add) -> Iterator[tuple[Expr, Expr, Expr]]:
    """Yield every ``(s, a, b)`` with ``e = a + b s``, where s is the sum of a block on the simplex;
    s may occur in a and b as well.
    """
    for s in sorted(e.atoms(Total), key=str):
        body = relabel(s.body, s.index.label, GENERIC)
        if on_simplex(body):
            own = [t for t in e.args if s in Mul.make_args(t)]
            if own:
                yield s, Add(*(t for t in e.args if t not in own)), Add(*(t / s for t in own))


def sign_without_one(e: Add, signs: Ask) -> Signs:
    """The signs of ``c total(f) + rest`` with nonnegative c and f: it is at least ``c f + rest``
    with f at any one coordinate, as ``total(f) - f`` is the sum of f over all others.
    """
    for _, _, at_one in less_one_summand(e, signs):
        if signs(at_one) <= NOT_NEGATIVE:
            return NOT_NEGATIVE
    return ANY


def less_one_summand(e: Add, signs: Ask) -> Iterator[tuple[Expr, Expr, Expr]]:
    """Yield every ``(c, total(f) - f, c f + rest)`` of a sum ``c total(f) + rest``, with c and f
    nonnegative, c free of coordinates, and f at a free coordinate of e.
    """
    for t in e.args:
        for s in (a for a in Mul.make_args(t) if isinstance(a, Total)):
            c = t / s
            if labels(c) or not signs(c) <= NOT_NEGATIVE or labels(s):
                continue
            if not signs(s.body) <= NOT_NEGATIVE:
                continue
            for label in sorted(labels(e)):
                one = relabel(s.body, s.index.label, label)
                if any(x.length == s.index.length for x in free_indexed(one)):
                    minus = Mul(S.NegativeOne, one, evaluate=False)
                    yield c, Add(s, minus, evaluate=False), (e - t + c * one).expand()
