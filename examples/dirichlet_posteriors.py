"""The Dirichlet posteriors on which Baker, Fearnhead, Fox & Nemeth (2018) compare samplers, and how
far draws are from them.

The setting is that of the paper and of the code that its authors published
(github.com/jackcbaker/SCIR, folder ``synthetic``): 1,000 labels of 10 kinds, prior Dirichlet(0.1),
seeds 5 to 9. *Sparse*: 800, 100, 100 labels of the first three kinds, chains start at the counts of
1,000 uniform labels. *Dense*: the labels are uniform, each seed has its own, and chains start at
the shapes of the posterior.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import beta

KINDS, LABELS, ALPHA, WARMUP = 10, 1000, 0.1, 1000
SEEDS = (5, 6, 7, 8, 9)
# a seed; one in the paper, so that a mean over its five seeds has a standard error of up to 0.03
CHAINS = 16


@dataclass(frozen=True, eq=False)
class Case:
    """One data set: how many labels of each kind there are, where its chains start, a row each, and
    how much is left out.
    """

    counts: np.ndarray
    starts: np.ndarray
    warmup: int = WARMUP

    @property
    def shapes(self) -> np.ndarray:
        """The posterior is Dirichlet with these."""
        return self.counts + ALPHA


def uniform_counts(seed: int) -> np.ndarray:
    """How many of 1,000 uniform labels are of each kind."""
    return np.bincount(np.random.default_rng(seed).integers(KINDS, size=LABELS), minlength=KINDS)


def sparse(seeds: tuple[int, ...] = SEEDS, warmup: int = WARMUP) -> list[Case]:
    """One data set; seeds are starts."""
    counts = np.array([800, 100, 100, *[0] * (KINDS - 3)])
    return [
        Case(counts, np.repeat([uniform_counts(s) + ALPHA for s in seeds], CHAINS, axis=0), warmup)
    ]


def dense(seeds: tuple[int, ...] = SEEDS, warmup: int = WARMUP) -> list[Case]:
    """Each seed has a data set of its own."""
    return [
        Case(counts, np.repeat(counts[None] + ALPHA, CHAINS, axis=0), warmup)
        for counts in map(uniform_counts, seeds)
    ]


def one_hot(counts: np.ndarray) -> np.ndarray:
    """The labels as rows, one a label, with a 1 in the column of its kind."""
    return np.repeat(np.eye(len(counts)), counts, axis=0)


def rosenblatt(theta: np.ndarray, shapes: np.ndarray) -> np.ndarray:
    """Independent uniform numbers, one fewer than coordinates, if the shares of theta are
    Dirichlet(shapes) (Rosenblatt 1952).

    ``z_j = BetaCDF(w_j / (1 - sum_{i<j} w_i); a_j, sum_{i>j} a_i)``. The fraction is ``theta_j /
    sum_{i>=j} theta_i``, which is not rounded away where the last probabilities are tiny.
    """
    rest, a_rest = (np.cumsum(v[..., ::-1], axis=-1)[..., ::-1] for v in (theta, shapes))
    return beta.cdf(theta[..., :-1] / rest[..., :-1], shapes[:-1], a_rest[1:])


def kolmogorov_smirnov(z: np.ndarray) -> np.ndarray:
    """Of each column, the largest distance between its distribution function and that of a uniform
    number.
    """
    n, z = len(z), np.sort(z, axis=0)
    below = np.arange(n)[:, None] / n
    return np.maximum(z - below, below + 1 / n - z).max(axis=0)


def distance(theta: np.ndarray, shapes: np.ndarray) -> float:
    """The mean Kolmogorov-Smirnov distance of the transformed draws: the number that figure 2
    shows.
    """
    return float(kolmogorov_smirnov(rosenblatt(theta, shapes)).mean())
