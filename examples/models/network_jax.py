r"""The network of network.py, by JAX: the gradient is a plain function of Python.

    y_n ~ N(c + sum_k v_k tanh(w_k x_n + b_k), 0.2^2)
    w_k, b_k ~ N(0, 2^2),    v_k ~ N(0, 1),    c ~ N(0, 1)

It needs JAX: pip install jax.
"""

import jax
import jax.numpy as jnp
import numpy as np

from recipe import Data, Posterior, Scalar, Vector

jax.config.update("jax_enable_x64", True)  # JAX rounds to float32 otherwise

rng = np.random.default_rng(9)
places = rng.uniform(-2, 2, 200)
values = np.sin(2 * places) + 0.2 * rng.standard_normal(200)


def potential(w, b, v, c, rows, x, y):
    """Minus the log density, estimated from some rows."""
    curve = c + jnp.tanh(x[rows, None] * w + b) @ v
    prior = jnp.sum(w**2 + b**2) / 8 + jnp.sum(v**2) / 2 + c**2 / 2
    return prior + x.size / rows.size * jnp.sum((y[rows] - curve) ** 2) / (2 * 0.2**2)


w, c = Vector("w"), Scalar("c")
b, v = Vector("b", like=w), Vector("v", like=w)
x, y = Data("x"), Data("y")
posterior = Posterior(
    (w, b, v, c),
    data={x: places, y: values},
    coords={w: range(4)},
    gradient=jax.jit(jax.grad(potential, argnums=(0, 1, 2, 3))),
)
