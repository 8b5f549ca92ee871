"""Which sign an expression may have, as far as its values at a few points of the domain show.

What is negative somewhere has no nonnegative form, so that none is searched for.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from sympy import Expr

from recipe.language.symbols import Length
from recipe.language.total import free_indexed
from verify.decide.points.balls import WORKING_BITS, NoValueError, at_precision
from verify.decide.points.condition_places import Places
from verify.decide.points.point import Point
from verify.decide.zero.decide import explicit_sizes

POINTS_PER_LENGTH_CHOICE, MAX_POINTS = 6, 24


def possible_at_points(e: Expr) -> tuple[int, ...]:
    """Return the signs that ``e`` may have throughout: ``1`` for nonnegative, ``-1`` for
    nonpositive, and both where no point decides.

    A sign is left out only where exact arithmetic shows a value of the other one at a point of the
    domain.
    """
    left = {1, -1}
    for sizes, seed in itertools.islice(
        itertools.product(explicit_sizes([e]), range(POINTS_PER_LENGTH_CHOICE)), MAX_POINTS
    ):
        point = Point(sizes, seed, edge=seed % 2 == 1, origin=seed == 1)
        value = _value(e, point, _places(e, sizes))
        if value is not None:
            left -= {-1} if value > 0 else {1} if value < 0 else set()
        if not left:
            break
    return tuple(sorted(left, reverse=True))


def _places(e: Expr, sizes: Mapping[Length, int]) -> Places:
    """A coordinate for each free index. Two of them may be the same one: what is searched for is a
    form that knows no difference between them.
    """
    least: dict[int, int] = {}
    for s in free_indexed(e):
        least[s.label] = min(least.get(s.label, sizes[s.length]), sizes[s.length])
    return {label: k % least[label] for k, label in enumerate(sorted(least, reverse=True))}


def _value(e: Expr, point: Point, places: Places) -> Any:
    """A ball around the value at a point; None where there is none."""
    try:
        return at_precision(WORKING_BITS[0], lambda: point.evaluate(e, places))
    except NoValueError:
        return None
