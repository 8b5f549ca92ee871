"""Explosion of a position whose force grows faster than linearly.

Let ``dx = m y dt`` and ``dy = (g(x) - c y) dt + sqrt(2 D) dW`` with constants m > 0, c and D, and
``g >= a x^p`` far out with a > 0 and p > 1. With positive probability the noise, integrated, stays
between -1 and 1 up to the time 1. Then ``z = y - noise`` has ``m (z - 1) <= x' <= m (z + 1)`` and
``z' >= a x^p - |c| (|z| + 1)``. Let ``q = (p + 1)/2 > 1``. For small b > 0 and large x, a path with
``z >= b x^q`` stays there: on the border z' is at least ``a x^p - |c| (b x^q + 1)``, which exceeds
``b q x^(q - 1) x' <= m (b^2 q x^p + b q x^(q - 1))``. So ``x' >= m (b x^q - 1)``, and x goes to
infinity before the time 1 if it starts far enough.
"""

from __future__ import annotations

from sympy import Expr, S

from recipe.declare.dynamics import Dynamics
from recipe.language.blocks import Block, Vector
from recipe.language.calculus import abstract_atoms
from recipe.language.free_symbols import blocks_in
from recipe.language.text import text
from recipe.signs.defined import is_continuous
from recipe.signs.sign import is_positive
from verify.decide.asymptotics.growth import leading
from verify.diffusion.infinity.ends import End, T, at_end, ends
from verify.diffusion.infinity.separation import at_length_one
from verify.generator.coupling import own_diffusion
from verify.verdict import Witness


def find_runaway(dynamics: Dynamics) -> Witness | None:
    """A position that is proved to explode when every vector has length 1; None if none was
    found.
    """
    if len(dynamics.state) != 2 or any(b.domain != S.Reals for b in dynamics.state):
        return None
    for x, y in (dynamics.state, dynamics.state[::-1]):
        force = _force(dynamics, x, y)
        if force is None:
            continue
        for end in ends(x):
            if _grows_faster_than_linearly(force if end.name == "oo" else -force, x, end):
                return _witness(dynamics, x, y, force, end)
    return None


def _force(dynamics: Dynamics, x: Block, y: Block) -> Expr | None:
    """g, if x and y are of the form above; else None."""
    f, g = (at_length_one(dynamics.drift[b]) for b in (x, y))
    noise = {b: at_length_one(own_diffusion(dynamics, b)) for b in (x, y)}
    if any(abstract_atoms(e) for e in (f, g, noise[y])):
        return None
    speed, friction = f.diff(y), g.diff(y)
    force = g.xreplace({y: S.Zero})
    if (
        noise[x] != 0
        or blocks_in(noise[y], dynamics.state)
        or blocks_in(speed, dynamics.state)
        or blocks_in(friction, dynamics.state)
        or not is_positive(speed)
        or (f - speed * y).expand() != 0
        or (g - friction * y - force).expand() != 0
        or not is_continuous(force)
    ):
        return None
    return force


def _grows_faster_than_linearly(outward: Expr, x: Block, end: End) -> bool:
    """Return True if the force is proved to exceed ``a t^p`` with a > 0 and p > 1."""
    along = at_end(outward, x, end)
    order = None if along is None else leading(along, T)
    if order is None or not is_positive(order.coefficient):
        return False
    return is_positive(order.rates[0][1]) if order.rates else is_positive(order.power - 1)


def _witness(dynamics: Dynamics, x: Block, y: Block, force: Expr, end: End) -> Witness:
    lengths = {str(b.length): "1" for b in dynamics.state if isinstance(b, Vector)}
    finding = (
        f"the force on {y} is {text(force)}, which grows faster than linearly: from far out {x}"
        f" reaches {end.name} in finite time"
    )
    return Witness({**lengths, str(x): f"-> {end.name}"}, finding)
