"""The law that a run samples against the law that it should: the bias of each coordinate.

The target is the limit of the stationary law for small steps with all of the data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from codegen.bias.linear.linearise import Linear


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
        reported: of a target, the derivatives of what is reported beside the draws, such as sums of
            them, by the draws, shape (r, k); they are judged, too. None where there are none.
    """

    points: np.ndarray
    draws: np.ndarray
    reported: np.ndarray | None = None

    @property
    def judged(self) -> int:
        """The number of what is judged: draws, and what is reported beside them."""
        return len(self.draws) + (0 if self.reported is None else len(self.reported))

    def variances(self, target: Law) -> np.ndarray:
        """Return the ratios of the variances of draws, and of what the target has reported, to
        those of the target.
        """
        own, wanted = (_variances(law.draws, target.reported) for law in (self, target))
        return np.asarray(own / wanted)

    def in_deviations(self, moved: np.ndarray) -> np.ndarray:
        """Return moves of the means of draws in standard deviations of this law, shape (k,), and
        then those of what is reported.
        """
        more = moved if self.reported is None else np.append(moved, self.reported @ moved)
        return np.asarray(more / np.sqrt(_variances(self.draws, self.reported)))

    def is_within(self, factor: float, target: Law) -> bool:
        """Return whether no draw has a standard deviation above so many of the target."""
        return not np.any(np.diag(self.draws) > factor**2 * np.diag(target.draws))

    def distance(self, target: Law) -> float:
        """Return the size of the difference of two covariances of draws, in units of the target."""
        sd = np.sqrt(np.diag(target.draws))
        more = (self.draws - target.draws) / np.outer(sd, sd)
        return float(np.sqrt(np.sum(more**2)))


def _variances(S: np.ndarray, reported: np.ndarray | None) -> np.ndarray:
    if reported is None:
        return np.diag(S)
    return np.append(np.diag(S), np.einsum("ri,ij,rj->r", reported, S, reported))


def law_of(here: Linear, extra: np.ndarray | None = None) -> Law | None:
    """Return the stationary law of a linear step; None where there is none."""
    found = here.law(extra)
    return None if found is None else Law(*found)


def bias_like(law: Law | None, target: Law, other: Bias, other_law: Law | None) -> Bias:
    """Return the bias of a law; its means shift as those of another law, in proportion to the
    difference of the covariances.

    Args:
        law: the law; None where there is none.
        target: the law that it should be.
        other, other_law: the bias of another law, and that law.
    """
    if law is None or other_law is None:
        return without_law(target.judged)
    share = law.distance(target) / max(other_law.distance(target), 1e-300)
    return Bias(law.variances(target), share * other.shift)


def without_law(count: int) -> Bias:
    """Return the bias of a step that has no stationary law."""
    return Bias(np.full(count, np.inf), np.full(count, np.inf))
