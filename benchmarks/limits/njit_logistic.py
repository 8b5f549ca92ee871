"""SGLD on a logistic regression as a loop that a Numba user writes: row by row; a row of ``x`` is y
x.

Indices and noise are each drawn in the way in which Numba is faster.
"""

from __future__ import annotations

import numpy as np
from numba import njit


def sgld(x, theta, batch, step, steps, rng):
    gradient, scale, weight = np.empty(theta.size), np.sqrt(2 * step), x.shape[0] / batch
    for _ in range(steps):
        gradient[:] = theta
        for _ in range(batch):
            row = x[np.random.randint(x.shape[0])]
            z = 0.0
            for j in range(theta.size):
                z += row[j] * theta[j]
            w = weight / (1 + np.exp(z))
            for j in range(theta.size):
                gradient[j] -= w * row[j]
        for j in range(theta.size):
            theta[j] += scale * rng.standard_normal() - step * gradient[j]


strict = njit(sgld)
associative = njit(fastmath=True)(sgld)
