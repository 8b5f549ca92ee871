"""Leading terms of an expression as a small positive variable e goes to zero.

``leading`` finds ``c e^a log(1/e)^b``, such that its quotient with the expression goes to 1. It
handles products, sums, powers, logarithms and exponentials, with exponents that may contain
parameters. Every comparison is decided by a proved sign; where there is no proof an error is
raised, never a guess made. sympy computes no limit here.

``verify.decide.asymptotics.growth`` has the corresponding scale as t = 1/e goes to infinity, and
neither can replace the other. At an edge terms cancel (``exp(e) - 1``, ``sin(e)/e - 1``), which is
resolved here by canonical form and derivatives at 0; the reason why a term is not decided is part
of the report. At infinity there are exponentials beyond every power, which only the other scale
contains, and oscillating functions, which have a bound and no leading term.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch

import sympy
from sympy import (
    Add,
    Expr,
    Mul,
    Pow,
    S,
    Symbol,
    cos,
    cosh,
    exp,
    log,
    loggamma,
    polygamma,
    sin,
    sinh,
    tan,
    tanh,
)

from recipe.language.calculus import summands
from recipe.signs.sign import possible_signs
from verify.decide.points.balls import WORKING_BITS, NoValueError, at_precision
from verify.decide.points.point import Point
from verify.decide.zero.canonical import normalised
from verify.decide.zero.decide import vanishes

MAX_DERIVATIVES = 6
ODD_AT_ZERO = (sin, tan, sinh, tanh, sympy.atan)  # f(u) ~ u as u -> 0
ENTIRE = (exp, sin, cos, sinh, cosh, tanh, sympy.atan, sympy.erf)  # analytic on the whole line
ANALYTIC = (Add, Mul, *ENTIRE)  # analytic where their arguments are


class NoLeadingTermError(Exception):
    """The behaviour at the edge was not decided; the text says of which expression."""


@dataclass(frozen=True)
class Leading:
    """``coefficient * e^power * log(1/e)^logs``, with a coefficient that is proved to be
    nonzero.
    """

    coefficient: Expr
    power: Expr
    logs: Expr


@dataclass(frozen=True)
class Growth:
    """``log * L + loglog * log(L) + constant + o(1)``, where ``L = log(1/e)``.

    If ``escape`` is 1 or -1, a term is added that goes to plus or minus infinity faster than any
    multiple of L.
    """

    log: Expr
    loglog: Expr
    constant: Expr
    escape: int


def certain_sign(e: Expr) -> int | None:
    """The proved sign of an expression of parameters: 1, 0 or -1; None if no single sign is
    proved.
    """
    signs = possible_signs(e)
    if len(signs) == 1:
        return next(iter(signs))
    if not e.free_symbols:
        return _sign_of_number(e)
    reduced = normalised(e)
    signs = possible_signs(reduced)
    return next(iter(signs)) if len(signs) == 1 else None


def _sign_of_number(e: Expr) -> int | None:
    for bits in WORKING_BITS:
        try:
            value = at_precision(bits, lambda: Point({}, seed=0).evaluate(e))
        except NoValueError:
            return None
        if not value.contains(0):
            return 1 if value > 0 else -1
    return 0 if vanishes(e) else None


def leading(e: Expr, small: Symbol) -> Leading:
    """The leading term of an expression as ``small`` decreases to zero.

    Raises:
        NoLeadingTermError: if it is not of this form, or depends on a sign that is not proved.
    """
    if small not in e.free_symbols:
        if certain_sign(e) in (None, 0) and 0 in possible_signs(e):
            raise NoLeadingTermError(f"whether {e} is zero is not known")
        return Leading(e, S.Zero, S.Zero)
    return _leading(e, small)


@singledispatch
def _leading(e: Expr, small: Symbol) -> Leading:
    inner = [leading(a, small) for a in e.args if small in a.free_symbols]
    if isinstance(e, ODD_AT_ZERO) and trend(inner[0]) < 0:
        return inner[0]
    if isinstance(e, cos | cosh) and trend(inner[0]) < 0:
        return Leading(S.One, S.Zero, S.Zero)
    if isinstance(e, ENTIRE) and trend(inner[0]) == 0:
        return leading(e.func(inner[0].coefficient), small)
    raise NoLeadingTermError(f"no leading term of {e} is known there")


@_leading.register
def _(e: Symbol, small: Symbol) -> Leading:
    return Leading(S.One, S.One, S.Zero)


@_leading.register
def _(e: Mul, small: Symbol) -> Leading:
    parts = [leading(a, small) for a in e.args]
    return Leading(
        Mul(*(p.coefficient for p in parts)),
        Add(*(p.power for p in parts)),
        Add(*(p.logs for p in parts)),
    )


@_leading.register
def _(e: Pow, small: Symbol) -> Leading:
    if small in e.exp.free_symbols:
        return _exponential(growth(e.exp * log(e.base), small))
    base = leading(e.base, small)
    if not e.exp.is_Integer and certain_sign(base.coefficient) != 1:
        raise NoLeadingTermError(f"the sign of {e.base} there is not known")
    return Leading(base.coefficient**e.exp, base.power * e.exp, base.logs * e.exp)


@_leading.register
def _(e: exp, small: Symbol) -> Leading:
    return _exponential(growth(e.args[0], small))


def _exponential(argument: Growth) -> Leading:
    if argument.escape:
        raise NoLeadingTermError("an exponential there changes faster than every power")
    return Leading(exp(argument.constant), -argument.log, argument.loglog)


@_leading.register
def _(e: log, small: Symbol) -> Leading:
    argument = leading(e.args[0], small)
    towards = certain_sign(argument.power)
    if towards is None or certain_sign(argument.coefficient) != 1:
        raise NoLeadingTermError(f"the limit of {e.args[0]} is not known")
    if towards != 0:
        return Leading(-argument.power, S.Zero, S.One)
    if certain_sign(argument.logs) != 0:
        raise NoLeadingTermError(f"{e} grows like a logarithm of a logarithm")
    if vanishes(argument.coefficient - 1):
        return leading(e.args[0] - 1, small)
    return leading(log(argument.coefficient), small)


@_leading.register
def _(e: Add, small: Symbol) -> Leading:
    try:
        return _largest([_scaled(a, small) for a in e.args])
    except NoLeadingTermError as error:
        reduced = normalised(e)
        if reduced != e and not (isinstance(reduced, Add) and len(reduced.args) >= len(e.args)):
            return leading(reduced, small)
        if _is_analytic(e, small):
            return _first_derivative(e, small)
        raise error from None


def _scaled(term: Expr, small: Symbol) -> tuple[Expr, Leading]:
    """A term as a factor without the variable, which may be zero, and the leading term of the
    rest.
    """
    factor, rest = term.as_independent(small, as_Add=False)
    return factor, leading(rest, small) if rest != 1 else Leading(S.One, S.Zero, S.Zero)


def _largest(terms: list[tuple[Expr, Leading]]) -> Leading:
    """The sum of the terms of the largest order; raises an error unless its coefficient is proved
    nonzero.
    """
    first, coefficient = terms[0][1], S.Zero
    for _, term in terms[1:]:
        if compare(term, first) > 0:
            first = term
    for factor, term in terms:
        if compare(term, first) == 0:
            coefficient += factor * term.coefficient
    if certain_sign(coefficient) in (None, 0) and 0 in possible_signs(coefficient):
        raise NoLeadingTermError(
            f"whether the leading coefficient {coefficient} is zero is not known"
        )
    return Leading(coefficient, first.power, first.logs)


def compare(one: Leading, other: Leading) -> int:
    """1 if ``one`` is of larger order than ``other``, -1 if it is of smaller order, 0 if the orders
    are equal.

    Raises:
        NoLeadingTermError: if the sign of a difference of exponents is not proved.
    """
    for difference in (other.power - one.power, one.logs - other.logs):
        sign = certain_sign(difference)
        if sign is None:
            raise NoLeadingTermError(f"the sign of {difference} is not known")
        if sign:
            return sign
    return 0


def trend(term: Leading) -> int:
    """-1 if the term goes to zero, 0 if it goes to a nonzero constant, 1 if it grows without
    bound.
    """
    return compare(term, Leading(S.One, S.Zero, S.Zero))


def growth(e: Expr, small: Symbol) -> Growth:
    """The expression up to terms that go to zero, which is the precision that its exponential
    needs.

    Raises:
        NoLeadingTermError: if a term, or the sign of one that grows, is not decided.
    """
    total = Growth(S.Zero, S.Zero, S.Zero, 0)
    escaping: list[tuple[Expr, Leading]] = []
    for term in summands(e):
        factor, rest = term.as_independent(small, as_Add=False)
        if isinstance(rest, log):
            total = _plus_logarithm(total, factor, leading(rest.args[0], small))
            continue
        found = leading(rest, small) if rest != 1 else Leading(S.One, S.Zero, S.Zero)
        direction = trend(found)
        if direction == 0:
            total = Growth(total.log, total.loglog, total.constant + factor * found.coefficient, 0)
        elif direction > 0:
            escaping.append((factor, found))
    return (
        total
        if not escaping
        else Growth(total.log, total.loglog, total.constant, _escape(escaping))
    )


def _plus_logarithm(total: Growth, factor: Expr, argument: Leading) -> Growth:
    """Add ``factor * log(c e^a L^b)``, which equals ``factor * (log c - a L + b log L)``."""
    if certain_sign(argument.coefficient) != 1:
        raise NoLeadingTermError(f"whether {argument.coefficient} is positive is not known")
    constant = total.constant + factor * log(argument.coefficient)
    return Growth(
        total.log - factor * argument.power, total.loglog + factor * argument.logs, constant, 0
    )


def _escape(terms: list[tuple[Expr, Leading]]) -> int:
    """The sign of the sum of unbounded terms, if the largest certainly outgrows every multiple of
    L.
    """
    signs = {certain_sign(factor * term.coefficient) for factor, term in terms}
    largest = terms[0][1] if len(terms) == 1 else _largest_of_one_sign(terms, signs)
    if compare(largest, Leading(S.One, S.Zero, S.One)) <= 0:
        raise NoLeadingTermError("a term grows about as slowly as a logarithm")
    sign = certain_sign(
        largest.coefficient if len(terms) > 1 else terms[0][0] * largest.coefficient
    )
    if sign is None or sign == 0:
        raise NoLeadingTermError(f"the sign of {terms[0][0] * largest.coefficient} is not known")
    return sign


def _largest_of_one_sign(terms: list[tuple[Expr, Leading]], signs: set[int | None]) -> Leading:
    if len(signs) == 1 and None not in signs:
        factor, term = terms[0]
        for other_factor, other in terms[1:]:
            if compare(other, term) > 0:
                factor, term = other_factor, other
        return Leading(factor * term.coefficient, term.power, term.logs)
    return _largest(terms)


def _is_analytic(e: Expr, small: Symbol) -> bool:
    """Return True if the expression is proved analytic in the variable in a neighbourhood of
    zero.
    """
    if small not in e.free_symbols or e == small:
        return True
    if not all(_is_analytic(a, small) for a in e.args):
        return False
    if isinstance(e, ANALYTIC):
        return True
    if isinstance(e, Pow) and small not in e.exp.free_symbols:
        if e.exp.is_Integer and e.exp > 0:
            return True
        at_zero = certain_sign(e.base.xreplace({small: S.Zero}))
        return at_zero == 1 or (bool(e.exp.is_Integer) and at_zero == -1)
    if isinstance(e, log | loggamma | polygamma):
        return certain_sign(e.args[-1].xreplace({small: S.Zero})) == 1
    return False


def _first_derivative(e: Expr, small: Symbol) -> Leading:
    """The first nonzero term of the Taylor series of an analytic expression at zero."""
    derivative = e
    for n in range(MAX_DERIVATIVES):
        value = derivative.xreplace({small: S.Zero})
        if certain_sign(value) not in (None, 0):
            return Leading(value / sympy.factorial(n), sympy.Integer(n), S.Zero)
        if not vanishes(value):
            break
        derivative = derivative.diff(small)
    raise NoLeadingTermError(f"whether {e} vanishes there is not known")
