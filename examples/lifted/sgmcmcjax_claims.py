"""SGMCMCJax: the diffusions of ``sgmcmcjax.diffusions``, as plain functions of arrays.

``baoab`` multiplies its noise by the temperature ``tau``, where the root of it belongs. ``badodab``
branches on ``alpha == 0``, and is refused. ``psgld`` leaves out the divergence of its
preconditioner; with averages that are frozen, ``alpha=1``, it is right.
"""

import inspect

from letters import H, T, U, V, a, h, k, p, slope, theta, xi
from sgmcmcjax import diffusions

from recipe import lift, total

KEY = {"step": h, "noise": "key", "gradient": {"grad": -slope}, "library": "jax"}
sgld_, psgld_, sghmc_, sgnht_, baoab_ = (
    inspect.unwrap(getattr(diffusions, name))
    for name in ("sgld", "psgld", "sghmc", "sgnht", "baoab")
)
IN_UNITS = {"units": {p: h}, "target": U + total(p**2) / (2 * h**2)}


def _sgld(key, x, dt, grad):
    return sgld_(dt)[1](1, key, grad(x), x)


sgld = lift(_sgld, **KEY, state={"x": theta}, arguments={"dt": h}, target=U, expect="proved")


def _sghmc(key, x, v, dt, alpha, beta, grad):
    return sghmc_(dt, alpha, beta)[1](1, key, grad(x), (x, v))


sghmc = lift(
    _sghmc,
    **KEY,
    **IN_UNITS,
    state={"x": theta, "v": p},
    arguments={"dt": h**2, "alpha": a * h, "beta": 0},
    expect="proved",
)


def _sgnht(key, x, v, alpha, dt, a, grad):
    return sgnht_(dt, a)[1](1, key, grad(x), (x, v, alpha))


sgnht = lift(
    _sgnht,
    **KEY,
    state={"x": theta, "v": p, "alpha": xi},
    arguments={"dt": h**2, "a": a * h},
    units={p: h, xi: h},
    target=IN_UNITS["target"] + theta.dim * (xi / h - a) ** 2 / 2,
    expect="proved",
)


def _baoab(key, x, v, dt, gamma, tau, grad):
    _, (first, second), _ = baoab_(dt, gamma, tau)
    x, v = first(1, key, grad(x), (x, v))
    return second(1, key, grad(x), (x, v))


baoab = lift(
    _baoab,
    **KEY,
    state={"x": theta, "v": p},
    arguments={"dt": h, "gamma": a, "tau": T},
    target=H / T,
    expect="refuted",
)
baoab_at_temperature_one = lift(
    _baoab,
    **KEY,
    state={"x": theta, "v": p},
    arguments={"dt": h, "gamma": a, "tau": 1.0},
    target=H,
    expect="proved",
)


def _psgld(key, x, V, dt, eps, grad):
    return psgld_(dt, 1.0, eps)[1](1, key, grad(x), (x, V))


psgld_with_frozen_averages = lift(
    _psgld,
    **KEY,
    state={"x": theta, "V": V},
    arguments={"dt": h, "eps": k},
    target=U + total(V),
    expect="proved",
)
