"""Polynomial equations in a few unknowns, solved by one linear factor after another.

The equations of an ansatz have linear factors: ``c (c - 1) = 0``. A system that needs more is left
unsolved.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

from sympy import Expr, PolynomialError, S, Symbol, factor_list, fraction, together

Solution = dict[Symbol, Expr]
MAX_EQUATION_OPERATIONS = 400  # a longer equation is not factored


def solutions(
    equations: Sequence[Expr], preferred: Mapping[Symbol, Expr], deadline: float
) -> Iterator[Solution]:
    """Yield values of the unknowns as rational functions of the other symbols, until a deadline.

    Args:
        equations: expressions that must vanish.
        preferred: the unknowns, each with the value that it gets where the equations leave it free.
        deadline: of ``time.process_time()``, in seconds.
    """
    factored = [
        f for f in (_factors(e, preferred) for e in dict.fromkeys(equations)) if f is not None
    ]
    yield from _solved(factored, dict(preferred), {}, deadline)


def _solved(
    left: list[list[Expr]], free: Solution, found: Solution, deadline: float
) -> Iterator[Solution]:
    """Yield solutions: solve one equation for one unknown, put the value in, and go on."""
    if any(not factors for factors in left) or time.process_time() > deadline:
        return  # an equation that no value satisfies
    if not left:
        yield {x: e.xreplace(free) for x, e in found.items()} | free
        return
    for x, value in _branches(left, free):
        put = {x: value}
        rest = {y: e for y, e in free.items() if y != x}
        again = [_factors(_product(factors).xreplace(put), rest) for factors in left]
        values = {y: together(e.xreplace(put)) for y, e in found.items()} | put
        yield from _solved([f for f in again if f is not None], rest, values, deadline)


def _branches(left: list[list[Expr]], unknowns: Mapping[Symbol, Expr]) -> list[tuple[Symbol, Expr]]:
    """Return values for one unknown, by an equation whose factors are all linear; an empty list if
    there is no such equation.
    """
    for factors in sorted(
        left, key=lambda factors: (len(factors), sum(f.count_ops() for f in factors))
    ):
        found = [_linear(f, unknowns) for f in factors]
        if all(f is not None for f in found):
            return sorted(
                (f for f in found if f is not None), key=lambda f: f[1] == 0
            )  # nonzero values first
    return []


def _product(factors: list[Expr]) -> Expr:
    result = S.One
    for f in factors:
        result *= f
    return result


def _factors(e: Expr, unknowns: Mapping[Symbol, Expr]) -> list[Expr] | None:
    """Return the factors of the numerator that contain unknowns; None where the expression is
    zero.
    """
    above, _ = fraction(together(e))
    above = above.expand()
    if above == 0:
        return None
    if above.count_ops() > MAX_EQUATION_OPERATIONS:
        return [above]
    try:
        _, factors = factor_list(above)
    except PolynomialError:
        return [above]
    return [f for f, _ in factors if f.free_symbols & unknowns.keys()]


def _linear(factor: Expr, unknowns: Mapping[Symbol, Expr]) -> tuple[Symbol, Expr] | None:
    """Return an unknown in which the factor is linear, with a coefficient free of unknowns, and its
    value; None if there is none.
    """
    for x in sorted(factor.free_symbols & unknowns.keys(), key=str):
        slope = factor.diff(x)
        if not slope.free_symbols & unknowns.keys():
            return x, together(-factor.xreplace({x: S.Zero}) / slope)
    return None
