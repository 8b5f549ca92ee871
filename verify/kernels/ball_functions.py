"""Expressions as functions of complex balls, for rigorous integration over one number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import Any

import flint
from sympy import (
    Add,
    Expr,
    Float,
    Mul,
    Pow,
    Rational,
    Symbol,
    atan,
    cos,
    cosh,
    cse,
    erf,
    exp,
    log,
    pi,
    sin,
    sinh,
    tanh,
)

ComplexBall = Any  # flint.acb
Balls = dict[Symbol, ComplexBall]
Compiled = Callable[[Balls, bool], ComplexBall]
UNARY = {exp: "exp", sin: "sin", cos: "cos", sinh: "sinh", cosh: "cosh", tanh: "tanh", erf: "erf"}


TOLERANCE = 2.0**-20
MAX_EVALUATIONS = 4_000


class NotCompiledError(Exception):
    """The expression has a function that is not computed with complex balls here."""


def ball_function(e: Expr) -> Compiled:
    """Return a function of the values of the symbols and of a flag, which gives a ball around the
    value of e.

    With the flag the value is not finite where e may not be analytic on the balls, as Arb's
    integration asks.

    Raises:
        NotCompiledError: where e has other functions than the elementary ones.
    """
    shared, (rest,) = cse([e])  # each subexpression is computed once
    steps = [(s, _compiled(part)) for s, part in shared]
    last = _compiled(rest)

    def value(at: Balls, analytic: bool) -> ComplexBall:
        at = dict(at)
        for s, f in steps:
            at[s] = f(at, analytic)
        return last(at, analytic)

    return value


@singledispatch
def _compiled(e: Expr) -> Compiled:
    name = UNARY.get(type(e))
    if name is None:
        raise NotCompiledError(e)
    inner = _compiled(e.args[0])
    return lambda at, analytic: getattr(inner(at, analytic), name)()


@_compiled.register
def _(e: Symbol) -> Compiled:
    return lambda at, analytic: at[e]


@_compiled.register
def _(e: Rational) -> Compiled:
    value = flint.acb(flint.arb(flint.fmpq(int(e.p), int(e.q))))
    return lambda at, analytic: value


@_compiled.register
def _(e: Float) -> Compiled:
    raise NotCompiledError(e)


@_compiled.register(type(pi))
def _(e: Expr) -> Compiled:
    return lambda at, analytic: flint.acb(flint.arb.pi())


@_compiled.register
def _(e: Add) -> Compiled:
    terms = [_compiled(a) for a in e.args]
    return lambda at, analytic: sum((f(at, analytic) for f in terms), flint.acb(0))


@_compiled.register
def _(e: Mul) -> Compiled:
    factors = [_compiled(a) for a in e.args]

    def product(at: Balls, analytic: bool) -> ComplexBall:
        value = flint.acb(1)
        for f in factors:
            value = value * f(at, analytic)
        return value

    return product


@_compiled.register
def _(e: Pow) -> Compiled:
    base = _compiled(e.base)
    if e.exp.is_Integer:
        n = int(e.exp)
        return lambda at, analytic: base(at, analytic) ** n
    if e.exp.is_Rational and abs(e.exp.q) == 2:
        k = int(e.exp.p)
        return lambda at, analytic: base(at, analytic).sqrt(analytic=analytic) ** k
    power = _compiled(e.exp)
    return lambda at, analytic: (
        base(at, analytic).log(analytic=analytic) * power(at, analytic)
    ).exp()


@_compiled.register
def _(e: log) -> Compiled:
    inner = _compiled(e.args[0])
    return lambda at, analytic: inner(at, analytic).log(analytic=analytic)


@_compiled.register
def _(e: atan) -> Compiled:
    raise NotCompiledError(e)  # it has branch cuts, which Arb does not report


def integral(
    f: Callable[[ComplexBall, bool], ComplexBall],
    ends: Sequence[Any],
    tolerance: float = TOLERANCE,
    evaluations: int = MAX_EVALUATIONS,
) -> Any:
    """Return a real ball around the integral of f between two real numbers.

    Args:
        f: the integrand, as ``ball_function`` gives it.
        ends: the two numbers.
        tolerance: the error that is aimed at; the ball has the error that is reached.
        evaluations: of the integrand; where they run out the ball is larger, or not finite.
    """
    low, high = ends
    return flint.acb.integral(
        f, low, high, rel_tol=tolerance, abs_tol=tolerance, eval_limit=evaluations
    ).real
