"""A local minimum of a smooth function of many variables, by limited-memory BFGS.

Source: Nocedal & Wright (2006), Numerical Optimization, 2nd edition, Springer: algorithm 7.4 (the
two-loop recursion), 7.5 (L-BFGS, scaled by (7.20)), and 3.5 and 3.6 (a line search for the strong
Wolfe conditions), whose zoom bisects where a cubic proposes no point well inside.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

MEMORY_PAIRS = 10
MAX_ITERATIONS = 5000
MAX_EVALUATIONS = 10_000  # of the function; where it falls for ever, a line takes many
SMALL_SLOPE = 1e-8  # of every derivative: the search has arrived
DECREASE = 1e-4  # c1: of the value, against what the slope at the start of the line promises
CURVATURE = 0.9  # c2: of the slope along the line, against the one at its start
STEPS_OF_A_SEARCH = 40
LARGEST_FACTOR = 10.0  # from one trial step to the next, while the line still falls
MARGIN = 0.1  # of a bracket: a proposal nearer to an end is replaced by the middle
ROUNDING = 8 * np.finfo(float).eps  # of the value, which is a sum of many terms

Function = Callable[[np.ndarray], tuple[float, np.ndarray]]
Pairs = deque[tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True, eq=False)
class Visited:
    """A point with the value and the gradient of the function there."""

    point: np.ndarray
    value: float
    gradient: np.ndarray

    @property
    def steepest(self) -> float:
        """The largest derivative, by size; NaN where one is NaN."""
        return float(np.max(np.abs(self.gradient), initial=0.0))

    @property
    def finite(self) -> bool:
        """Whether value and gradient are numbers."""
        return bool(np.isfinite(self.value) and np.isfinite(self.gradient).all())


@dataclass(frozen=True, eq=False)
class Search:
    """Where a search began and where it ended, and how many lines it followed."""

    first: Visited
    last: Visited
    iterations: int


def minimise(function: Function, start: np.ndarray) -> Search:
    """Go down from a point until the gradient vanishes or nothing improves any more.

    Args:
        function: returns the value and the gradient at a point, shape (n,). Neither needs to be
            finite away from the start; a point where one is not counts as too far.
        start: where the search begins, shape (n,).

    Returns:
        The search. Whoever asked looks at the gradient at its last point: it need not vanish where
        the function has no minimum, or rounding errors hide it.
    """
    evaluations = 0

    def counted(point: np.ndarray) -> tuple[float, np.ndarray]:
        nonlocal evaluations
        evaluations += 1
        return function(point)

    first = here = _visit(counted, start)
    pairs: Pairs = deque(maxlen=MEMORY_PAIRS)
    for iteration in range(MAX_ITERATIONS):
        if not here.finite or here.steepest <= SMALL_SLOPE or evaluations >= MAX_EVALUATIONS:
            return Search(first, here, iteration)
        found = _along(counted, here, _direction(here.gradient, pairs), bool(pairs))
        if found is None and pairs:  # the curvature that is remembered misleads
            pairs.clear()
            found = _along(counted, here, -here.gradient, False)
        if found is None or not _better(found, here):
            return Search(first, here, iteration)
        move, change = found.point - here.point, found.gradient - here.gradient
        if move @ change > np.finfo(float).eps * np.linalg.norm(move) * np.linalg.norm(change):
            pairs.append((move, change))
        here = found
    return Search(first, here, MAX_ITERATIONS)


def _better(found: Visited, here: Visited) -> bool:
    """Return whether the value is lower by more than its rounding, or else the slopes are."""
    return found.value < here.value - _rounding(here) or found.steepest < here.steepest


def _rounding(here: Visited) -> float:
    return ROUNDING * abs(here.value)


def _visit(function: Function, point: np.ndarray) -> Visited:
    value, gradient = function(point)
    return Visited(point, value, gradient)


def _direction(gradient: np.ndarray, pairs: Pairs) -> np.ndarray:
    """Return minus the gradient times an approximate inverse of the Hessian."""
    q = gradient.copy()
    weights = []
    for s, y in reversed(pairs):
        weights.append(s @ q / (s @ y))
        q -= weights[-1] * y
    if pairs:
        s, y = pairs[-1]
        q *= (s @ y) / (y @ y)
    for (s, y), weight in zip(pairs, reversed(weights), strict=True):
        q += (weight - y @ q / (s @ y)) * s
    return -q


@dataclass(frozen=True, eq=False)
class _Trial:
    """A step along a line: its length, what is there, and the slope along the line."""

    step: float
    there: Visited
    slope: float

    @property
    def value(self) -> float:
        return self.there.value


def _along(
    function: Function, here: Visited, direction: np.ndarray, scaled: bool
) -> Visited | None:
    """Return a point of a line that satisfies the strong Wolfe conditions, or else the lowest one
    that was seen; None where no point is lower.

    Args:
        function: the function.
        here: where the line begins.
        direction: where it leads.
        scaled: whether a step of length 1 is expected to fit.
    """
    slope = float(here.gradient @ direction)
    if not slope < 0.0:  # also where it is NaN
        return None

    def at(step: float) -> _Trial:
        there = _visit(function, here.point + step * direction)
        return _Trial(step, there, float(there.gradient @ direction))

    first = _Trial(0.0, here, slope)
    step = 1.0 if scaled else min(1.0, 1.0 / here.steepest)
    low, high = first, None
    for _ in range(STEPS_OF_A_SEARCH):
        trial = at(step)
        if _too_high(trial, first, low):
            high = trial
        elif abs(trial.slope) <= -CURVATURE * slope:
            return trial.there
        elif high is None and trial.slope < 0.0:
            low = trial
        else:
            if high is None or trial.slope * (high.step - low.step) >= 0.0:
                high = low
            low = trial
        step = LARGEST_FACTOR * step if high is None else _between(low, high)
        if high is not None and step in (low.step, high.step):
            break
    return low.there if low is not first else None


def _too_high(trial: _Trial, first: _Trial, low: _Trial) -> bool:
    """Return whether the value is not finite, not lower than at the start by a part of what the
    slope promises there, or higher than at the lowest step; each up to rounding.
    """
    if not trial.there.finite:
        return True
    promised = first.value + DECREASE * trial.step * first.slope
    return trial.value > min(promised, low.value) + _rounding(first.there)


def _between(low: _Trial, high: _Trial) -> float:
    """Return a step inside a bracket: where the cubic through both ends is lowest, if that is well
    inside, and the middle otherwise.
    """
    middle = (low.step + high.step) / 2
    if not high.there.finite:
        return low.step + (high.step - low.step) * MARGIN
    d1 = low.slope + high.slope - 3 * (low.value - high.value) / (low.step - high.step)
    inside = d1 * d1 - low.slope * high.slope
    if not inside >= 0.0:
        return middle
    d2 = np.copysign(np.sqrt(inside), high.step - low.step)
    proposed = high.step - (high.step - low.step) * (high.slope + d2 - d1) / (
        high.slope - low.slope + 2 * d2
    )
    ends = sorted((low.step, high.step))
    margin = MARGIN * (ends[1] - ends[0])
    return float(proposed) if ends[0] + margin <= proposed <= ends[1] - margin else middle
