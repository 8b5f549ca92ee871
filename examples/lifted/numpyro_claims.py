"""NumPyro: the integrator of its HMC and NUTS."""

import jax.numpy as jnp
from letters import H, U, h, p, theta
from numpyro.infer.hmc_util import euclidean_kinetic_energy, velocity_verlet

from recipe import lift


def _verlet(x, v, step_size, potential):
    init, update = velocity_verlet(potential, euclidean_kinetic_energy)
    state = update(step_size, jnp.ones(x.size), init(x.reshape(-1), v.reshape(-1)))
    return state.z.reshape(x.shape), state.r.reshape(x.shape)


verlet = lift(
    _verlet,
    state={"x": theta, "v": p},
    step=h,
    arguments={"step_size": h},
    gradient={"potential": U},
    target=H,
    library="jax",
    expect="proved",
)
