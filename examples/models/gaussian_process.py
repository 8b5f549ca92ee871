r"""A Gaussian process with an unknown length scale, by a gradient in numpy.

    y ~ N(0, K),    K_ij = exp(2 a) exp(-(x_i - x_j)^2 / (2 exp(2 ell))) + exp(2 s) [i = j]
    ell ~ N(0, 1),    a ~ N(0, 1),    s ~ N(-1, 1): logarithms of length, amplitude and noise

The likelihood is no sum over rows, so its gradient is a function of one's own, and all of the 60
simulated points are used in every step.
"""

import numpy as np

from recipe import Data, Posterior, Scalar

rng = np.random.default_rng(8)
places = np.sort(rng.uniform(0, 10, 60))
values = np.sin(places) + 0.3 * rng.standard_normal(60)


def gradient(ell, a, s, rows, x, y):
    """Minus the gradient of the log density, from all rows."""
    squares = (x[:, None] - x) ** 2 * np.exp(-2 * ell)
    smooth = np.exp(2 * a - squares / 2)
    inverse = np.linalg.inv(smooth + np.exp(2 * s) * np.eye(x.size))
    solved = inverse @ y
    outer = inverse - np.outer(solved, solved)  # minus twice the derivative by K
    by_ell, by_a = np.sum(outer * smooth * squares) / 2, np.sum(outer * smooth)
    return ell + by_ell, a + by_a, s + 1 + np.exp(2 * s) * np.trace(outer)


ell, a, s = Scalar("ell"), Scalar("a"), Scalar("s")
x, y = Data("x"), Data("y")
posterior = Posterior((ell, a, s), data={x: places, y: values}, gradient=gradient)
