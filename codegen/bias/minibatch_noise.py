"""The noise that minibatches add to a step: its covariance over minibatches, at the fixed point and
over a law around it.

A gradient from a minibatch is farther from the true one the farther away from the mode it is
taken, so that the noise at the mode alone would say too little.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from codegen.bias.linearise import Linear, Setting

FIRST_BATCH = 2**20  # the number of the step with the first of the minibatches


@dataclass(frozen=True, eq=False)
class BatchNoise:
    """What minibatches add to results of a step, each a covariance of the shape (m, m).

    Attributes:
        at_point: at the fixed point itself.
        around: over a law around it.
        differences: over that law, with the noise at the fixed point of the same minibatch taken
            off, as control variates do.
        count: the number of minibatches.
    """

    at_point: np.ndarray
    around: np.ndarray
    differences: np.ndarray
    count: int

    @property
    def relative_error(self) -> float:
        """The standard error of each variance, relative to it, for normal noise."""
        return float(np.sqrt(2.0 / max(1, self.count - 1)))


def noise_at_point(setting: Setting, here: Linear, batch: int, count: int) -> np.ndarray:
    """Return what minibatches add to the results of steps from the fixed point, shape (count, m).

    Args:
        setting: the step with its size.
        here: the step near its fixed point.
        batch: the rows of a minibatch.
        count: the number of minibatches.
    """
    return _added(setting, here, batch, np.zeros((count, here.point.size)))


def noise_around(
    setting: Setting, here: Linear, batch: int, at_point: np.ndarray, law: np.ndarray
) -> BatchNoise:
    """Return the noise of minibatches over a law around the fixed point.

    Args:
        setting: the step with its size.
        here: the step near its fixed point.
        batch: the rows of a minibatch.
        at_point: the result of ``noise_at_point``.
        law: the covariance of the law, shape (n, n).
    """
    count, n = at_point.shape[0], here.point.size
    random = np.random.default_rng(0)
    deviations = random.standard_normal((count, n)) @ _root(law).T
    added = _added(setting, here, batch, deviations)
    return BatchNoise(
        _covariance(at_point), _covariance(added), _covariance(added - at_point), count
    )


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


def _root(S: np.ndarray) -> np.ndarray:
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
