"""Is the step size near the end of what is stable? Asked of the compiled kernel itself, at the
first and the last state of a run.

Two copies of a state, a small distance apart, make the same steps with the same random numbers.
Where a scheme is stable they stay together; a step size that is too large drives them apart. This
is an indication, no proof.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

FACTOR = 1.5
STEPS = 200
DISTANCE = 1e-7
UNSTABLE = 1e4  # copies that have moved this many times as far apart

Step = Callable[[Any, float, int], bool]  # (state, step size, steps) -> whether it stayed finite


def near_its_bound(step: Step, copy: Callable[[], Any], fields: list[str], size: float) -> bool:
    """Whether the step size, or ``FACTOR`` times it, is unstable.

    ``copy()`` is a fresh copy of a state, ``fields`` are the blocks in it.
    """
    now, larger = (_growth(step, copy, fields, s) for s in (size, FACTOR * size))
    return now > UNSTABLE or (larger > 10.0 and larger > 10.0 * max(1.0, now))


def _growth(step: Step, copy: Callable[[], Any], fields: list[str], size: float) -> float:
    """By what factor two copies have moved apart; infinite if one of them has left the finite
    numbers.
    """
    a, b = copy(), copy()
    sign = np.random.default_rng(0)
    first = 0.0
    for f in fields:
        shift = (
            DISTANCE * (1.0 + np.abs(getattr(a, f))) * sign.choice([-1.0, 1.0], getattr(a, f).size)
        )
        getattr(b, f)[:] += shift
        first += float(np.sum(shift**2))
    if not (step(a, size, STEPS) and step(b, size, STEPS)):
        return float("inf")
    return float(np.sqrt(sum(np.sum((getattr(a, f) - getattr(b, f)) ** 2) for f in fields) / first))
