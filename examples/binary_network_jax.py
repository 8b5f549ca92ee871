"""The gradient of examples/models/binary_network.py by JAX: on a GPU where JAX finds one.

JAX is not a dependency of the project: pip install jax, or "jax[cuda13]" for a GPU of NVIDIA.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from experiment_command import NotInstalledError
from image_data import Images


def gradient_by_jax(data: Images, hidden: int) -> Callable[..., Any]:
    """Minus the gradient of the log likelihood, estimated from some rows, in float32.

    Pixels and labels go to the device once. A call moves weights there and derivatives back.

    Args:
        data: the images to fit.
        hidden: the number of hidden units.

    Raises:
        NotInstalledError: where JAX is not installed.
    """
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        raise NotInstalledError(
            "--jax needs JAX, which is not installed: pip install jax"
        ) from None

    images, labels = jnp.asarray(data.x), jnp.asarray(data.y.astype(np.int32))
    cut = data.x.shape[1] * hidden

    def minus_log_likelihood(w: jax.Array, rows: jax.Array) -> jax.Array:
        first, second = w[:cut].reshape(-1, hidden), w[cut:].reshape(hidden, data.classes)
        pixels = images[rows].astype(jnp.float32) / jnp.float32(255)
        # A GPU would round the factors of a product to 10 bits otherwise.
        with jax.default_matmul_precision("highest"):
            scores = jax.nn.relu(pixels @ first) @ second
        log_p = jax.nn.log_softmax(scores)[jnp.arange(rows.size), labels[rows]]
        return -labels.size / rows.size * log_p.sum()

    slope = jax.jit(jax.grad(minus_log_likelihood))

    def gradient(w: np.ndarray, rows: np.ndarray, x: np.ndarray, y: np.ndarray) -> Any:
        return slope(w.astype(np.float32), rows)

    return gradient
