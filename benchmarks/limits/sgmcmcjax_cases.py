"""SGMCMCJax's SGLD on a logistic regression, run by its own interpreter (see child.py): float32,
its kernel in one jitted scan.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from served import serve
from sgmcmcjax.kernels import build_sgld_kernel


def logistic(case: dict[str, Any]) -> Callable[[int], Callable[[], None]]:
    """Run so many iterations."""
    rows = np.load(case["data"]).astype(np.float32)
    start, kernel, _ = build_sgld_kernel(
        case["step"],
        lambda theta, row: -jax.nn.softplus(-jnp.dot(row, theta)),
        lambda theta: -jnp.sum(theta**2) / 2,
        (rows,),
        case["batch"],
    )
    key = jax.random.PRNGKey(0)
    state = start(key, jnp.zeros(rows.shape[1]))

    @partial(jax.jit, static_argnums=2)
    def scan(state: Any, key: Any, count: int) -> Any:
        def body(s: Any, given: Any) -> Any:
            return kernel(given[0], given[1], s), None

        return jax.lax.scan(body, state, (jnp.arange(count), jax.random.split(key, count)))[0]

    def run(iterations: int) -> Callable[[], None]:
        nonlocal state, key
        key, now = jax.random.split(key)
        state = jax.block_until_ready(scan(state, now, iterations))
        return finite

    def finite() -> None:
        if not all(bool(jnp.all(jnp.isfinite(x))) for x in jax.tree.leaves(state)):
            raise SystemExit("the chain diverged")

    return run


if __name__ == "__main__":
    serve(logistic)
