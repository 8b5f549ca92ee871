"""Gamma functions of arguments that differ by whole numbers, or of which one is a multiple of
another, written by those of one argument.

``loggamma(z)`` is defined for z > 0 alone, and the gamma function and the polygamma functions for
all real z but 0, -1, -2 and so on. The identities hold wherever their left sides are defined:

    Gamma(z) = Gamma(z + 1)/z,    loggamma(z) = loggamma(z + 1) - log z,
    polygamma(m, z) = polygamma(m, z + 1) - (-1)^m m! z^(-m - 1),

so that the largest argument is kept: ``loggamma(z + 1)`` may be defined where ``loggamma(z)`` is
not. Gauss's multiplication formula is Legendre's duplication formula for n = 2 (Abramowitz &
Stegun, 1964, 6.1.20, 6.4.8):

    Gamma(n z) = (2 pi)^((1 - n)/2) n^(n z - 1/2) Gamma(z) Gamma(z + 1/n) ... Gamma(z + (n - 1)/n).

Euler's reflection formula, ``Gamma(z) Gamma(1 - z) = pi/sin(pi z)``, is used where both arguments
occur; for the logarithm both are positive then, so that 0 < z < 1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from sympy import (
    Add,
    Expr,
    Integer,
    Mul,
    Rational,
    S,
    cos,
    factorial,
    gamma,
    log,
    loggamma,
    pi,
    polygamma,
    sin,
    sqrt,
)

from recipe.language.total import free_places
from verify.decide.identities.levels import Settle, rewrite_by_level

Arguments = dict[Expr, Expr]  # the argument of each function, written in one way

KINDS = (gamma, loggamma, polygamma)
MAX_STEPS = 40
MAX_MULTIPLE = 4


def rewrite_gammas(e: Expr, settled: Settle) -> Expr:
    """Return the expression with gamma functions written by as few of them as is known.

    ``settled`` writes equal arguments alike.
    """
    if not e.has(*KINDS):
        return e
    for replacements in (_multiples_apart, _reflected, _stepped_up):
        e = rewrite_by_level(e, KINDS, partial(_at_settled_arguments, replacements, settled))
    return e


def _at_settled_arguments(
    replacements: Callable[[Arguments], dict[Expr, Expr]], settled: Settle, functions: list[Expr]
) -> dict[Expr, Expr]:
    return replacements({f: settled(f.args[-1]) for f in functions})


def _multiples_apart(at: Arguments) -> dict[Expr, Expr]:
    """By the multiplication formula, where the argument less n times another is a whole number."""
    found = {}
    for f, a in at.items():
        for other, b in at.items():
            n = _multiple(a, b) if f != other and _alike(f, other) else None
            if n is not None:
                found[f] = _by_multiplication(f, n)
                break
    return found


def _multiple(a: Expr, b: Expr) -> int | None:
    """A number n so that a - n b is a whole number."""
    if not a.free_symbols:
        return None
    numbers = range(2, MAX_MULTIPLE + 1)
    return next((n for n in numbers if _whole(a - n * b) is not None), None)


def _reflected(at: Arguments) -> dict[Expr, Expr]:
    found: dict[Expr, Expr] = {}
    for k, f in enumerate(at):
        for other in list(at)[:k]:
            # what replaces a function has no index that is not bound where the function stands
            fits = _alike(f, other) and other not in found and free_places(other) <= free_places(f)
            if fits and _whole(at[f] + at[other]) == 1:
                reflected = _by_reflection(f, other)
                if reflected is not None:
                    found[f] = reflected
                    break
    return found


def _stepped_up(at: Arguments) -> dict[Expr, Expr]:
    """Up to the largest argument that differs by a whole number."""
    found = {}
    for f, a in at.items():
        steps = [n for g, b in at.items() if _alike(f, g) and (n := _whole(b - a))]
        if 0 < max(steps, default=0) <= MAX_STEPS:
            found[f] = _stepped(f, max(steps))
    return found


def _at(f: Expr) -> Expr:
    return f.args[-1]


def _alike(f: Expr, other: Expr) -> bool:
    return type(f) is type(other) and f.args[:-1] == other.args[:-1] and _has_order(f)


def _has_order(f: Expr) -> bool:
    return not isinstance(f, polygamma) or bool(f.args[0].is_Integer and f.args[0] >= 0)


def _whole(difference: Expr) -> int | None:
    """The difference as a whole number, if it is one."""
    value = difference.expand()
    return int(value) if value.is_Integer else None


def _stepped(f: Expr, n: int) -> Expr:
    z, top = _at(f), f.func(*f.args[:-1], (_at(f) + n).expand())
    if isinstance(f, gamma):
        return top / Mul(*(z + k for k in range(n)))
    if isinstance(f, loggamma):
        return top - Add(*(log(z + k) for k in range(n)))
    m = int(f.args[0])
    return top - (-1) ** m * factorial(m) * Add(*((z + k) ** (-m - 1) for k in range(n)))


def _by_multiplication(f: Expr, n: int) -> Expr:
    z = (_at(f) / n).expand()
    parts = [f.func(*f.args[:-1], z + Rational(k, n)) for k in range(n)]
    if isinstance(f, gamma):
        return sqrt((2 * pi) ** (1 - n)) * Integer(n) ** (n * z - S.Half) * Mul(*parts)
    if isinstance(f, loggamma):
        constant = (1 - n) * (log(2) + log(pi)) / 2 + (n * z - S.Half) * log(Integer(n))
        return constant + Add(*parts)
    m = int(f.args[0])
    return Add(*parts) / Integer(n) ** (m + 1) + (log(Integer(n)) if m == 0 else 0)


def _by_reflection(f: Expr, other: Expr) -> Expr | None:
    z = _at(f)
    if isinstance(f, gamma):
        return pi / (sin(pi * z) * other)
    if isinstance(f, loggamma):
        return log(pi) - log(sin(pi * z)) - other
    # psi(1 - z) = psi(z) + pi cos(pi z)/sin(pi z)
    return other - pi * cos(pi * z) / sin(pi * z) if f.args[0] == 0 else None
