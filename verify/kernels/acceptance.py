"""What a Metropolis test does to normal laws, as integrals over one line that are enclosed
rigorously.

Wanted is the integral of ``exp(q(u)) min(1, exp(g(u)))`` over all u, with q quadratic and negative
far out and g a polynomial: the mass that is accepted. Arb's integration of piecewise analytic
functions (Johansson 2018, arXiv 1802.07942) gives a ball for a finite range, and what lies beyond
is at most the tail of a normal law.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flint
from sympy import Expr, Poly, PolynomialError, Symbol

from recipe.language.symbols import Block

Ball = Any  # flint.arb
Place = dict[Block, Expr]

REACH = 12  # standard deviations that are integrated over
TOLERANCE = 2.0**-40  # the error that is aimed at; the ball says what came out
MOST_VALUES = 5_000  # of what is integrated; fewer make a larger ball


class NotPolynomialError(Exception):
    """What is tested is no polynomial with rational coefficients, or what it is weighted with no
    normal law.
    """


def accepted_mass(q: Sequence[Ball], g: Sequence[Ball]) -> Ball:
    """A ball around the integral of ``exp(q(u)) min(1, exp(g(u)))``; coefficients with the constant
    first.

    Raises:
        NotPolynomialError: where q is not certainly quadratic and negative far out.
    """
    a0, a1, a2 = q
    if not a2 < 0:
        raise NotPolynomialError
    if all(c == 0 for c in g):
        return total_mass(q)  # min(1, 1) has a kink everywhere
    centre, width = -a1 / (2 * a2), (-1 / (2 * a2)).sqrt()
    low, high = (centre - REACH * width).mid(), (centre + REACH * width).mid()

    def density(u: Any, analytic: bool) -> Any:
        return (_at(q, u) + _at(g, u).real_min(flint.acb(0), analytic)).exp()

    within = flint.acb.integral(
        density, low, high, rel_tol=TOLERANCE, abs_tol=TOLERANCE, eval_limit=MOST_VALUES
    ).real
    root = flint.arb(2).sqrt() * width
    ends = ((high - centre) / root).erfc() + ((centre - low) / root).erfc()
    tail = (a0 - a1**2 / (4 * a2)).exp() * (flint.arb.pi() / -a2).sqrt() * ends / 2
    return within + flint.arb(0).union(tail)


def total_mass(q: Sequence[Ball]) -> Ball:
    """The integral of ``exp(q(u))``."""
    a0, a1, a2 = q
    return (a0 - a1**2 / (4 * a2)).exp() * (flint.arb.pi() / -a2).sqrt()


def normal_exponent(mean: Ball, variance: Ball) -> tuple[Ball, Ball, Ball]:
    """The logarithm of a normal density."""
    return (
        -(mean**2) / (2 * variance) - (2 * flint.arb.pi() * variance).log() / 2,
        mean / variance,
        -1 / (2 * variance),
    )


def carried(shears: Sequence[tuple[Block, Expr]], rounds: int, z: Place) -> Place:
    """Where a map leads, as polynomials of what stands in z."""
    at = dict(z)
    for _ in range(rounds):
        for block, g in shears:
            at[block] = (at[block] + g.xreplace(at)).expand()
    return at


def backwards(shears: Sequence[tuple[Block, Expr]]) -> list[tuple[Block, Expr]]:
    """The inverse of a map."""
    return [(b, -g) for b, g in reversed(shears)]


def coefficients(e: Expr, u: Symbol) -> list[Ball]:
    """A polynomial of u with rational coefficients, the constant first.

    Raises:
        NotPolynomialError: where it is none.
    """
    try:
        found = Poly(e, u).all_coeffs()[::-1]
    except PolynomialError:
        raise NotPolynomialError from None
    if not all(c.is_Rational for c in found):
        raise NotPolynomialError
    return [flint.arb(flint.fmpq(int(c.p), int(c.q))) for c in found]


def _at(coefficients: Sequence[Ball], u: Any) -> Any:
    value = flint.acb(0)
    for c in reversed(coefficients):
        value = value * u + c
    return value
