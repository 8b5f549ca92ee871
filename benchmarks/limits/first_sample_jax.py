"""Ten steps of SGHMC on a standard normal law by JAX, in one jitted scan."""

import jax
import jax.numpy as jnp

STEP, FRICTION = 0.01, 1.0


@jax.jit
def run(key, state):
    def step(state, key):
        theta, r = state
        noise = jax.random.normal(key, theta.shape)
        r = r - STEP * (theta + FRICTION * r) + jnp.sqrt(2 * FRICTION * STEP) * noise
        return (theta + STEP * r, r), None

    return jax.lax.scan(step, state, jax.random.split(key, 10))[0]


print(float(run(jax.random.key(1), (jnp.zeros(100), jnp.zeros(100)))[0][0]))
