"""Exact evaluation of an expression at a point, in ball arithmetic."""

from __future__ import annotations

import math
from functools import reduce, singledispatch

import flint
import sympy
from sympy import Add, Expr, Mul, Pow, Rational, Symbol
from sympy.core.function import AppliedUndef
from sympy.core.numbers import Exp1, Pi

from recipe.language.abstract import DenseEntry, Field, Jet, Partial, Potential
from recipe.language.symbols import GENERIC, Indexed, Length
from recipe.language.total import Total, free_indexed
from verify.decide.identities.maximum import Maximum
from verify.decide.points.balls import BALL_FUNCTIONS, Ball, NoValueError, ball_of
from verify.decide.points.chosen_values import ChosenValues
from verify.decide.points.condition_places import Places

LONG = 8  # terms of a sum whose value is remembered


@singledispatch
def value_at(e: Expr, point: ChosenValues, places: Places) -> Ball:
    """Return a ball that contains the value of an expression, each free label standing for the
    coordinate in ``places``.

    Raises:
        NoValueError: if the expression is not defined at the point, or its value depends on numbers
            that ball arithmetic cannot tell apart.
    """
    if type(e) in BALL_FUNCTIONS:
        return BALL_FUNCTIONS[type(e)](value_at(e.args[0], point, places))
    raise NoValueError(f"{type(e).__name__} cannot be evaluated")


@value_at.register
def _(e: sympy.polygamma, point: ChosenValues, places: Places) -> Ball:
    if not e.args[0].is_Integer:
        raise NoValueError(f"{e} cannot be evaluated")
    order, at = int(e.args[0]), value_at(e.args[1], point, places)
    if order == 0:
        return at.digamma()
    # (-1)^(m+1) m! zeta(m + 1, z), the sum of (z + k)^-(m+1)
    return flint.arb(order + 1).zeta(at) * (-1) ** (order + 1) * math.factorial(order)


@value_at.register
def _(e: sympy.sign, point: ChosenValues, places: Places) -> Ball:
    value = value_at(e.args[0], point, places)
    if value.contains(0):
        raise NoValueError(f"{e} jumps there")
    return flint.arb(1 if value > 0 else -1)


@value_at.register
def _(e: Maximum, point: ChosenValues, places: Places) -> Ball:
    # The maximum of two balls encloses that of each number in one with each in the other.
    return reduce(lambda a, b: a.max(b), (value_at(a, point, places) for a in e.args))


@value_at.register
def _(e: Rational, point: ChosenValues, places: Places) -> Ball:
    return ball_of(e)


@value_at.register
def _(e: Pi, point: ChosenValues, places: Places) -> Ball:
    return flint.arb.pi()


@value_at.register
def _(e: Exp1, point: ChosenValues, places: Places) -> Ball:
    return flint.arb(1).exp()


@value_at.register
def _(e: Symbol, point: ChosenValues, places: Places) -> Ball:
    return ball_of(point.choose(e))


@value_at.register
def _(e: Length, point: ChosenValues, places: Places) -> Ball:
    return flint.arb(point.sizes[e])


@value_at.register
def _(e: Indexed, point: ChosenValues, places: Places) -> Ball:
    return ball_of(point.choose(e.at(GENERIC), places[e.label]))


@value_at.register
def _(e: Potential, point: ChosenValues, places: Places) -> Ball:
    return point.free(("jet", e, None, ()), positive=False)


@value_at.register
def _(e: Field, point: ChosenValues, places: Places) -> Ball:
    return point.free(("jet", e.at(GENERIC), places[e.label], ()), positive=bool(e.is_positive))


@value_at.register
def _(e: Partial, point: ChosenValues, places: Places) -> Ball:
    head = e.head.at(GENERIC) if isinstance(e.head, Field) else e.head
    at = places[e.head.label] if isinstance(e.head, Field) else None
    wrt = ((s.base, places[s.label]) if isinstance(s, Indexed) else (s.name, -1) for s in e.wrt)
    return point.free(("jet", head, at, tuple(sorted(wrt))), positive=False)


@value_at.register
def _(e: DenseEntry, point: ChosenValues, places: Places) -> Ball:
    i, j = (places[label] for label in e.labels)
    if e.matrix.positive_definite:
        return point.positive_definite(e.matrix, i, j)
    return point.free(
        ("entry", e.matrix, *((min(i, j), max(i, j)) if e.matrix.symmetric else (i, j))),
        positive=False,
    )


@value_at.register
def _(e: Jet, point: ChosenValues, places: Places) -> Ball:
    return _elementwise(e.applied, e.orders, point, places)


@value_at.register
def _(e: AppliedUndef, point: ChosenValues, places: Places) -> Ball:
    return _elementwise(e, (0,) * len(e.args), point, places)


def _elementwise(
    e: AppliedUndef, orders: tuple[int, ...], point: ChosenValues, places: Places
) -> Ball:
    arguments = tuple(value_at(a, point, places) for a in e.args)
    names = tuple(
        _argument_name(a, ball, places) for a, ball in zip(e.args, arguments, strict=True)
    )
    return point.elementwise(e, orders, arguments, names)


def _argument_name(e: Expr, ball: Ball, places: Places) -> str:
    """A name that equal arguments share: the exact value, or where that is irrational the
    expression and its coordinates.
    """
    if ball.is_exact():
        mantissa, exponent = (int(n) for n in ball.man_exp())
        return str(Rational(mantissa) * Rational(2) ** exponent)
    at = sorted((str(s), places[s.label] + 1) for s in free_indexed(e))
    return str(e) + "".join(f" at {s}={k}" for s, k in at)


@value_at.register
def _(e: Add, point: ChosenValues, places: Places) -> Ball:
    if len(e.args) >= LONG and not free_indexed(e):
        return point.remembered(e, lambda: _sum(e, point, places))
    return _sum(e, point, places)


def _sum(e: Add, point: ChosenValues, places: Places) -> Ball:
    return sum((value_at(a, point, places) for a in e.args), flint.arb(0))


@value_at.register
def _(e: Mul, point: ChosenValues, places: Places) -> Ball:
    return math.prod((value_at(a, point, places) for a in e.args), start=flint.arb(1))


@value_at.register
def _(e: Pow, point: ChosenValues, places: Places) -> Ball:
    base = value_at(e.base, point, places)
    if e.exp.is_Integer:
        return base ** int(e.exp)
    if e.exp == Rational(1, 2):
        return base.sqrt()
    power = value_at(e.exp, point, places)
    if power.is_integer():
        return base**power
    if not base > 0:
        raise NoValueError(f"{e.base} is not known to be positive there")
    return base**power


@value_at.register
def _(e: Total, point: ChosenValues, places: Places) -> Ball:
    if not free_indexed(e):
        return point.remembered(e, lambda: _total(e, point, places))
    return _total(e, point, places)


def _total(e: Total, point: ChosenValues, places: Places) -> Ball:
    label, length = e.index.label, e.index.length
    return sum(
        (value_at(e.body, point, {**places, label: k}) for k in range(point.sizes[length])),
        flint.arb(0),
    )
