"""Inverse functions by logarithms and by the arctangent.

Each identity holds wherever its left side is defined, for real numbers:

    asinh u = log(u + sqrt(1 + u^2))              for every u
    acosh u = log(u + sqrt(u - 1) sqrt(u + 1))    for u >= 1
    atanh u = log(1 + u)/2 - log(1 - u)/2         for -1 < u < 1
    asin u  = 2 atan(u/(1 + sqrt(1 - u^2)))       for -1 <= u <= 1, by tan(t/2) = sin t/(1 + cos t)
    acos u  = pi/2 - asin u                       for -1 <= u <= 1
"""

from __future__ import annotations

from sympy import Expr, acos, acosh, asin, asinh, atan, atanh, log, pi, sqrt

from verify.decide.identities.levels import rewrite_by_level

KINDS = (asinh, acosh, atanh, asin, acos)


def rewrite_inverse_functions(e: Expr) -> Expr:
    """Return the expression with inverse functions written by logarithms and arctangents."""
    return rewrite_by_level(e, KINDS, lambda found: {f: _written(f) for f in found})


def _written(f: Expr) -> Expr:
    u = f.args[0]
    if isinstance(f, asinh):
        return log(u + sqrt(1 + u**2))
    if isinstance(f, acosh):
        return log(u + sqrt(u - 1) * sqrt(u + 1))
    if isinstance(f, atanh):
        return (log(1 + u) - log(1 - u)) / 2
    sine = 2 * atan(u / (1 + sqrt(1 - u**2)))
    return sine if isinstance(f, asin) else pi / 2 - sine
