"""Expressions as functions of complex balls, for rigorous integration over one number.

Several expressions become one program: a list of steps that each make one ball from earlier ones,
so that what expressions share is computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce, singledispatchmethod
from operator import add, mul
from typing import Any

import flint
from sympy import (
    Add,
    Expr,
    Mul,
    Pow,
    Rational,
    Symbol,
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
Registers = list[ComplexBall]
Step = Callable[[Registers, bool], ComplexBall]
BallFunction = Callable[[Sequence[ComplexBall], bool], Registers]
UNARY = {exp: "exp", sin: "sin", cos: "cos", sinh: "sinh", cosh: "cosh", tanh: "tanh", erf: "erf"}
TOLERANCE = 2.0**-20  # of an integral, relative and absolute
MAX_EVALUATIONS = 4_000  # of the integrand


class NotCompiledError(Exception):
    """The expression has a function that is not computed with complex balls here."""


def ball_function(expressions: Sequence[Expr], symbols: Sequence[Symbol]) -> BallFunction:
    """Return a function of the values of the symbols and of a flag, which gives a ball around the
    value of each expression.

    With the flag a value is not finite where its expression may not be analytic on the balls, as
    Arb's integration asks.

    Raises:
        NotCompiledError: where an expression has other symbols, or other functions than entire
            ones, rational ones, roots and logarithms.
    """
    program = _Program(symbols)
    shared, rest = cse(expressions)
    for s, part in shared:
        program.places[s] = program.place(part)
    ends = [program.place(e) for e in rest]
    steps = program.steps

    def values(at: Sequence[ComplexBall], analytic: bool) -> Registers:
        registers = list(at)
        for step in steps:
            registers.append(step(registers, analytic))
        return [registers[k] for k in ends]

    return values


class _Program:
    """The steps so far, and the register of each expression that they compute."""

    def __init__(self, symbols: Sequence[Symbol]) -> None:
        self.places: dict[Expr, int] = {s: k for k, s in enumerate(symbols)}
        self.first = len(self.places)
        self.steps: list[Step] = []

    def place(self, e: Expr) -> int:
        """The register of an expression, which is computed if it was not yet."""
        if e not in self.places:
            step = self.step(e)
            self.steps.append(step)
            self.places[e] = self.first + len(self.steps) - 1
        return self.places[e]

    @singledispatchmethod
    def step(self, e: Expr) -> Step:
        """The step that computes an expression from the registers of its arguments."""
        name = UNARY.get(type(e))
        if e is pi:
            return lambda registers, analytic: flint.acb(flint.arb.pi())
        if name is None:
            raise NotCompiledError(e)
        k = self.place(e.args[0])
        return lambda registers, analytic: getattr(registers[k], name)()

    @step.register
    def _(self, e: Rational) -> Step:
        value = flint.acb(flint.arb(flint.fmpq(int(e.p), int(e.q))))
        return lambda registers, analytic: value

    @step.register
    def _(self, e: Add) -> Step:
        return self._folded(add, e.args)

    @step.register
    def _(self, e: Mul) -> Step:
        return self._folded(mul, e.args)

    def _folded(
        self, combine: Callable[[ComplexBall, ComplexBall], ComplexBall], args: Sequence[Expr]
    ) -> Step:
        """The step that combines its arguments from the first to the last."""
        places = [self.place(a) for a in args]
        return lambda registers, analytic: reduce(combine, (registers[k] for k in places))

    @step.register
    def _(self, e: Pow) -> Step:
        base = self.place(e.base)
        if e.exp.is_Integer:
            n = int(e.exp)
            return lambda registers, analytic: registers[base] ** n
        if e.exp.is_Rational and e.exp.q == 2:
            half = int(e.exp.p)
            return lambda registers, analytic: registers[base].sqrt(analytic=analytic) ** half
        power = self.place(e.exp)
        return lambda registers, analytic: (
            registers[base].log(analytic=analytic) * registers[power]
        ).exp()

    @step.register
    def _(self, e: log) -> Step:
        k = self.place(e.args[0])
        return lambda registers, analytic: registers[k].log(analytic=analytic)


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
