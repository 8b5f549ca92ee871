"""An indication whether a step size is near the end of the stable ones, from the compiled kernel
itself.

Two copies of a state, a small distance apart, make the same steps with the same random numbers.
They stay together where the scheme is stable, and a step size that is too large drives them apart.
This is an indication and no proof.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

LARGER_FACTOR = 1.5  # the step size is tried, and this multiple of it
PROBE_STEPS = 200  # steps of each copy
INITIAL_DISTANCE = 1e-7  # of two copies, relative to 1 + |coordinate|
MAX_STABLE_GROWTH = 1e4  # of the distance of two copies, at the step size itself
MAX_RELATIVE_GROWTH = 10.0  # at the larger step size, against 1 and against the step size itself

# moves a state in place: (state, step size, number of steps) -> True if it stayed finite
Step = Callable[[Any, float, int], bool]


def is_near_stability_bound(
    step: Step, copy: Callable[[], Any], fields: list[str], size: float
) -> bool:
    """Return True if the step size, or ``LARGER_FACTOR`` times it, seems to be unstable.

    Args:
        step: moves a state; two calls with one step size use the same random numbers.
        copy: returns a fresh copy of the state from which to step.
        fields: the names of the blocks in a state.
        size: the step size.
    """
    now, larger = (_growth(step, copy, fields, s) for s in (size, LARGER_FACTOR * size))
    return now > MAX_STABLE_GROWTH or (
        larger > MAX_RELATIVE_GROWTH and larger > MAX_RELATIVE_GROWTH * max(1.0, now)
    )


def _growth(step: Step, copy: Callable[[], Any], fields: list[str], size: float) -> float:
    """Return the factor by which two copies move apart; infinity where one of them does not stay
    finite.
    """
    a, b = copy(), copy()
    random = np.random.default_rng(0)
    initial = 0.0
    for f in fields:
        signs = random.choice([-1.0, 1.0], getattr(a, f).size)
        shift = INITIAL_DISTANCE * (1.0 + np.abs(getattr(a, f))) * signs
        getattr(b, f)[:] += shift
        initial += float(np.sum(shift**2))
    if not (step(a, size, PROBE_STEPS) and step(b, size, PROBE_STEPS)):
        return float("inf")
    final = sum(np.sum((getattr(a, f) - getattr(b, f)) ** 2) for f in fields)
    return float(np.sqrt(final / initial))
