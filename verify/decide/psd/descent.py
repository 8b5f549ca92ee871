"""Where the smallest eigenvalue of D may be lowest: a descent in floating point, from which exact
points are made.

What it finds is only a proposal: ball arithmetic at the exact point decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sympy import Rational

from verify.decide.zero.point import NoValueError, Point, at_precision

FLOAT_BITS = 64
EVALUATIONS = 160
OUTSIDE = 1e30
DENOMINATORS = (10, 10**3, 10**6, 10**12)

Matrix = Callable[[Point], list[list[Any]]]


def lowest_points(start: Point, matrix: Matrix) -> Iterator[Point]:
    """Exact points near the one where the smallest eigenvalue is lowest, the coarsest first."""
    import numpy as np
    from scipy.optimize import minimize

    try:
        at_precision(FLOAT_BITS, lambda: matrix(start))
    except NoValueError:
        return
    keys = start.movable()
    if not keys:
        return

    def smallest(x: Any) -> float:
        point = start.moved({key: Rational(float(c)) for key, c in zip(keys, x, strict=True)})
        if point is None:
            return OUTSIDE
        try:
            A = at_precision(FLOAT_BITS, lambda: matrix(point))
        except NoValueError:
            return OUTSIDE
        return float(np.linalg.eigvalsh(np.array([[float(c.mid()) for c in row] for row in A]))[0])

    first = np.array([float(start.value_of(key)) for key in keys])
    options = {"maxfev": EVALUATIONS * len(keys), "xatol": 1e-10, "fatol": 1e-18}
    best = minimize(smallest, first, method="Nelder-Mead", options=options).x
    for bound in DENOMINATORS:
        point = start.moved(
            {
                key: Rational(float(c)).limit_denominator(bound)
                for key, c in zip(keys, best, strict=True)
            }
        )
        if point is not None:
            yield point


__all__ = ["lowest_points"]
