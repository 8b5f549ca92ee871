"""The noise that minibatches add to a step: its covariance over minibatches, at the fixed point and
over a law around it.

A gradient from a minibatch is farther from the true one the farther away from the mode it is
taken, so that the noise at the mode alone would say too little. Minibatches are drawn here, where
rows cannot be chosen one by one (``all_rows``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from codegen.bias.linear.linearise import Linear, Setting
from codegen.bias.linear.work import Work, size_of_data

FIRST_BATCH = 2**20  # the number of the step with the first of the minibatches


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


def noise_of_drawn(
    setting: Setting,
    here: Linear,
    batch: int,
    most: Work,
    law_with: Callable[[np.ndarray], np.ndarray | None],
    narrow: np.ndarray,
) -> BatchNoise:
    """Return the noise from minibatches that are drawn; arguments as for
    ``all_rows.noise_of_minibatches``.
    """
    at_point = _added(setting, here, batch, np.zeros((most.batches, here.point.size)))
    wide = law_with(_covariance(at_point))
    law = narrow if wide is None else wide
    around = _added(setting, here, batch, _deviations(law, most.batches))
    rows, _ = size_of_data(setting.step.kernel)
    return BatchNoise(
        _covariance(at_point),
        _covariance(around),
        _covariance(around - at_point),
        float(np.sqrt(2.0 / max(1, most.batches - 1))),
        distinct_rows(rows, most.batches * batch),
        rows,
        -1,
        0.0,
        lambda other, near: noise_around(other, near, batch, most.batches, law),
    )


def distinct_rows(rows: int, drawn: int) -> int:
    """Return how many of so many rows are expected among those that are drawn."""
    return round(rows * (1.0 - (1.0 - 1.0 / rows) ** drawn))


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
