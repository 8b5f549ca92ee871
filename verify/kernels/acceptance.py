"""The mass that a Metropolis test accepts from a normal law: integrals over one line, enclosed
rigorously.

The integral is that of ``exp(q(u)) min(1, exp(g(u)))`` over all u, where q is a quadratic
polynomial that is negative far out, and g is a polynomial. Arb's integration of piecewise analytic
functions (Johansson 2018, arXiv 1802.07942) gives a ball for a finite range; the rest is at most
the tail of a normal law.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flint
from sympy import Expr, Poly, PolynomialError, Symbol

from recipe.language.blocks import Block
from verify.kernels.instance import Place

Ball = Any  # flint.arb

TAIL_DEVIATIONS = 12  # standard deviations from the mean at which the tails begin
TOLERANCE = 2.0**-40  # the error that the integration aims at; the ball has the error it reached
MAX_EVALUATIONS = 5_000  # of the integrand; where they run out the ball is larger


class NotPolynomialError(Exception):
    """The change of energy is not a polynomial with rational coefficients, or the weight is not the
    density of a normal law.
    """


def accepted_mass(q: Sequence[Ball], g: Sequence[Ball]) -> Ball:
    """Return a ball around the integral of ``exp(q(u)) min(1, exp(g(u)))`` over the real line.

    Args:
        q: the coefficients of 1, u and u^2.
        g: the coefficients of a polynomial of any degree, the constant first.

    Raises:
        NotPolynomialError: where the coefficient of u^2 in q is not certainly negative.
    """
    a0, a1, a2 = q
    if not a2 < 0:
        raise NotPolynomialError
    if all(c == 0 for c in g):
        return total_mass(q)  # min(1, 1) has a kink everywhere
    centre, width = -a1 / (2 * a2), (-1 / (2 * a2)).sqrt()
    low, high = (
        (centre - TAIL_DEVIATIONS * width).mid(),
        (centre + TAIL_DEVIATIONS * width).mid(),
    )

    def density(u: Any, analytic: bool) -> Any:
        return (_at(q, u) + _at(g, u).real_min(flint.acb(0), analytic)).exp()

    within = flint.acb.integral(
        density, low, high, rel_tol=TOLERANCE, abs_tol=TOLERANCE, eval_limit=MAX_EVALUATIONS
    ).real
    root = flint.arb(2).sqrt() * width
    ends = ((high - centre) / root).erfc() + ((centre - low) / root).erfc()
    tail = (a0 - a1**2 / (4 * a2)).exp() * (flint.arb.pi() / -a2).sqrt() * ends / 2
    return within + flint.arb(0).union(tail)


def total_mass(q: Sequence[Ball]) -> Ball:
    """Return a ball around the integral of ``exp(q(u))`` over the real line; q has the constant
    first.
    """
    a0, a1, a2 = q
    return (a0 - a1**2 / (4 * a2)).exp() * (flint.arb.pi() / -a2).sqrt()


def normal_exponent(mean: Ball, variance: Ball) -> tuple[Ball, Ball, Ball]:
    """Return the logarithm of the density of ``N(mean, variance)``: the coefficients of 1, u and
    u^2.
    """
    return (
        -(mean**2) / (2 * variance) - (2 * flint.arb.pi() * variance).log() / 2,
        mean / variance,
        -1 / (2 * variance),
    )


def apply_rounds(shears: Sequence[tuple[Block, Expr]], rounds: int, z: Place) -> Place:
    """Apply the shears to the place z, ``rounds`` times, and return the place where they lead."""
    at = dict(z)
    for _ in range(rounds):
        for block, g in shears:
            at[block] = (at[block] + g.xreplace(at)).expand()
    return at


def inverse_shears(shears: Sequence[tuple[Block, Expr]]) -> list[tuple[Block, Expr]]:
    """Return the shears of the inverse map: each undone, the last one first."""
    return [(b, -g) for b, g in reversed(shears)]


def coefficients(e: Expr, u: Symbol) -> list[Ball]:
    """Return the coefficients of e as a polynomial of u, the constant first.

    Raises:
        NotPolynomialError: where e is not a polynomial of u with rational coefficients.
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
