"""BlackJAX: ``blackjax.sgmcmc``, and the integrators of ``blackjax.mcmc``.

``sghmc`` of ``blackjax.sgmcmc`` is not here: it draws the momentum with the key that it then
splits for its steps, and is refused for that. Nor is ``omelyan``, whose coefficients are floats
that sum up to 1 but for 5e-17.
"""

import blackjax
from blackjax.mcmc import integrators, metrics
from blackjax.mcmc.diffusions import DiffusionState
from blackjax.mcmc.diffusions import overdamped_langevin as langevin_of_mala
from blackjax.sgmcmc import diffusions
from blackjax.sgmcmc.sgnht import SGNHTState
from letters import H, T, U, a, b, h, p, slope, theta, xi

from recipe import lift, total

KEY = {"step": h, "noise": "rng_key", "library": "jax"}
GRADIENT = {"logdensity_grad": -slope, "step_size": h, "temperature": T}
COLD = (U + total(p**2) / 2) / T

overdamped_langevin = lift(
    diffusions.overdamped_langevin(),
    **KEY,
    state={"position": theta},
    arguments=GRADIENT,
    target=U / T,
    expect="proved",
)


def _sghmc(rng_key, position, momentum, alpha, beta, **values):
    return diffusions.sghmc(alpha, beta)(rng_key, position, momentum, **values)


def _kwargs(function, *names):
    """The function with its keyword arguments named, which ``lift`` asks for."""
    import inspect

    kind = inspect.Parameter.KEYWORD_ONLY
    function.__signature__ = inspect.Signature([inspect.Parameter(n, kind) for n in names])
    return function


sghmc_step = lift(
    _kwargs(_sghmc, "rng_key", "position", "momentum", "alpha", "beta", *GRADIENT),
    **KEY,
    state={"position": theta, "momentum": p},
    arguments={**GRADIENT, "alpha": a, "beta": b},
    target=COLD,
    expect="proved",
)


def _sgnht(rng_key, position, momentum, xi, alpha, beta, **values):
    return diffusions.sgnht(alpha, beta)(rng_key, position, momentum, xi, **values)


sgnht_step = lift(
    _kwargs(_sgnht, "rng_key", "position", "momentum", "xi", "alpha", "beta", *GRADIENT),
    **KEY,
    state={"position": theta, "momentum": p, "xi": xi},
    arguments={**GRADIENT, "alpha": a, "beta": b},
    target=COLD + theta.dim * (xi - a) ** 2 / (2 * T),
    expect="proved",
)


def _sgld_kernel(rng_key, position, grad_estimator, step_size, temperature):
    kernel = blackjax.sgmcmc.sgld.build_kernel()
    return kernel(rng_key, position, grad_estimator, None, step_size, temperature)


sgld_kernel = lift(
    _sgld_kernel,
    **KEY,
    state={"position": theta},
    arguments={"step_size": h, "temperature": T},
    gradient={"grad_estimator": -slope},
    target=U / T,
    expect="proved",
)


def _sgnht_kernel(rng_key, x, v, xi, grad_estimator, step_size, temperature, alpha, beta):
    kernel = blackjax.sgmcmc.sgnht.build_kernel(alpha, beta)
    state = SGNHTState(x, v, xi)
    return tuple(kernel(rng_key, state, grad_estimator, None, step_size, temperature))


sgnht_kernel = lift(
    _sgnht_kernel,
    **KEY,
    state={"x": theta, "v": p, "xi": xi},
    arguments={"step_size": h, "temperature": T, "alpha": a, "beta": b},
    gradient={"grad_estimator": -slope},
    target=COLD + theta.dim * (xi - a) ** 2 / (2 * T),
    expect="proved",
)


def _schedule(rng_key, position, grad_estimator, step_size, temperature):
    """The user interface of BlackJAX, whose defaults are another configuration."""
    sampler = blackjax.sgld(lambda x, _: grad_estimator(x))
    return sampler.step(rng_key, position, None, step_size, temperature)


sgld_of_the_interface = lift(
    _schedule,
    **KEY,
    state={"position": theta},
    arguments={"step_size": h, "temperature": T},
    gradient={"grad_estimator": -slope},
    target=U / T,
    expect="proved",
)


# -- integrators of full gradients


def _integrator(make):
    def one_step(x, v, step_size, logdensity):
        import jax.numpy as jnp

        kinetic = metrics.gaussian_euclidean(jnp.ones(x.size)).kinetic_energy
        state = integrators.new_integrator_state(logdensity, x.reshape(-1), v.reshape(-1))
        new = make(logdensity, kinetic)(state, step_size)
        return new.position.reshape(x.shape), new.momentum.reshape(x.shape)

    return lift(
        one_step,
        state={"x": theta, "v": p},
        step=h,
        arguments={"step_size": h},
        gradient={"logdensity": -U},
        target=H,
        library="jax",
        expect="proved",
    )


velocity_verlet = _integrator(integrators.velocity_verlet)
mclachlan = _integrator(integrators.mclachlan)
yoshida = _integrator(integrators.yoshida)


def _mala(rng_key, position, step_size, logdensity):
    import jax

    state = DiffusionState(position, *jax.value_and_grad(logdensity)(position))
    step = langevin_of_mala(jax.value_and_grad(logdensity))
    return step(rng_key, state, step_size).position


langevin_of_mala_proposal = lift(
    _mala,
    **KEY,
    state={"position": theta},
    arguments={"step_size": h},
    gradient={"logdensity": -U},
    target=U,
    expect="proved",
)
