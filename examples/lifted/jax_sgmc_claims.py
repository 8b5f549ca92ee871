"""jax-sgmc: the integrators of ``jax_sgmc.integrator``.

``friction_leapfrog`` multiplies its noise by the friction, where the root of the friction belongs:
the law has the temperature ``friction``.
"""

import inspect

import jax
from jax_sgmc import integrator
from letters import H, T, U, a, h, p, theta

from recipe import lift, total

KEY = {"step": h, "noise": "key", "gradient": {"potential": U}, "library": "jax"}
NO_DATA = (lambda **_: None, lambda state, information=False: (state, None), None)


class Schedule:
    """What the scheduler of jax-sgmc hands to an integrator."""

    def __init__(self, step_size, temperature=1.0):
        self.step_size, self.temperature = step_size, temperature


def _potential(potential):
    """A potential in the form of jax-sgmc."""

    def function(sample, batch, state=None, likelihoods=False):
        aux = (jax.numpy.zeros(2), state) if likelihoods else state
        return potential(sample), aux

    return function


def _langevin(key, x, h, T, potential):
    init, update, _ = integrator.langevin_diffusion(_potential(potential), NO_DATA)
    return update(init(x, key=key), Schedule(h, T)).latent_variables


langevin_diffusion = lift(
    _langevin, **KEY, state={"x": theta}, arguments={"T": T}, target=U / T, expect="proved"
)


def _obabo(key, x, v, h, a, T, potential):
    init, integrate, _ = integrator.obabo(_potential(potential), NO_DATA, steps=1, friction=a)
    state = init(x, key=key)._replace(momentum=v)
    new = integrate(state, Schedule(h, T))
    return new.positions, new.momentum


obabo = lift(
    _obabo,
    **KEY,
    state={"x": theta, "v": p},
    arguments={"a": a, "T": T},
    target=(U + total(p**2) / 2) / T,
    expect="proved",
)


def _inner_step(integrate):
    """The step inside of ``integrate``, which redraws the momentum before the first one."""
    return inspect.getclosurevars(inspect.unwrap(integrate)).nonlocals["_body_fun"]


def _friction_leapfrog(key, x, v, h, a, potential):
    init, integrate, _ = integrator.friction_leapfrog(_potential(potential), NO_DATA, friction=a)
    ones = integrator.init_mass(jax.numpy.ones_like(x))
    state = init(x, key=key)._replace(momentum=v)
    friction = jax.numpy.full_like(x, a)
    new, _ = _inner_step(integrate)(state, 0, Schedule(h), mass=ones, friction=friction)
    return new.positions, new.momentum


friction_leapfrog = lift(
    _friction_leapfrog,
    **KEY,
    state={"x": theta, "v": p},
    arguments={"a": a},
    target=H,
    expect="refuted",
)
