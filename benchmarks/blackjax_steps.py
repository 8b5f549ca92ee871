"""BlackJAX's samplers as functions ``step(state, rng)`` of many chains, with the gradient of all
data (blackjax >= 1.2).
"""

from __future__ import annotations

from typing import Any

import blackjax
import jax.numpy as jnp
from blackjax.sgmcmc import diffusions
from blackjax.sgmcmc.gradients import grad_estimator
from jax_chains import WEIGHTS, Potential, State, of_chains


def estimator(U: Potential) -> Any:
    """Their estimate of the gradient of ``-U``; with all data it is the gradient."""
    return grad_estimator(lambda x: -U(x) / 4, lambda x, share: -0.75 * share * U(x), len(WEIGHTS))


def sgld(U: Potential, h: float, T: float = 1.0) -> Any:
    kernel = blackjax.sgld(estimator(U))
    return of_chains(lambda key, s: {"x": kernel.step(key, s["x"], WEIGHTS, h, T)})


def sghmc_integrator(U: Potential, h: float, a: float, b: float, T: float) -> Any:
    integrator, gradient = diffusions.sghmc(a, b), estimator(U)

    def one(key: Any, s: State) -> State:
        x, p = integrator(key, s["x"], s["p"], gradient(s["x"], WEIGHTS), h, T)
        return {"x": x, "p": p}

    return of_chains(one)


def sghmc(U: Potential, h: float, a: float, L: int) -> Any:
    kernel = blackjax.sghmc(estimator(U), L, a)
    return of_chains(lambda key, s: {"x": kernel.step(key, s["x"], WEIGHTS, h)})


def sgnht(U: Potential, h: float, a: float, b: float, T: float) -> Any:
    kernel = blackjax.sgnht(estimator(U), a, b)

    def one(key: Any, s: State) -> State:
        after = kernel.step(
            key, blackjax.sgmcmc.sgnht.SGNHTState(s["x"], s["p"], s["xi"][0]), WEIGHTS, h, T
        )
        return {"x": after.position, "p": after.momentum, "xi": jnp.reshape(after.xi, (1,))}

    return of_chains(one)


def exact(name: str, U: Potential, h: float, length: int) -> Any:
    """One of the samplers that accept and reject."""
    more = {"hmc": {"num_integration_steps": 5}}.get(name, {})
    mass = {"inverse_mass_matrix": jnp.ones(length)} if name in ("hmc", "nuts") else {}
    kernel = getattr(blackjax, name)(lambda x: -U(x), step_size=h, **mass, **more)

    def one(key: Any, s: State) -> State:
        after, _ = kernel.step(key, kernel.init(s["x"]))
        return {"x": after.position}

    return of_chains(one)
