"""Stochastic-gradient samplers: one step each."""

import numpy as np


def sgld(x, gradient, step_size, rng):
    """Stochastic gradient Langevin dynamics (Welling & Teh 2011)."""
    noise = rng.standard_normal(x.shape)
    return x - step_size * gradient(x) + np.sqrt(2 * step_size) * noise


def sghmc(x, momentum, gradient, step_size, friction, rng):
    """Stochastic gradient Hamiltonian Monte Carlo (Chen, Fox & Guestrin 2014)."""
    if friction <= 0:
        raise ValueError("friction must be positive")
    noise = np.sqrt(2 * friction * step_size) * rng.standard_normal(x.shape)
    momentum = momentum - step_size * (gradient(x) + friction * momentum) + noise
    return x + step_size * momentum, momentum
