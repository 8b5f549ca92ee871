"""The posterior of a Dirichlet process mixture of multinomials on a tiny set, by summing over all
partitions of the users: Antoniak (1974) has the law of a partition, the Dirichlet-multinomial law
that of the pages of a block, and the concentration is summed over a grid.
"""

import math

import numpy as np
from scipy.special import gammaln


def partitions(n):
    """All partitions of 0..n-1, each as labels in the order of their first use."""
    found = [(0,)]
    for _ in range(n - 1):
        found = [(*p, k) for p in found for k in range(max(p) + 2)]
    return found


def posterior(x, a, shape, rate, points=4000):
    """The probability of each partition by its labels, and the posterior mean of alpha.

    Args:
        x: counts, a row a user.
        a: of the prior Dirichlet(a, ..., a).
        shape, rate: of the gamma prior of alpha.
        points: of the grid of alpha.
    """
    n, d = x.shape
    alpha = (np.arange(points) + 0.5) * (60 / rate / points)
    law = np.exp((shape - 1) * np.log(alpha) - rate * alpha + gammaln(alpha) - gammaln(alpha + n))
    weights, means = {}, {}
    for p in partitions(n):
        blocks = [x[[i for i in range(n) if p[i] == k]] for k in range(max(p) + 1)]
        log_weight = 0.0
        for b in blocks:
            c = b.sum(axis=0)
            log_weight += math.lgamma(len(b)) + math.lgamma(d * a) - math.lgamma(d * a + c.sum())
            log_weight += sum(math.lgamma(a + v) - math.lgamma(a) for v in c)
        of_alpha = law * alpha ** len(blocks)
        weights[p] = math.exp(log_weight) * of_alpha.sum()
        means[p] = (of_alpha * alpha).sum() / of_alpha.sum()
    whole = sum(weights.values())
    laws = {p: w / whole for p, w in weights.items()}
    return laws, sum(laws[p] * means[p] for p in laws)
