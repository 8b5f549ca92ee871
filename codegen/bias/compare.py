"""The law that a run samples against the law that it should: standard deviations, and means.

The target is the limit of the stationary law for small steps with all of the data. Means shift
because the law is wider where it is not symmetric: to second order by ``(I - M)^-1 F''[S - S0] /
2``, which is ``-A^-1 U'''[S - S0] / 2`` for small steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from codegen.bias.linearise import Linear, Setting

MAX_DIRECTIONS = 30  # in which second differences are taken
SMALL = 1e-6  # of the largest eigenvalue: directions that change nothing


@dataclass(frozen=True, eq=False)
class Bias:
    """The bias of each coordinate of the draws.

    It is linear in the noise of minibatches, as the stationary covariance is.

    Attributes:
        variance: the ratio of variances, shape (k,).
        shift: the shift of the mean in posterior standard deviations, shape (k,).
    """

    variance: np.ndarray
    shift: np.ndarray

    @property
    def sd(self) -> np.ndarray:
        """The ratio of standard deviations, shape (k,)."""
        return np.sqrt(np.maximum(self.variance, 0.0))

    @property
    def size(self) -> float:
        """The largest bias, in posterior standard deviations; infinite where there is no law."""
        both = np.concatenate([np.abs(self.sd - 1.0), np.abs(self.shift)])
        return float(np.max(both)) if np.isfinite(both).all() else np.inf

    def with_share(self, more: Bias, share: float) -> Bias:
        """Return this bias plus a share of what another one is more than this."""
        return Bias(
            self.variance + share * (more.variance - self.variance),
            self.shift + share * (more.shift - self.shift),
        )


@dataclass(frozen=True, eq=False)
class Law:
    """A stationary law.

    Attributes:
        points: the covariance of the points, shape (n, n).
        draws: the covariance of the draws, shape (k, k).
    """

    points: np.ndarray
    draws: np.ndarray


def law_of(here: Linear, extra: np.ndarray | None = None) -> Law | None:
    """Return the stationary law of a linear step; None where there is none."""
    found = here.law(extra)
    return None if found is None else Law(*found)


def without_law(count: int) -> Bias:
    """Return the bias of a step that has no stationary law."""
    return Bias(np.full(count, np.inf), np.full(count, np.inf))


def bias_of(setting: Setting, here: Linear, law: Law | None, target: Law) -> Bias:
    """Return the bias of a law.

    Args:
        setting: the step with its size.
        here: the step near its fixed point.
        law: its stationary law; None where it has none.
        target: the law that it should have.
    """
    wanted = np.diag(target.draws)
    if law is None:
        return without_law(wanted.size)
    shift = _shift(setting, here, law.points - target.points, np.sqrt(np.diag(target.points)))
    return Bias(np.diag(law.draws) / wanted, shift / np.sqrt(wanted))


def _shift(setting: Setting, here: Linear, more: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Return the shift of the mean of the draws by a covariance that is larger by ``more``."""
    n = here.point.size
    scale = np.where(scale > 0, scale, 1.0)
    values, vectors = np.linalg.eigh(more / np.outer(scale, scale))
    order = np.argsort(-np.abs(values))[:MAX_DIRECTIONS]
    bent = np.zeros(here.moved.size)
    middle = setting.full(here.point)
    for k in order:
        if abs(values[k]) <= SMALL * max(1.0, abs(values[order[0]])):
            break
        v = scale * vectors[:, k]
        both = setting.full(here.point + v) + setting.full(here.point - v)
        bent += 0.5 * values[k] * (both - 2.0 * middle)
    moved = np.linalg.solve(np.eye(n) - here.slopes[:n], bent[:n])
    return np.asarray(here.slopes[n:] @ moved + bent[n:])
