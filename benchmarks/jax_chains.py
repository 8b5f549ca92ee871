"""One step of one chain in JAX as a function ``step(state, rng)`` of many chains, in float64."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

WEIGHTS = jnp.array([0.1, 0.2, 0.3, 0.4])  # the data: each has its share of the potential
Potential = Callable[[Any], Any]
State = Mapping[str, Any]


def of_chains(one: Callable[[Any, State], State]) -> Callable[[State, np.random.Generator], State]:
    """A step of one chain, with a key, for all rows at once."""
    moved = jax.jit(jax.vmap(one))

    def step(state: State, rng: np.random.Generator) -> State:
        rows = len(next(iter(state.values())))
        keys = jax.random.split(jax.random.PRNGKey(int(rng.integers(2**62))), rows)
        return {name: np.asarray(x) for name, x in moved(keys, dict(state)).items()}

    return step
