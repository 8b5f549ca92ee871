"""The signs of a sum that is a polynomial of degree one or two in a coordinate.

The functions are given ``signs``, which proves the sign of any expression.
"""

from __future__ import annotations

from typing import Any

from sympy import Add, Interval, S, Symbol, sign

from recipe.language.blocks import Scalar, Vector
from recipe.signs.low_degree import coefficients_of
from recipe.signs.sets import (
    ANY,
    NEGATIVE,
    NOT_NEGATIVE,
    NOT_POSITIVE,
    POSITIVE,
    ZERO,
    Ask,
    Signs,
    signs_of_sum,
)


def sign_between_ends(e: Add, signs: Ask) -> Signs:
    """The signs of an expression that is affine in a coordinate of an interval.

    Inside, both ends have positive weight (an infinite end counts as the slope towards it), so one
    nonzero end is enough there; an end that belongs to the interval adds its own signs.
    """
    for s in sorted(e.free_symbols, key=str):
        domain = domain_of(s)
        coefficients = (
            coefficients_of(e, s) if isinstance(domain, Interval) and domain != S.Reals else None
        )
        if coefficients is None or len(coefficients) != 2:
            continue
        slope, constant = coefficients
        ends = [
            signs(slope * end + constant if end.is_finite else slope * sign(end))
            for end in (domain.start, domain.end)
        ]
        found = signs_of_sum(ends)
        if found != ANY:
            return found | _at_closed_ends(domain, ends)
    return ANY


def sign_of_quadratic(e: Add, signs: Ask) -> Signs:
    """The signs of ``a x^2 + b x + c`` by its discriminant.

    With a > 0 it is nonnegative where ``4 a c - b^2`` is nonnegative, and positive where that is
    positive.
    """
    for s in sorted(e.free_symbols, key=str):
        coefficients = coefficients_of(e, s)
        if coefficients is None or len(coefficients) != 3:
            continue
        a, b, c = coefficients
        lead = signs(a)
        gap = signs((4 * a * c - b**2).expand()) if lead in (POSITIVE, NEGATIVE) else ANY
        if gap <= NOT_NEGATIVE:
            return lead if gap == POSITIVE else lead | ZERO
    return ANY


def sign_of_bent(e: Add, signs: Ask) -> Signs:
    """The signs of a quadratic polynomial in a coordinate of a bounded interval, by its chord.

    Between the ends ``a x^2 + b x + c`` is above the chord where a < 0, and below it where a > 0.
    """
    for s in sorted(e.free_symbols, key=str):
        domain = domain_of(s)
        if not isinstance(domain, Interval) or not (
            domain.start.is_finite and domain.end.is_finite
        ):
            continue
        coefficients = coefficients_of(e, s)
        if coefficients is None or len(coefficients) != 3:
            continue
        a, b, c = coefficients
        ends = [signs((a * x**2 + b * x + c).expand()) for x in (domain.start, domain.end)]
        lead = signs(a)
        for bent, above, inside in (
            (NEGATIVE, NOT_NEGATIVE, POSITIVE),
            (POSITIVE, NOT_POSITIVE, NEGATIVE),
        ):
            if lead == bent and ends[0] | ends[1] <= above:
                return inside | _at_closed_ends(domain, ends)
    return ANY


def _at_closed_ends(domain: Interval, ends: list[Signs]) -> Signs:
    """The signs at those ends of an interval that belong to it."""
    closed = (not domain.left_open, not domain.right_open)
    return frozenset[int]().union(
        *(at_end for at_end, belongs in zip(ends, closed, strict=True) if belongs)
    )


def domain_of(s: Symbol) -> Any:
    """The domain of a block's coordinate; None for any other symbol."""
    return s.domain if isinstance(s, Vector | Scalar) else None
