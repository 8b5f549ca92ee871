"""Search for points where the smallest eigenvalue of D is low, by a descent in floating point.

The exact points made from it are only proposals: ball arithmetic at the exact point decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from sympy import Rational

from verify.decide.linear_algebra.eigenvalue import smallest_eigenvalue
from verify.decide.points.balls import NoValueError, at_precision
from verify.decide.points.point import Point
from verify.decide.psd.simplex_descent import lowest_found

DESCENT_PRECISION_BITS = 64
EVALUATIONS_PER_COORDINATE = 160
VALUE_OUTSIDE_DOMAIN = 1e30
MAX_DENOMINATORS = (10, 10**3, 10**6, 10**12)  # the lowest point is rounded to each of these

Matrix = Callable[[Point], list[list[Any]]]


def lowest_points(start: Point, matrix: Matrix) -> Iterator[Point]:
    """Exact points near a local minimum of the smallest eigenvalue, with the smallest denominators
    first.

    The descent starts at ``start``; ``matrix`` gives the matrix of balls at a point. Yields nothing
    if the matrix has no value at ``start``, or nothing there can be moved.
    """
    try:
        at_precision(DESCENT_PRECISION_BITS, lambda: matrix(start))
    except NoValueError:
        return
    keys = start.movable()
    if not keys:
        return

    def smallest(x: list[float]) -> float:
        if not all(map(math.isfinite, x)):
            return VALUE_OUTSIDE_DOMAIN
        point = start.moved({key: Rational(c) for key, c in zip(keys, x, strict=True)})
        if point is None:
            return VALUE_OUTSIDE_DOMAIN
        try:
            A = at_precision(DESCENT_PRECISION_BITS, lambda: matrix(point))
        except NoValueError:
            return VALUE_OUTSIDE_DOMAIN
        value = smallest_eigenvalue([[float(c.mid()) for c in row] for row in A])
        return VALUE_OUTSIDE_DOMAIN if math.isnan(value) else value

    first = [float(start.value_of(key)) for key in keys]
    best = lowest_found(smallest, first, EVALUATIONS_PER_COORDINATE * len(keys))
    for bound in MAX_DENOMINATORS:
        point = start.moved(
            {key: Rational(c).limit_denominator(bound) for key, c in zip(keys, best, strict=True)}
        )
        if point is not None:
            yield point


__all__ = ["lowest_points"]
