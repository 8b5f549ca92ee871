r"""A network with four hidden units, by a gradient that Numba compiles.

    y_n ~ N(c + sum_k v_k tanh(w_k x_n + b_k), 0.2^2)
    w_k, b_k ~ N(0, 2^2),    v_k ~ N(0, 1),    c ~ N(0, 1)

200 simulated points of a curve. Units may change places, so a single weight means nothing: what
means something is the curve.
"""

import numpy as np
from numba import njit

from recipe import Data, Posterior, Scalar, Vector

rng = np.random.default_rng(9)
places = rng.uniform(-2, 2, 200)
values = np.sin(2 * places) + 0.2 * rng.standard_normal(200)


@njit
def gradient(w, b, v, c, rows, x, y, g_w, g_b, g_v, g_c):
    """Write minus the gradient of the log density, the prior included, estimated from some rows."""
    scale = x.size / rows.size / 0.2**2
    g_w[:], g_b[:], g_v[:], g_c[:] = w / 4, b / 4, v, c
    for row in rows:
        hidden = np.tanh(w * x[row] + b)
        error = scale * (c[0] + np.sum(v * hidden) - y[row])
        back = error * v * (1 - hidden**2)
        g_w += back * x[row]
        g_b += back
        g_v += error * hidden
        g_c += error


w, c = Vector("w"), Scalar("c")
b, v = Vector("b", like=w), Vector("v", like=w)
x, y = Data("x"), Data("y")
posterior = Posterior(
    (w, b, v, c), data={x: places, y: values}, coords={w: range(4)}, gradient=gradient
)
