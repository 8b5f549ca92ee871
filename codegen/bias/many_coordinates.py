"""The prediction of the bias of a run whose state has too many coordinates for matrices.

The variance of each draw is that of the run. What minibatches add to it comes from pairs of short
runs (``twins``), what the step size adds from the directions of the curvature (``modes``). What is
left is the variance of the target.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from codegen.bias.around_draws import Around
from codegen.bias.linear.compare import Bias
from codegen.bias.linear.linearise import Setting
from codegen.bias.linear.minibatch_noise import distinct_rows
from codegen.bias.linear.modes import Excess, excess_of_step
from codegen.bias.linear.work import WorkOfMany, size_of_data
from codegen.bias.prediction import LARGEST_FACTOR, Part, Prediction, Repairs
from codegen.bias.repairs import proportional_repairs
from codegen.bias.step.streams import noise_places
from codegen.bias.step.unpredictable import UnpredictableError
from codegen.bias.twins import ShortRuns, shuffled, together_after
from codegen.bias.units import in_own_units
from codegen.inputs.lengths import Lengths
from codegen.running.chains import Chain

MIN_STEPS = 60  # of a short run
LOOK = 200  # steps that are looked at one by one
ALTERNATING = 0.25  # of a negative correlation from one step to the next
MAX_SLOW = 0.1  # of the coordinates: more that move too slowly leave nothing to say
DOUBT = 2.0  # standard errors that a coordinate loses in the search for the largest bias
CAUTION = 2.0  # standard errors that a mean over some coordinates loses against one over more


@dataclass(frozen=True, eq=False)
class Found:
    """What is found out about each judged coordinate.

    What has two rows is estimated from two halves of what there is: the largest of thousands of
    noisy numbers is too large, so one half chooses the coordinate, and the other one judges it.

    Attributes:
        variance: of the draws, shape (2, k).
        batches: what minibatches add to it, shape (2, k).
        step: what the step size adds to it, shape (k,).
        shift: how far the mean moves, in standard deviations of the target, shape (2, k).
        doubt: the relative standard error of what minibatches add, shape (k,).
        judged: which coordinates move fast enough to be judged, shape (k,).
    """

    variance: np.ndarray
    batches: np.ndarray
    step: np.ndarray
    shift: np.ndarray
    doubt: np.ndarray
    judged: np.ndarray

    def largest(self, size: np.ndarray) -> tuple[int, np.ndarray, float]:
        """Return the coordinate with the largest size; the weights of coordinates with which either
        half is to be averaged for that size, shape (2, k); and the relative error of this mean.

        Either half is averaged over the coordinates that are largest by the other half: over few
        where some stand out, over many where each is noisy.

        Args:
            size: a number for each coordinate from either half, shape (2, k).
        """
        trusted = np.where(self.judged, size / (1.0 + DOUBT * self.doubt), -np.inf)
        weights, errors = np.zeros_like(size), np.zeros(2)
        count = np.arange(1, int(self.judged.sum()) + 1)
        for own, other in ((0, 1), (1, 0)):
            order = np.argsort(-trusted[other])[: len(count)]
            noise = (np.sqrt(2.0) * self.doubt * size[own])[order]
            mean = np.cumsum(size[own, order]) / count
            error = np.sqrt(np.cumsum(noise**2)) / count
            some = int(np.argmax(mean - CAUTION * error))
            weights[own, order[: some + 1]] = 1.0 / count[some]
            errors[own] = error[some] / max(mean[some], 1e-300)
        error = float(np.sqrt(np.sum(errors**2)) / 2)
        return int(np.argmax(trusted.mean(axis=0))), weights, error


def predict_many(
    setting: Setting,
    chains: Sequence[Chain],
    around: Around,
    labels: Sequence[str],
    budget: float,
    most: WorkOfMany,
    lengths: Lengths,
) -> Prediction:
    """Predict the bias of a run with many coordinates.

    Args:
        setting: the step with its size and the rows that stand for all of the data.
        chains: the chains of the run.
        around: where their draws are.
        labels: the names of the judged coordinates.
        budget: the largest bias that is wanted, in posterior standard deviations.
        most: the size of the prediction.
        lengths: the lengths of the blocks.

    Raises:
        UnpredictableError: where nothing can be predicted.
    """
    if around.sample is None or setting.step.images:
        raise UnpredictableError("the draws of its blocks are not kept, or are too few")
    if most.steps < MIN_STEPS:
        raise UnpredictableError(
            "the run is too short: 5 percent of its steps are too few to see what they lead to"
        )
    places = noise_places(setting.step.kernel.module, lengths)
    setting, around = in_own_units(setting, around, places)
    _require_steps_that_do_not_alternate(setting, chains, min(most.steps, LOOK))
    excess = excess_of_step(setting, around.start, around.scale, places, most.directions)
    found = _found(setting, chains, around, excess, most)
    said = _prediction(setting, found, labels, budget)
    batch = setting.step.kernel.options.rows
    if not batch:
        return said
    rows, _ = size_of_data(setting.step.kernel)
    drawn = 2 * most.steps * batch  # of a pair of short runs
    return replace(said, rows=rows, rows_seen=distinct_rows(rows, drawn))


def _require_steps_that_do_not_alternate(
    setting: Setting, chains: Sequence[Chain], steps: int
) -> None:
    """Require that no coordinate goes to and fro from step to step, as it does near the largest
    stable step size, where its variance does not say how curved its potential is.

    Raises:
        UnpredictableError: where one does.
    """
    seen = ShortRuns(setting.step, setting.step_size, steps).positions(chains[0].state, steps)
    jumps = np.mean(np.diff(seen, axis=0) ** 2, axis=0)
    if np.any(jumps > 2.0 * (1.0 + ALTERNATING) * seen.var(axis=0)):
        raise UnpredictableError("the step size is not far from the largest stable one")


def _found(
    setting: Setting, chains: Sequence[Chain], around: Around, excess: Excess, most: WorkOfMany
) -> Found:
    assert around.sample is not None
    batch = setting.step.kernel.options.rows
    runs = ShortRuns(setting.step, setting.step_size, most.steps)
    start, half = chains[0].state, runs.records // 2
    first = runs.positions(start, runs.records)
    # 1. When a start is forgotten.
    known = np.zeros(first.shape[1], dtype=int)
    for other in _elsewhere(around.sample, len(chains)):
        apart = runs.positions(_moved(setting, start, other), half) - first[:half]
        known = np.maximum(known, together_after(apart, around.sd))
    judged = known < half
    # two draws of a coordinate may lie side by side by chance, and are then together at once
    known = np.maximum(known, int(np.median(known)))
    # 2. The variance of the draws, and what minibatches add to it.
    variance = _variance(around.sample, len(chains))
    batches, apart = np.zeros_like(variance), np.zeros_like(first)
    if batch:
        apart = first - runs.positions(start, runs.records, data=shuffled(setting.step.kernel))
        batches = _in_halves(apart**2 / 2.0, known)
    own = np.maximum((variance - batches).mean(axis=0), 1e-3 * variance.mean(axis=0))
    step = excess.of(own)
    # 3. How far means move.
    sd = np.sqrt(np.maximum(own - step, 1e-3 * own))
    pushes = _pushes(setting, around, first, apart, step, most.points)
    moved = [runs.positions(start, half, push=p) - first[:half] for p in pushes]
    late = np.minimum(known, 3 * half // 4)
    shift = np.array([_mean_from(m, late) for m in moved]) / sd
    done = sum(c.done for c in chains) / runs.stride
    unsure = 1.0 / done + (1.0 / (runs.records - known) if batch else 0.0)
    doubt = np.sqrt(2.0 * np.maximum(known, 1) * unsure)
    return Found(variance, batches, step, shift, doubt, judged)


def _elsewhere(sample: np.ndarray, chains: int) -> list[np.ndarray]:
    """Return two draws that are far from where the first chain ended, as other chains are."""
    return [sample[len(sample) // 2 - (chains == 1)], sample[len(sample) // max(4, chains)]]


def _moved(setting: Setting, state: Any, judged: np.ndarray) -> Any:
    """Return a copy of a state with other judged coordinates."""
    step, copied = setting.step, setting.step.kernel.copy(state)
    for name, part in step.recorded.items():
        values = judged[part.start - step.size : part.stop - step.size]
        getattr(copied, name)[:] = values if step.units is None else values * step.units[part]
    return copied


def _variance(sample: np.ndarray, chains: int) -> np.ndarray:
    """Return the variances of the first and the second halves of all chains, shape (2, k)."""
    draws = sample.reshape(chains, -1, sample.shape[1])
    square = np.mean((draws - sample.mean(axis=0)) ** 2, axis=0)
    middle = len(square) // 2
    return np.array([square[:middle].mean(axis=0), square[middle:].mean(axis=0)])


def _in_halves(values: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Return the means of the first and the second halves of what follows a start that each
    coordinate has, shape (2, k).
    """
    middle = (start + len(values)) // 2
    sums = np.vstack([np.zeros((1, values.shape[1])), np.cumsum(values, axis=0)])
    at = np.arange(values.shape[1])
    return np.array(
        [
            (sums[middle, at] - sums[start, at]) / (middle - start),
            (sums[-1] - sums[middle, at]) / (len(values) - middle),
        ]
    )


def _mean_from(values: np.ndarray, start: np.ndarray) -> np.ndarray:
    weights = np.arange(len(values))[:, None] >= start
    return np.asarray(np.sum(values * weights, axis=0) / weights.sum(axis=0))


def _pushes(
    setting: Setting,
    around: Around,
    positions: np.ndarray,
    apart: np.ndarray,
    step: np.ndarray,
    count: int,
) -> list[np.ndarray]:
    """Return how far a step moves in the mean because the law is wider than its target, from two
    halves of some points, each of the shape (n,).

    The mean of a step over two points that lie opposite each other, less the step at their middle,
    is half of the second derivative of the step, applied to the covariance of such pairs.
    """
    random = np.random.default_rng(3)
    batch = setting.step.kernel.options.rows
    cheap = replace(setting, rows=batch)
    chosen = np.linspace(len(positions) // 4, len(positions) - 1, count).astype(int)
    found = []
    for n in chosen:
        middle = positions[n] - apart[n] / 2 - around.start[setting.step.judged]
        signs = random.choice([-1.0, 1.0], size=len(step))
        by_step = _bent(cheap, around.start, middle, signs * np.sqrt(np.abs(step)), int(n))
        by_batch = (
            0.0
            if not batch
            else _bent(cheap, around.start, middle, apart[n] / np.sqrt(2.0), int(n))
        )
        found.append(by_batch + np.sign(step.sum()) * by_step)
    return [np.mean(found[n::2], axis=0) for n in (0, 1)]


def _bent(
    setting: Setting, start: np.ndarray, middle: np.ndarray, aside: np.ndarray, number: int
) -> np.ndarray:
    """Return the bend of a step with a minibatch of its own, which its number chooses."""
    step, size, rows = setting.step, setting.step_size, setting.rows
    ahead, here, back = (
        step(setting.from_positions(start, middle + d), number, size, rows, True)
        for d in (aside, 0 * aside, -aside)
    )
    return ((ahead + back) / 2 - here)[: step.size]


def _prediction(setting: Setting, found: Found, labels: Sequence[str], budget: float) -> Prediction:
    options = setting.step.kernel.options
    slow = int(np.sum(~found.judged))
    if slow > MAX_SLOW * len(labels):
        raise UnpredictableError(_too_slow(found, labels))
    share, of_step = found.batches / found.variance, found.step / found.variance
    worst, weights, error = found.largest(np.abs(share + of_step))
    ratio = _ratio(_mean(weights, share + of_step))
    alone_worst, alone_weights, _ = found.largest(np.abs(of_step))
    left = max(1.0 - _mean(alone_weights, share), 1e-3)
    ratio_alone = _ratio(_mean(alone_weights, of_step) / left)
    moved, shift = _shift(found)
    by_step = float(np.sum(np.abs(of_step)) / max(np.sum(np.abs(of_step) + np.abs(share)), 1e-300))
    total = Bias(ratio, np.array([shift]))
    wide = not total.sd[0] <= LARGEST_FACTOR
    alone = Bias(ratio_alone, np.array([0.0 if wide else by_step * shift]))
    whole = Part(float(total.sd[0]), labels[worst], None if wide else shift, labels[moved])
    if slow and whole.within(budget):
        raise UnpredictableError(_too_slow(found, labels))
    way = Repairs()
    if total.size > budget:
        same = Bias(total.variance * (1.0 - _mean(weights, share)), alone.shift)
        way = proportional_repairs(setting, same, total, alone, budget)
    return Prediction(
        budget,
        bool(options.rows),
        None,
        whole,
        Part(float(alone.sd[0]), labels[alone_worst], float(alone.shift[0]), labels[moved]),
        way,
        error if options.rows else None,
        setting.step.size,
        slow=slow,
    )


def _too_slow(found: Found, labels: Sequence[str]) -> str:
    return (
        f"the run is too short: {int(np.sum(~found.judged)):,} of {len(labels):,} coordinates, such"
        f" as {labels[int(np.argmin(found.judged))]}, move too slowly to be judged in 5 percent of"
        " it"
    )


def _mean(weights: np.ndarray, values: np.ndarray) -> float:
    return float(np.mean(np.sum(weights * values, axis=1)))


def _ratio(share: float) -> np.ndarray:
    """Return the ratio of a variance to that of the target, shape (1,), where a share of it is not
    the target's.
    """
    return np.array([1.0 / (1.0 - share) if share < 1.0 else np.inf])


def _shift(found: Found) -> tuple[int, float]:
    """Return the coordinate whose mean moves most, and how far."""
    worst, weights, _ = found.largest(np.abs(found.shift))
    return worst, max(0.0, _mean(weights, found.shift * np.sign(found.shift[::-1])))
