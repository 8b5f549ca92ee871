"""The polynomials of the random numbers and of the elementary functions: how their coefficients
were found.

Remez' algorithm for the relative error, in 60 digits. The coefficients are rounded to binary
numbers one after the other, from the constant up, and those after it are fitted again, so that
rounding costs next to nothing. Printed: the coefficients, and what is left of the relative error.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence

import mpmath
from mpmath import mpf

Function = Callable[[mpf], mpf]


def remez(f: Function, weight: Function, low: mpf, high: mpf, powers: Sequence[int]) -> list[mpf]:
    """The coefficients c with the least maximum of ``weight * |f - sum c_p x^p|``."""
    n = len(powers)
    grid = [
        (low + high) / 2 - (high - low) / 2 * mpmath.cos(mpmath.pi * k / (60 * n))
        for k in range(60 * n + 1)
    ]
    points = [
        (low + high) / 2 - (high - low) / 2 * mpmath.cos(mpmath.pi * (k + 0.5) / (n + 1))
        for k in range(n + 1)
    ]
    for _ in range(20):
        system = mpmath.matrix(
            [[*(x**p for p in powers), (-1) ** k / weight(x)] for k, x in enumerate(points)]
        )
        solution = list(mpmath.lu_solve(system, mpmath.matrix([f(x) for x in points])))[:n]
        error = [
            (f(x) - _value(dict(zip(powers, solution, strict=True)), x)) * weight(x) for x in grid
        ]
        found = _alternating(grid, error, n + 1)
        if len(found) < n + 1 or found == points:
            break
        points = found
    return solution


def _alternating(grid: list[mpf], error: list[mpf], count: int) -> list[mpf]:
    """Where the error is largest between its changes of sign."""
    best: list[int] = []
    for k, e in enumerate(error):
        if not best or (e > 0) != (error[best[-1]] > 0):
            best.append(k)
        elif abs(e) > abs(error[best[-1]]):
            best[-1] = k
    while len(best) > count:
        del best[0 if abs(error[best[0]]) < abs(error[best[-1]]) else -1]
    return [grid[k] for k in best]


def _value(coefficients: dict[int, mpf], x: mpf) -> mpf:
    return mpmath.fsum(c * x**p for p, c in coefficients.items())


def rounded(f: Function, low: mpf, high: mpf, count: int, given: Sequence[float]) -> dict[int, mpf]:
    """Coefficients that are binary numbers, for the relative error; the first ones may be given.

    Around 0 they are all rounded at once: what is left for the later ones vanishes at 0, and has no
    best approximation there.
    """
    if low < 0 < high:
        found = remez(f, lambda x: 1 / abs(f(x)), low, high, range(count))
        return {p: mpf(float(c)) for p, c in enumerate(found)}
    known = {p: mpf(c) for p, c in enumerate(given)}
    for p in range(len(given), count):
        rest = remez(
            lambda x: f(x) - _value(known, x), lambda x: 1 / abs(f(x)), low, high, range(p, count)
        )
        known[p] = mpf(float(rest[0]))
    return known


def second_remainder(r: mpf) -> mpf:
    """(exp(r) - 1 - r)/r^2, with the start of its series near 0."""
    return (
        (mpmath.expm1(r) - r) / r**2 if abs(r) > mpf(10) ** -15 else mpf(1) / 2 + r / 6 + r**2 / 24
    )


def of_root(f: Function, at_0: float) -> Function:
    """``f(sqrt(z))``, with its limit at 0."""
    return lambda z: f(mpmath.sqrt(z)) if z > mpf(10) ** -40 else mpf(at_0)


POLYNOMIALS: dict[str, tuple[Function, float, float, int, tuple[float, ...]]] = {
    "-4 artanh(s)/s in s^2, for radius": (
        of_root(lambda s: -4 * mpmath.atanh(s) / s, -4),
        0,
        0.02943726,
        7,
        (-4.0,),
    ),
    "cos(pi/2 a) in a^2, for direction": (
        of_root(lambda a: mpmath.cos(mpmath.pi / 2 * a), 1),
        0,
        0.25,
        7,
        (1.0,),
    ),
    "sin(pi/2 a)/a in a^2, for direction": (
        of_root(lambda a: mpmath.sin(mpmath.pi / 2 * a) / a, 1.5707963267948966),
        0,
        0.25,
        7,
        (),
    ),
    "(exp(r) - 1 - r)/r^2, for exponential": (
        second_remainder,
        -0.50001 * math.log(2),
        0.50001 * math.log(2),
        11,
        (),
    ),
}


def main() -> int:
    mpmath.mp.dps = 60
    for name, (f, low, high, count, given) in POLYNOMIALS.items():
        found = rounded(f, mpf(low), mpf(high), count, given)
        grid = [low + (high - low) * mpf(k) / 1000 for k in range(1001)]
        left = max(abs(_value(found, x) / f(x) - 1) for x in grid if f(x) != 0)
        print(f"{name}: relative error 2^{float(mpmath.log(left, 2)):.1f}")
        print("   ", ", ".join(repr(float(c)) for c in found.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
