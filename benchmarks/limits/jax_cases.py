"""JAX and BlackJAX, run by their own interpreter (see child.py): float32, one jitted scan over the
steps, keys split for each step.

The state is carried on from run to run, so that all that is computed is used, and a run ends with
block_until_ready.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import blackjax
import jax
import jax.numpy as jnp
import numpy as np
from blackjax.sgmcmc.gradients import grad_estimator
from served import serve

Step = Callable[[Any, Any], Any]  # (key, state) -> state
Work = Callable[[int], Callable[[], None]]  # iterations -> whether all went well (see served.py)
LEAPS = 10  # BlackJAX's SGHMC draws a new momentum every ten steps


def runner(step: Step, state: Any, seed: int = 0, leaps: int = 1) -> Work:
    """Runs so many iterations; ``leaps`` is how many of them one step makes."""
    key = jax.random.key(seed)

    @partial(jax.jit, static_argnums=2)
    def scan(state: Any, key: Any, count: int) -> Any:
        return jax.lax.scan(lambda s, k: (step(k, s), None), state, jax.random.split(key, count))[0]

    def run(iterations: int) -> Callable[[], None]:
        nonlocal state, key
        key, now = jax.random.split(key)
        state = jax.block_until_ready(scan(state, now, max(1, iterations // leaps)))
        return finite

    def finite() -> None:
        if not all(bool(jnp.all(jnp.isfinite(x))) for x in jax.tree.leaves(state)):
            raise SystemExit("the chain diverged")

    return run


def noise(key: Any, like: Any) -> Any:
    return jax.random.normal(key, like.shape)


def normal_step(case: dict[str, Any]) -> Work:
    """One chain on a standard normal law."""
    h, friction, d = case["step"], case["friction"], case["d"]
    start = jnp.asarray(np.random.default_rng(0).standard_normal(d), dtype=jnp.float32)

    def sgld(key: Any, theta: Any) -> Any:
        return theta - h * theta + jnp.sqrt(2 * h) * noise(key, theta)

    def sghmc(key: Any, state: Any) -> Any:
        theta, r = state
        r = r - h * (theta + friction * r) + jnp.sqrt(2 * friction * h) * noise(key, theta)
        return theta + h * r, r

    def gradient(theta: Any, _: Any) -> Any:
        return -theta

    if case["library"] == "jax":
        return runner(sgld, start) if case["sampler"] == "sgld" else runner(sghmc, (start, start))
    if case["sampler"] == "sgld":
        kernel = blackjax.sgld(gradient)
        return runner(lambda key, theta: kernel.step(key, theta, 0, h), start)
    kernel = blackjax.sghmc(gradient, num_integration_steps=LEAPS, alpha=friction)
    return runner(lambda key, theta: kernel.step(key, theta, 0, h), start, leaps=LEAPS)


def banana_gradient(z: Any) -> Any:
    """Of -U, U = x^2/2 + (y - x^2)^2/2."""
    x, y = z
    return jnp.stack([-x + 2 * x * (y - x**2), x**2 - y])


def chains(case: dict[str, Any]) -> Work:
    """Many chains of SGLD on a banana: batched by hand, (2, chains); or BlackJAX's kernel under
    vmap.
    """
    h, count = case["step"], case["chains"]
    start = jnp.zeros((2, count))
    if case["library"] == "jax":
        return runner(
            lambda key, z: z + h * banana_gradient(z) + jnp.sqrt(2 * h) * noise(key, z), start
        )
    kernel = blackjax.sgld(lambda z, _: banana_gradient(z))
    one = jax.vmap(lambda key, z: kernel.step(key, z, 0, h))
    return runner(lambda key, z: one(jax.random.split(key, count), z), start.T)


def expanded_mean(case: dict[str, Any]) -> Work:
    """SGRLD of many topics, reflected at zero."""
    counts, h = jnp.asarray(np.load(case["counts"]), dtype=jnp.float32), case["step"]
    shape, totals = counts + case["alpha"], counts.sum(axis=1, keepdims=True)

    def step(key: Any, theta: Any) -> Any:
        drift = shape - theta * (1 + totals / theta.sum(axis=1, keepdims=True))
        return jnp.abs(theta + h * drift + jnp.sqrt(2 * h * theta) * noise(key, theta))

    return runner(step, shape)


BLOCK = 100  # steps whose minibatches are drawn together, which is faster than one by one


def logistic(case: dict[str, Any]) -> Work:
    """BlackJAX's SGLD on a logistic regression; rows are multiplied by their labels beforehand."""
    data = jnp.asarray(np.load(case["data"]), dtype=jnp.float32)
    h, size = case["step"], case["batch"]
    gradient = grad_estimator(
        lambda theta: -jnp.sum(theta**2) / 2,
        lambda theta, row: -jax.nn.softplus(-jnp.dot(row, theta)),
        len(data),
    )
    kernel = blackjax.sgld(gradient)

    def block(key: Any, theta: Any) -> Any:
        for_noise, for_rows = jax.random.split(key)
        rows = jax.random.randint(for_rows, (BLOCK, size), 0, len(data))
        given = (jax.random.split(for_noise, BLOCK), rows)
        return jax.lax.scan(lambda t, g: (kernel.step(g[0], t, data[g[1]], h), None), theta, given)[
            0
        ]

    return runner(block, jnp.zeros(data.shape[1]), leaps=BLOCK)


CASES = {
    "normal": normal_step,
    "chains": chains,
    "expanded_mean": expanded_mean,
    "logistic": logistic,
}

if __name__ == "__main__":
    serve(lambda case: CASES[case["case"]](case))
