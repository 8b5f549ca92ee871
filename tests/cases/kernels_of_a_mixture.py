"""Kernels written by hand that leave a skewed mixture of normal laws invariant."""

import numpy as np
from oracles import numpy_kernels as by_hand

WEIGHTS, CENTRES, WIDTHS = np.array([0.7, 0.3]), np.array([-1.0, 2.5]), np.array([0.6, 1.7])
MIXING = np.array([[1.0, 0.0], [0.8, 0.6]])


def mixture(rng, n):
    """Two coordinates, each a skewed mixture of two normal laws, then mixed: correlated and
    asymmetric.
    """
    which = (rng.uniform(size=(n, 2)) > WEIGHTS[0]).astype(int)
    return (CENTRES[which] + WIDTHS[which] * rng.standard_normal((n, 2))) @ MIXING.T


def log_density(theta):
    y = theta @ np.linalg.inv(MIXING).T
    each = WEIGHTS / WIDTHS * np.exp(-(((y[..., None] - CENTRES) / WIDTHS) ** 2) / 2)
    return np.log(each.sum(axis=-1)).sum(axis=-1)


def score(theta):
    back = np.linalg.inv(MIXING)
    y = theta @ back.T
    each = WEIGHTS / WIDTHS * np.exp(-(((y[..., None] - CENTRES) / WIDTHS) ** 2) / 2)
    return ((each * (CENTRES - y[..., None]) / WIDTHS**2).sum(axis=-1) / each.sum(axis=-1)) @ back


def target(rng, n):
    return {"theta": mixture(rng, n), "r": rng.standard_normal((n, 2))}


def ghmc(h, keep, wrong=None):
    """A part of the momentum is kept, one leapfrog step, and the momentum turns on rejection."""
    k = by_hand.knobs(wrong)

    def step(state, rng):
        x, r = (
            state["theta"],
            keep * state["r"]
            + k["refresh"] * np.sqrt(1 - keep**2) * rng.standard_normal(state["r"].shape),
        )
        p = r + h / 2 * score(x)
        y = x + h * p
        p = p + h / 2 * score(y)
        ratio = (
            log_density(y)
            - log_density(x)
            + k["kinetic"] * ((r**2).sum(axis=1) - (p**2).sum(axis=1)) / 2
        )
        taken = (np.log(rng.uniform(size=len(x))) < ratio)[:, None]
        return {"theta": np.where(taken, y, x), "r": np.where(taken, p, -k["flip"] * r)}

    return step
