"""Fortuna: the optax transformation of its SGHMC, whose momenta are in units of the step.

``step_size`` is the square of a step, and ``momentum_decay`` is ``1 - a h``.
"""

from fortuna.prob_model.posterior.sgmcmc.sghmc.sghmc_integrator import sghmc_integrator
from fortuna.prob_model.posterior.sgmcmc.sgmcmc_preconditioner import identity_preconditioner
from letters import H, U, a, h, p, slope, theta

from recipe import lift

KEY = {"step": h, "noise": "key", "gradient": {"grad": -slope}, "library": "jax"}


def _sghmc(key, x, v, step_size, decay, grad):
    made = sghmc_integrator(decay, None, key, lambda _: step_size, identity_preconditioner())
    state = made.init(x)._replace(momentum=v)
    updates, new = made.update(grad(x), state)
    return x + updates, new.momentum


sghmc = lift(
    _sghmc,
    **KEY,
    state={"x": theta, "v": p},
    arguments={"step_size": h**2, "decay": 1 - a * h},
    target=H,
    expect="proved",
)


def _sgld(key, x, step_size, grad):
    made = sghmc_integrator(0.0, None, key, lambda _: step_size, identity_preconditioner())
    updates, _ = made.update(grad(x), made.init(x))
    return x + updates


sgld = lift(_sgld, **KEY, state={"x": theta}, arguments={"step_size": h}, target=U, expect="proved")
