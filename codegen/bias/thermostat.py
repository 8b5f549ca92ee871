"""Thermostats: numbers of a state that no force moves, but the temperature of the momenta does,
such as the friction xi of Nose and Hoover.

A step without its noise has no fixed point then, as momenta that stand still are too cold. So xi is
held at the number at which it does not move in the mean, over the stationary law that the linear
step has with that number. Noise of minibatches that is the same in all directions raises xi and
leaves no trace in the law, as it should (Ding et al. 2014, *Bayesian sampling using stochastic
gradient thermostats*).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from codegen.bias.around_draws import Around
from codegen.bias.linear.compare import Law, law_of
from codegen.bias.linear.linearise import Linear, Setting, at_fixed_point
from codegen.bias.step.step_map import StepMap, slices
from codegen.bias.step.unpredictable import UnpredictableError

FREE = 1e-6  # of a deviation of a thermostat, in a step
SLIGHT = 1e-2  # of the drift of a thermostat, in a step: a friction that may come from noise
BENT = 1e-4  # of the drift of a thermostat: what a momentum does to it
ROUNDS = 12  # of the secant method
CLOSE = 1e-4  # of a thermostat, relative: it is not searched for more closely
FIRST_CHANGE = 0.05  # of a thermostat, relative
LARGEST_CHANGE = 4.0  # a factor, from one round to the next
STEPS = 64  # over whose noise the drift is averaged


@dataclass(frozen=True, eq=False)
class Balanced:
    """A step with its thermostats held where they do not move in the mean.

    Attributes:
        setting: the step, whose points are without thermostats.
        here: the step near its fixed point.
        law: its stationary law.
        values: the thermostats.
        others: the places of all other coordinates in a point of the step without held ones.
    """

    setting: Setting
    here: Linear
    law: Law
    values: np.ndarray
    others: np.ndarray

    def of_others(self, around: Around) -> Around:
        """Return where draws are, without the thermostats."""
        return replace(around, start=around.start[self.others], scale=around.scale[self.others])


def thermostats(setting: Setting, start: np.ndarray, scale: np.ndarray) -> list[str]:
    """Return the fields of a state that are thermostats: that drift where all momenta stand still,
    with no friction of their own, and that momenta move by their squares.

    Args:
        setting: the step with its size.
        start: a point in the middle of the draws, shape (n,).
        scale: the order of magnitude of deviations from it, shape (n,).
    """
    step = setting.step
    still = np.where(np.isin(np.arange(step.size), step.judged), start, 0.0)
    drift = setting.full(still)[: step.size] - still
    asides = np.diag(scale)
    ahead, back = (
        np.array([setting.full(still + sign * a)[: step.size] - still for a in asides])
        for sign in (1.0, -1.0)
    )
    slopes, bends = np.abs(ahead - back - 2 * asides) / 2, np.abs(ahead + back - 2 * drift)
    found = []
    for name, part in step.fields.items():
        own, size = slopes[part, part], np.abs(drift[part])
        # without a friction of its own; noise in the momenta that it cools looks like a little
        free = np.max(own) <= max(FREE * np.min(scale[part]), SLIGHT * np.min(size))
        by_temperature = np.all(np.max(bends[:, part], axis=0) > BENT * size)
        unmoved = np.all(np.max(slopes[:, part], axis=0) < size)
        if name not in step.recorded and np.all(size > 0) and free and by_temperature and unmoved:
            found.append(name)
    return found


def _places(step: StepMap, names: Iterable[str]) -> np.ndarray:
    """Return the places of some fields in a point."""
    return np.concatenate([np.arange(step.size)[step.fields[f]] for f in names])


def balanced(
    setting: Setting,
    names: Sequence[str],
    start: np.ndarray,
    scale: np.ndarray,
    extra: np.ndarray | None = None,
) -> Balanced:
    """Return the step with its thermostats held where they do not move in the mean, by the secant
    method.

    Args:
        setting: the step with its size.
        names: the fields of the thermostats.
        start: a point in the middle of the draws, shape (n,).
        scale: the order of magnitude of deviations from it, shape (n,).
        extra: the covariance that minibatches add to a result; None without them.

    Raises:
        UnpredictableError: where there is no such number.
    """
    own = _places(setting.step, names)
    others = np.setdiff1d(np.arange(setting.step.size), own)
    if not np.all(start[own] > 0):
        raise UnpredictableError("its thermostat is not above 0, where it would be a friction")
    # the temperature goes about as 1 / xi, in which the secant method takes few rounds
    inverse = 1.0 / start[own]
    change = FIRST_CHANGE * inverse
    before = None
    for _ in range(ROUNDS):
        middle = None if setting.middle is None else setting.middle.of(others)
        step = _holding(setting.step, names, 1.0 / inverse)
        held = replace(setting, step=step, middle=middle)
        here = at_fixed_point(held, start[others], scale[others])
        law = law_of(here, extra)
        if law is None:
            if before is None:  # the draws began where there is too little friction
                inverse, change = inverse / 2, change / 2
            else:  # the last move went too far
                change = change / 2
                inverse = inverse - change
            continue
        found = Balanced(held, here, law, 1.0 / inverse, others)
        drift = _drift(setting, found, own, extra is not None)
        if before is not None:
            with np.errstate(all="ignore"):
                change = -drift * change / (drift - before)
            if not np.isfinite(change).all():
                break
            if np.all(np.abs(change) <= CLOSE * inverse):
                return found
        before = drift
        moved = np.clip(inverse + change, inverse / LARGEST_CHANGE, inverse * LARGEST_CHANGE)
        change, inverse = moved - inverse, moved
    if before is None:
        raise UnpredictableError("its thermostat leaves the momenta without friction")
    raise UnpredictableError("its thermostat has no place near the draws where it stays")


def _holding(step: StepMap, names: Sequence[str], values: np.ndarray) -> StepMap:
    """Return the step as a function of all other coordinates."""
    left = [f for f in step.fields if f not in names]
    fields = slices(left, [step.fields[f].stop - step.fields[f].start for f in left], 0)
    size = max(part.stop for part in fields.values())
    recorded = slices(list(step.recorded), [p.stop - p.start for p in step.recorded.values()], size)
    held, start = dict(step.scratch), 0
    for name in names:
        stop = start + step.fields[name].stop - step.fields[name].start
        held[name] = values[start:stop]
        start = stop
    return StepMap(step.kernel, fields, recorded, step.images, held)


def _drift(setting: Setting, found: Balanced, own: np.ndarray, minibatches: bool) -> np.ndarray:
    """Return how far the thermostats move in a step in the mean over the law of all others."""
    point = np.empty(setting.step.size)
    others = found.others
    point[own], point[others] = found.values, found.here.point
    options = setting.step.kernel.options
    rows, distinct = (options.rows, not options.replace) if options.rows else (setting.rows, True)

    def moved(aside: np.ndarray, number: int) -> np.ndarray:
        there = point.copy()
        there[others] += aside
        if not minibatches:
            return setting.full(there, number)[own] - found.values
        return setting.step(there, number, setting.step_size, rows, distinct)[own] - found.values

    none = np.zeros(len(others))
    mean = np.mean([moved(none, t) for t in range(STEPS)], axis=0)
    values, vectors = np.linalg.eigh((found.law.points + found.law.points.T) / 2)
    quiet = setting.quiet
    for value, vector in zip(values, vectors.T, strict=True):
        aside = np.sqrt(max(value, 0.0)) * vector
        bent = moved(aside, quiet) + moved(-aside, quiet) - 2 * moved(none, quiet)
        mean = mean + bent / 2
    return np.asarray(mean)
