"""What a function computes, by plain Python: it is called with arrays of sympy's symbols, and what
comes out is compared with a rule in explicit coordinates, in 30-digit numbers.

No tree, no generic coordinate, no lengths: nothing of ``recipe.lifting`` is used.
"""

import zlib

import numpy as np
import sympy
from sympy import Rational, Symbol

from oracles.explicit import smooth, world_of
from recipe import Vector


class Draws:
    """Hands out the coordinates of the noise of a rule, in the order of its names."""

    def __init__(self, names):
        self.names = list(names)

    def standard_normal(self, shape):
        name, count = self.names.pop(0), int(np.prod(shape))
        out = [Symbol(f"{name}_{k}", real=True) for k in range(count)]
        return np.array(out, dtype=object).reshape(shape)


def gradient_of(name):
    """The gradient of the function that ``explicit`` gives a potential of one block."""

    def gradient(x):
        at = [Symbol(f"slot_{k}", real=True) for k in range(x.size)]
        U = smooth(name, tuple(Symbol(f"theta_{k}", real=True) for k in range(x.size)))
        named = {Symbol(f"theta_{k}", real=True): s for k, s in enumerate(at)}
        U = U.xreplace(named)
        point = dict(zip(at, x.ravel(), strict=True))
        return np.array([U.diff(s).xreplace(point) for s in at], dtype=object).reshape(x.shape)

    return gradient


def differing(update, state, function, shape, noise, **arguments):
    """The blocks for which a function computes something else than an update, at this shape.

    The function is called with an array for each block of ``state``, then with the keyword
    arguments, ``grad`` and ``rng``.
    """
    state = tuple(state)
    world = world_of(state, int(np.prod(shape)), {s: s for s in arguments.values()})
    arrays = [
        np.array(world.coordinates(b), dtype=object).reshape(shape)
        if isinstance(b, Vector)
        else world.coordinates(b)[0]
        for b in state
    ]
    out = function(*arrays, **arguments, grad=gradient_of("U"), rng=Draws(noise))
    found = out if isinstance(out, tuple) else (out,)
    stepped = stepped_by(update, world)
    return [
        b
        for b, value in zip(state, found, strict=True)
        if any(differ(x, y) for x, y in zip(np.ravel(value), stepped[b], strict=True))
    ]


def stepped_by(update, world):
    """The new coordinates of each block by the rule."""
    now = {b: world.coordinates(b) for b in update.state}
    names = {b: world.coordinates(b) for b in update.state}
    new = dict(now)
    for block, e in update.rule:
        put = {s: v for b in update.state for s, v in zip(names[b], now[b], strict=True)}
        new[block] = [x.xreplace(put) for x in world.vector(e, block)]
        if update.sequential:
            now = dict(new)
    return new


def differ(x, y):
    x, y = sympy.sympify(x), sympy.sympify(y)
    names = sorted((x.free_symbols | y.free_symbols), key=str)
    at = {s: Rational(zlib.crc32(s.name.encode()) % 997 + 13, 499) for s in names}
    return abs((x.xreplace(at) - y.xreplace(at)).evalf(30)) > 1e-12
