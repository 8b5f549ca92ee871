"""The noise that minibatches add to a step: its covariance over minibatches, at the fixed point and
over a law around it.

A gradient from a minibatch is farther from the true one the farther away from the mode it is
taken, so that the noise at the mode alone would say too little. A row that outweighs all others is
in few minibatches, so that some minibatches would say too little as well: the covariance over all
rows is taken, each of which is visited (``partition``). Where rows cannot be chosen, minibatches
are drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from codegen.bias.linearise import Linear, Setting
from codegen.bias.partition import Partition, partition
from codegen.bias.row_sums import RowSums, row_sums
from codegen.bias.work import Work

FIRST_BATCH = 2**20  # the number of the step with the first of the minibatches
MAX_PAIRS = 12  # of points around the fixed point that lie opposite each other
MIN_PAIRS = 2
FEW_ROWS = 40.0  # for each coordinate: with fewer, how rows act away from the mode counts for more


@dataclass(frozen=True, eq=False)
class BatchNoise:
    """What minibatches add to results of a step, each a covariance of the shape (m, m).

    Attributes:
        at_point: at the fixed point itself.
        around: over a law around it.
        differences: over that law, with the noise at the fixed point of the same rows taken off,
            as control variates do.
        relative_error: the standard error of each variance, relative to it.
        seen: the number of rows that were looked at.
        rows: the number of rows of the data.
        heavy_row, heavy_share: the row with the largest share of a variance that was found alone,
            and this share; row -1 where none was.
        at_size: the same as ``around`` for a step of another size, near the same point.
    """

    at_point: np.ndarray
    around: np.ndarray
    differences: np.ndarray
    relative_error: float
    seen: int
    rows: int
    heavy_row: int
    heavy_share: float
    at_size: Callable[[Setting, Linear], np.ndarray]


def noise_of_minibatches(
    setting: Setting,
    here: Linear,
    batch: int,
    most: Work,
    law_with: Callable[[np.ndarray], np.ndarray],
) -> BatchNoise:
    """Return the noise of minibatches.

    Args:
        setting: the step with its size.
        here: the step near its fixed point.
        batch: the rows of a minibatch.
        most: how many rows may be looked at, and in how many parts.
        law_with: from the noise at the fixed point to the covariance of the law around it over
            which the noise is averaged, shape (n, n).
    """
    sums = row_sums(setting.step, setting.quiet)
    found = None if sums is None else _of_all_rows(setting, here, batch, most, law_with, sums)
    return _of_minibatches(setting, here, batch, most, law_with) if found is None else found


def _of_all_rows(
    setting: Setting,
    here: Linear,
    batch: int,
    most: Work,
    law_with: Callable[[np.ndarray], np.ndarray],
    sums: RowSums,
) -> BatchNoise | None:
    """Return the noise from sums over parts of the rows; None where a step is no such sum."""
    rows = _some_rows(sums.rows, most.once)
    whole = partition(
        lambda part: sums.at(part, [here.point], setting.step_size),
        *_parts(rows, most.batches, sums.rows / len(rows)),
    )
    if whole is None:
        return None
    scale = _of_a_minibatch(setting, sums.rows, batch)
    at_point = scale * whole.covariance(0)
    points = _around(here, law_with(at_point), sums.rows)
    again = _looked_at_again(whole, most)
    local = partition(
        lambda part: sums.at(part, [here.point, *points], setting.step_size), *again
    )
    if local is None:
        return None
    places = range(1, len(points) + 1)
    around = _mean([local.covariance(p) for p in places])

    def at_size(other: Setting, near: Linear) -> np.ndarray:
        pair = points[:2]
        moved = local.again(lambda part: sums.at(part, pair, other.step_size))
        found, own = (_mean([p.covariance(n) for n in where]) for p, where in (
            (moved, (0, 1)), (local, (1, 2)),
        ))
        with np.errstate(all="ignore"):
            ratio = np.sqrt(np.diag(around) / np.diag(own))
        ratio = np.where(np.isfinite(ratio), ratio, 1.0)
        return np.asarray(scale * found * np.outer(ratio, ratio))

    heavy_row, heavy_share = local.heaviest(1)
    return BatchNoise(
        at_point,
        scale * around,
        scale * _mean([local.covariance(p, 0) for p in places]),
        max(whole.relative_error(0), local.relative_error(1)),
        len(rows),
        sums.rows,
        heavy_row,
        heavy_share,
        at_size,
    )


def _some_rows(rows: int, most: int) -> np.ndarray:
    """Return the numbers of at most so many rows, each once, in a random order."""
    random = np.random.default_rng(0)
    if most < rows // 2:  # no array of the length of the data, which may not fit into memory
        return np.asarray(random.permutation(np.unique(random.integers(rows, size=most))))
    numbers = np.arange(rows, dtype=np.uint32 if rows < 2**32 else np.int64)
    random.shuffle(numbers)
    return numbers[:most]


def _parts(rows: np.ndarray, count: int, weight: float) -> tuple[list[np.ndarray], np.ndarray]:
    """Return about equal parts of rows, each sorted as it is read, and the weights of these."""
    count = len(rows) if len(rows) <= 2 * count else count
    return [np.sort(p) for p in np.array_split(rows, count)], np.full(count, weight)


def _looked_at_again(whole: Partition, most: Work) -> tuple[list[np.ndarray], np.ndarray]:
    """Return the parts that are looked at away from the fixed point, with their weights: rows that
    were found to stand out, and some of all others.
    """
    if whole.alone.all():
        return whole.parts, whole.weights
    alone = np.flatnonzero(whole.alone)
    others = np.concatenate([p for p in whole.parts if len(p) > 1])
    np.random.default_rng(1).shuffle(others)
    some = others[: max(4, most.again)]
    weight = float(whole.weights[0]) * len(others) / len(some)
    parts, weights = _parts(some, most.batches, weight)
    return [whole.parts[n] for n in alone] + parts, np.append(whole.weights[alone], weights)


def _around(here: Linear, law: np.ndarray, rows: int) -> list[np.ndarray]:
    """Return pairs of points that lie opposite each other, whose covariance is in the mean that of
    a law around the fixed point, and exactly that where there is a pair for each coordinate.
    """
    n = here.point.size
    pairs = min(n, MAX_PAIRS, max(MIN_PAIRS, int(np.ceil(FEW_ROWS * n / rows))))
    turned = np.linalg.qr(np.random.default_rng(0).standard_normal((n, n)))[0]
    asides = np.sqrt(n) * (root(law) @ turned[:, :pairs]).T
    return [here.point + sign * a for a in asides for sign in (1.0, -1.0)]


def _of_a_minibatch(setting: Setting, rows: int, batch: int) -> float:
    """Return the variance of N times the mean of a minibatch, by that of one of the N rows."""
    distinct = not setting.step.kernel.options.replace
    return rows**2 / batch * ((rows - batch) / max(1, rows - 1) if distinct else 1.0)


def _mean(found: list[np.ndarray]) -> np.ndarray:
    return np.asarray(np.mean(found, axis=0))


def _of_minibatches(
    setting: Setting,
    here: Linear,
    batch: int,
    most: Work,
    law_with: Callable[[np.ndarray], np.ndarray],
) -> BatchNoise:
    """Return the noise from minibatches that are drawn."""
    at_point = _added(setting, here, batch, np.zeros((most.batches, here.point.size)))
    law = law_with(_covariance(at_point))
    around = _added(setting, here, batch, _deviations(law, most.batches))
    rows = _least_rows(setting)
    # an expected number, as each draw finds a row that was not seen with this probability
    seen = rows * (1.0 - (1.0 - 1.0 / rows) ** (most.batches * batch))
    return BatchNoise(
        _covariance(at_point),
        _covariance(around),
        _covariance(around - at_point),
        float(np.sqrt(2.0 / max(1, most.batches - 1))),
        round(seen),
        rows,
        -1,
        0.0,
        lambda other, near: noise_around(other, near, batch, most.batches, law),
    )


def _least_rows(setting: Setting) -> int:
    kernel = setting.step.kernel
    estimators = kernel.module.estimators.values()
    counts = [kernel.data[f].shape[0] for e in estimators for f in e.gradient.fields.values()]
    return min(counts, default=1)


def noise_around(
    setting: Setting, here: Linear, batch: int, count: int, law: np.ndarray
) -> np.ndarray:
    """Return the noise of so many minibatches over a law around the fixed point, shape (m, m).

    Args:
        setting: the step with its size.
        here: the step near its fixed point.
        batch: the rows of a minibatch.
        count: the number of minibatches.
        law: the covariance of the law, shape (n, n).
    """
    return _covariance(_added(setting, here, batch, _deviations(law, count)))


def _deviations(law: np.ndarray, count: int) -> np.ndarray:
    normal = np.random.default_rng(0).standard_normal((count, len(law)))
    return np.asarray(normal @ root(law).T)


def _added(setting: Setting, here: Linear, batch: int, deviations: np.ndarray) -> np.ndarray:
    steps = FIRST_BATCH + np.arange(len(deviations))
    expected = here.moved + deviations @ here.slopes.T + setting.normals(steps) @ here.noise.T
    distinct = not setting.step.kernel.options.replace
    results = [
        setting.step(here.point + d, int(t), setting.step_size, batch, distinct)
        for t, d in zip(steps, deviations, strict=True)
    ]
    return np.array(results) - expected


def _covariance(samples: np.ndarray) -> np.ndarray:
    return np.atleast_2d(np.cov(samples, rowvar=False))


def root(S: np.ndarray) -> np.ndarray:
    """Return R with ``R R^T = S``, for a matrix that is singular up to rounding, too."""
    values, vectors = np.linalg.eigh((S + S.T) / 2)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def batch_with_share(share: float, batch: int, rows: int, replace: bool) -> float:
    """Return the rows of the minibatch whose mean has this share of the variance that it has now.

    With replacement the variance goes as 1/n, of distinct rows as 1/n - 1/N.

    Args:
        share: the share, above 0.
        batch: the rows of a minibatch now.
        rows: the rows N of the data.
        replace: whether rows are drawn with replacement.
    """
    whole = 0.0 if replace else 1.0 / rows
    return 1.0 / (whole + share * (1.0 / batch - whole))
