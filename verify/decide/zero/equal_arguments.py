"""Equal arguments have equal values: ``h(sin(2 x)/2)`` is ``h(sin(x) cos(x))``.

Arguments that agree at points in general position are proposed, and the caller proves them equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

from sympy import Abs, Expr, Function, Pow, atan, cos, cosh, erf, sin, sinh, tan, tanh
from sympy.core.function import AppliedUndef

from verify.decide.zero.generic_values import may_vanish

ODD, EVEN = (sin, tan, sinh, tanh, atan, erf), (cos, cosh, Abs)
MAX_PAIRS = 40


def with_equal_arguments(e: Expr, is_zero: Callable[[Expr], bool]) -> Expr:
    """Return the expression with one form for arguments that ``is_zero`` proves to be equal."""
    for _ in range(MAX_PAIRS):
        found = next(_replacements(e, is_zero), None)
        if found is None:
            return e
        e = e.xreplace(dict([found]))
    return e


def _replacements(e: Expr, is_zero: Callable[[Expr], bool]) -> Iterator[tuple[Expr, Expr]]:
    """Yield applications of functions with equal values, the longer one first; innermost first."""
    applied = sorted(_applications(e), key=lambda a: (a.count_ops(), str(a)))
    pairs = [(a, b) for b, a in combinations(applied, 2) if _have_one_function(a, b)]
    for a, b in pairs[:MAX_PAIRS]:
        own, other = _arguments(a), _arguments(b)
        if all(_are_equal(x, y, is_zero) for x, y in zip(own, other, strict=True)):
            yield a, b
        elif isinstance(a, (*ODD, *EVEN)) and _are_equal(own[0], -other[0], is_zero):
            yield a, (b if isinstance(a, EVEN) else -b)


def _applications(e: Expr) -> list[Expr]:
    roots = {p for p in e.atoms(Pow) if p.exp.is_Rational and not p.exp.is_Integer}
    return [a for a in e.atoms(Function, AppliedUndef) | roots if a.args]


def _arguments(a: Expr) -> tuple[Expr, ...]:
    return (a.base,) if isinstance(a, Pow) else a.args


def _have_one_function(a: Expr, b: Expr) -> bool:
    if isinstance(a, Pow):
        return isinstance(b, Pow) and a.exp == b.exp
    return a.func == b.func and len(a.args) == len(b.args)


def _are_equal(x: Expr, y: Expr, is_zero: Callable[[Expr], bool]) -> bool:
    return bool(x == y) or (may_vanish(x - y) and is_zero(x - y))
