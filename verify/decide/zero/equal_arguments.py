"""Functions at arguments that are equal, but do not look so, are given the same argument."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import (
    Expr,
    Pow,
    atan,
    cos,
    erf,
    exp,
    log,
    loggamma,
    polygamma,
    sin,
)

from recipe.language.symbols import GENERIC, OTHER
from recipe.language.total import free_places, labels, relabel
from verify.decide.points.general_position import is_zero_in_general_position
from verify.decide.zero.form import Prove

OPAQUE = (atan, cos, erf, exp, log, loggamma, polygamma, sin, Pow)
MAX_FUNCTIONS = 16
MAX_REPLACEMENTS = 6


def unite_arguments(e: Expr, kinds: tuple[type[Expr], ...], prove: Prove) -> Expr:
    """Return the expression with equal arguments of functions of some kinds replaced by the
    simplest of them.
    """
    for _ in range(MAX_REPLACEMENTS):
        pair = next((pair for pair in _pairs(e, kinds) if _are_equal(*pair, prove)), None)
        if pair is None:
            break
        e = e.xreplace({pair[1]: pair[0]})
    return e


def _pairs(e: Expr, kinds: tuple[type[Expr], ...]) -> Iterator[tuple[Expr, Expr]]:
    """Pairs of applications of one function, first the one that replaces the other; inner functions
    come first.
    """
    found = sorted(filter(_is_opaque, e.atoms(*kinds)), key=lambda f: (f.count_ops(), str(f)))
    for k, g in enumerate(found[:MAX_FUNCTIONS]):
        for f in found[:k]:
            if _function(f) != _function(g):
                continue
            # what replaces a function has no index that is not bound where the function stands
            if free_places(f) <= free_places(g):
                yield f, g
            elif free_places(g) <= free_places(f):
                yield g, f


def _is_opaque(f: Expr) -> bool:
    return not isinstance(f, Pow) or bool(f.exp.is_Rational and not f.exp.is_Integer)


def _function(f: Expr) -> object:
    return (f.exp,) if isinstance(f, Pow) else (f.func, len(f.args))


def _are_equal(f: Expr, g: Expr, prove: Prove) -> bool:
    gaps = [_at_free_indices(a - b) for a, b in zip(f.args, g.args, strict=True) if a != b]
    return all(gap is not None and is_zero_in_general_position(gap) and prove(gap) for gap in gaps)


def _at_free_indices(e: Expr) -> Expr | None:
    """The expression with free indices in place of those that a total binds; None if it has too
    many.
    """
    bound = sorted(labels(e) - {GENERIC, OTHER})
    free = [k for k in (GENERIC, OTHER) if k not in labels(e)]
    if len(bound) > len(free):
        return None
    for label, place in zip(bound, free, strict=False):
        e = relabel(e, label, place)
    return e
