"""The signs of a sum with a function that lies on one side of a number, or of a polynomial.

The functions are given ``signs``, which proves the sign of any expression.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import factorial

from sympy import Add, Expr, Mul, Rational, S, atan, cos, cosh, erf, exp, log, pi, sin, tanh

from recipe.language.total import Total
from recipe.signs.low_degree import affine_at, affine_in
from recipe.signs.sets import (
    ANY,
    NEGATIVE,
    NOT_NEGATIVE,
    NOT_POSITIVE,
    POSITIVE,
    ZERO,
    Ask,
    Signs,
    products,
    signs_of_sum,
)

# Functions between bounds, by how a sum of them is bounded.
ONE_BY_ONE, AT_ONCE = (sin, cos, tanh), (atan, erf, exp)
TAYLOR_TERMS = 6  # of polynomials that functions are compared with


def sign_of_exponential(e: Add, signs: Ask) -> Signs:
    """The signs of ``c (1 - exp(a))``, which are those of ``-c a``."""
    if len(e.args) == 2 and any(isinstance(f, exp) for t in e.args for f in Mul.make_args(t)):
        for constant, other in (e.args, e.args[::-1]):
            exponential = -other / constant
            if isinstance(exponential, exp):
                return signs(-constant * exponential.args[0])
    return ANY


def sign_between_bounds(e: Add, signs: Ask) -> Signs:
    """The signs of ``slope t + rest``, where t is a function that lies on one side of a bound.

    It is ``(slope bound + rest) + slope (t - bound)``, and the sign of ``t - bound`` is known.
    Trigonometric functions are put at a bound one at a time, all others at once, so that a sum of
    many takes few steps.
    """
    for t, slope, rest in affine_in(e, *ONE_BY_ONE):
        for bound, side in bounds_of(t, signs):
            away = products(signs(slope), side)
            if away != ANY:
                found = signs_of_sum([signs((rest + slope * bound).expand()), away])
                if found != ANY:
                    return found
    for wanted in (NOT_NEGATIVE, NOT_POSITIVE):
        at_bound, away = at_bounds(e, wanted, signs)
        if at_bound != e:
            found = signs_of_sum([signs(at_bound), away])
            if found <= wanted:
                return found
    return ANY


def at_bounds(e: Expr, wanted: Signs, signs: Ask) -> tuple[Expr, Signs]:
    """Put functions that are bounded on one side at those bounds from which e can only grow, or
    only fall.

    Args:
        e: an expression.
        wanted: ``NOT_NEGATIVE`` to bound e from below, ``NOT_POSITIVE`` from above.
        signs: proves signs.

    Returns:
        The expression with the functions at their bounds, and the signs of e minus that.
    """
    away: Signs = ZERO
    for t in sorted(e.atoms(*AT_ONCE), key=str):
        found = affine_at(e, t)  # of what is left: other functions stand at their bounds already
        if found is None:
            continue
        slope, rest = found
        for bound, side in bounds_of(t, signs):
            step = products(signs(slope), side)
            if step <= wanted:
                e, away = (rest + slope * bound).expand(), signs_of_sum([away, step])
                break
    return e, away


def bounds_of(t: Expr, signs: Ask) -> list[tuple[Expr, Signs]]:
    """Bounds of a function at real numbers, each with the signs of ``t - bound``.

    ``-1 <= sin, cos <= 1``, ``-1 < tanh, erf < 1``, ``-pi/2 < atan < pi/2``; and ``exp(a) - 1`` has
    the sign of a.
    """
    if isinstance(t, exp):
        side = signs(t.args[0])
        return [] if side == ANY else [(S.One, side)]
    if isinstance(t, sin | cos):
        return [(S.NegativeOne, NOT_NEGATIVE), (S.One, NOT_POSITIVE)]
    size = pi / 2 if isinstance(t, atan) else S.One
    return [(-size, POSITIVE), (size, NEGATIVE)]


def sign_with_logarithm(e: Add, signs: Ask) -> Signs:
    """The signs of ``slope log(p) + c``, by the bounds ``u/(1 + u) <= log(1 + u) <= u``.

    The sum is at least ``c + slope (p - 1)`` where the slope is not positive, and at least ``c +
    slope (1 - 1/p)`` where it is not negative.
    """
    for t, slope, rest in affine_in(e, log):
        p, lead = t.args[0], signs(slope)
        if lead <= NOT_POSITIVE:
            bound = rest + slope * (p - 1)
        elif lead <= NOT_NEGATIVE:
            bound = rest + slope * (1 - 1 / p)
        else:
            continue
        if signs(bound.expand()) <= NOT_NEGATIVE:
            return NOT_NEGATIVE
    return ANY


def sign_with_series(e: Add, signs: Ask) -> Signs:
    """The signs of ``slope f(u) + rest`` by Taylor's theorem, with f one of cosh, cos and exp."""
    for _, slope, part, at_part in less_taylor_polynomial(e):
        found = signs_of_sum([products(signs(slope), part), signs(at_part)])
        if found != ANY:
            return found
    return ANY


def less_taylor_polynomial(e: Add) -> Iterator[tuple[Expr, Expr, Signs, Expr]]:
    """Yield ``(f(u) - p(u), slope, signs of f(u) - p(u), slope p(u) + rest)`` for a sum ``slope
    f(u) + rest`` with a single function f, and Taylor polynomials p of f at 0.

    By Lagrange's form of the remainder, ``cosh(u) - p(u)`` is not negative, ``exp(u) - p(u)``
    neither if the degree of p is odd, and ``cos(u) - p(u)`` has the sign of the first term left
    out: the cosine lies between each two of its Taylor polynomials that follow one another.
    """
    functions = e.atoms(cosh, cos, exp)
    if len(functions) != 1 or e.has(Total):
        return
    found = affine_at(e, t := functions.pop())
    if found is None:
        return
    (slope, rest), u, terms = found, t.args[0], list[Expr]()
    for k in range(TAYLOR_TERMS):
        degree = k if isinstance(t, exp) else 2 * k
        sign_of_term = (-1) ** k if isinstance(t, cos) else 1
        terms.append(Rational(sign_of_term, factorial(degree)) * u**degree)
        if isinstance(t, exp) and k % 2 == 0:
            continue
        part = NOT_POSITIVE if isinstance(t, cos) and k % 2 == 0 else NOT_NEGATIVE
        remainder = Add(t, *(-term for term in terms), evaluate=False)
        yield remainder, slope, part, (slope * Add(*terms) + rest).expand()
