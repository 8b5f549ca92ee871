"""Sines, cosines and tangents of rational multiples of angles, by the sine and the cosine of their
greatest common divisor.

Every argument is a sum of terms with rational coefficients. The addition theorems take the sum
apart; Chebyshev's polynomials, ``cos(k t) = T_k(cos t)`` and ``sin(k t) = sin t U_(k-1)(cos t)``,
take the multiples apart. All are identities for every real number, and ``tan = sin/cos`` is defined
where the tangent is. For an arctangent t = atan u, whose cosine is positive,

    cos t = 1/sqrt(1 + u^2),  sin t = u/sqrt(1 + u^2),

and as cos(t/2) is positive too, ``cos(t/2) = sqrt((1 + cos t)/2)``, ``sin(t/2) = sin t/(2
cos(t/2))``.
"""

from __future__ import annotations

import math

from sympy import (
    Expr,
    Rational,
    S,
    atan,
    chebyshevt_poly,
    chebyshevu_poly,
    cos,
    expand_mul,
    pi,
    sin,
    sqrt,
    tan,
)

from verify.decide.identities.levels import Settle, rewrite_by_level

Angle = dict[Expr, Rational]  # the coefficient of each term
Pair = tuple[Expr, Expr]  # a cosine and a sine

NUMBERS = (S.One, pi)
MAX_MULTIPLE = 16
MAX_TERMS = 4


def rewrite_angles(e: Expr, settled: Settle) -> Expr:
    """Return the expression with trigonometric functions written by those of common divisors.

    ``settled`` writes equal arguments alike.
    """
    return rewrite_by_level(e, (sin, cos, tan), lambda found: _replacements(found, settled))


def _replacements(functions: list[Expr], settled: Settle) -> dict[Expr, Expr]:
    angles = {a: _angle(settled(a)) for a in dict.fromkeys(f.args[0] for f in functions)}
    angles = {a: angle for a, angle in angles.items() if _is_simple(angle)}
    units: Angle = {}
    for angle in angles.values():
        for term, c in angle.items():
            # the functions of an arctangent itself are known
            first = S.One if isinstance(term, atan) else S.Zero
            units[term] = _common_divisor(units.get(term, first), c)
    return {
        f: _function(f, _pair_of_sum(angles[f.args[0]], units))
        for f in functions
        if f.args[0] in angles
        and all(_is_small(t, c, units[t]) for t, c in angles[f.args[0]].items())
    }


def _is_simple(angle: Angle) -> bool:
    return len(angle) <= MAX_TERMS and all(c.is_Rational for c in angle.values())


def _is_small(term: Expr, c: Rational, unit: Rational) -> bool:
    return term in NUMBERS or bool(abs(c) <= MAX_MULTIPLE * unit)


def _angle(e: Expr) -> Angle:
    return {t: c for t, c in expand_mul(e).as_coefficients_dict().items() if c}


def _common_divisor(a: Rational, b: Rational) -> Rational:
    return Rational(math.gcd(int(a.p * b.q), int(b.p * a.q)), int(a.q * b.q))


def _function(f: Expr, pair: Pair) -> Expr:
    cosine, sine = pair
    return sine / cosine if isinstance(f, tan) else sine if isinstance(f, sin) else cosine


def _pair_of_sum(angle: Angle, units: Angle) -> Pair:
    cosine, sine = S.One, S.Zero
    for term, c in angle.items():
        own_cosine, own_sine = _pair_of_multiple(term, c, units[term])
        cosine, sine = (
            cosine * own_cosine - sine * own_sine,
            sine * own_cosine + cosine * own_sine,
        )
    return cosine, sine


def _pair_of_multiple(term: Expr, c: Rational, unit: Rational) -> Pair:
    if term in NUMBERS:  # a number, which has no smaller parts
        return cos(c * term), sin(c * term)
    k = int(abs(c) / unit)
    cosine, sine = _pair_of_unit(term, unit)
    return (
        chebyshevt_poly(k, cosine),
        (1 if c > 0 else -1) * sine * chebyshevu_poly(k - 1, cosine),
    )


def _pair_of_unit(term: Expr, unit: Rational) -> Pair:
    if not isinstance(term, atan) or unit not in (S.One, S.Half):
        return cos(unit * term), sin(unit * term)
    u = term.args[0]
    cosine, sine = 1 / sqrt(1 + u**2), u / sqrt(1 + u**2)
    if unit == S.One:
        return cosine, sine
    half = sqrt((1 + cosine) / 2)
    return half, sine / (2 * half)
