"""What both files of kernels build on."""

# ruff: noqa: F403
from dataclasses import replace

from cases.hard.names import *
from cases.hard.names import (
    Matrix,
    Noise,
    Recipe,
    Symbol,
    U,
    Update,
    compose,
    grad,
    metropolis,
    r,
    theta,
    total,
    x,
    y,
)
from sympy import zeros

h = Symbol("h", positive=True)
K = total(r**2) / 2
CANONICAL = Matrix([[0, -1], [1, 0]])
w = Noise("w", like=r)
nx, ny = Noise("nx", like=x), Noise("ny", like=y)
hmc = Recipe((theta, r), U + K, zeros(2), CANONICAL)


def kick(t, force=None):
    return (r, r - t * h * (grad(U, theta) if force is None else force))


def drift(t, speed=None):
    return (theta, theta + t * h * (r if speed is None else speed))


def rule(*pairs, H=None):
    """A sequential rule of theta and r."""
    return Update(h, [(theta, theta), (r, r), *pairs], U + K if H is None else H)


def one(block, e, H):
    return Update(h, {block: e}, H)


def with_cost(update, cost):
    return compose(replace(metropolis(update), cost=cost))
