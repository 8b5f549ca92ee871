"""How a step changes the density ``rho g`` of a state, with ``rho = exp(-H)`` divided out.

A test function sees ``E phi(z + delta) = sum_k E[delta^k] / k! d^k phi``. By parts, the density
becomes ``sum_k (-1)^|k| / k! d^k (E[delta^k] rho g)``, and dividing by rho turns each derivative
``d`` into ``d - dH``. As ``delta`` vanishes with ``s = sqrt(step)``, finitely many k count (Talay &
Tubaro 1990; Leimkuhler & Matthews 2015, "Molecular Dynamics", chapter 7).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sympy import Rational

from recipe.language.blocks import Block
from verify.discrete.weak_order.ring import Poly, Ring
from verify.discrete.weak_order.series import Series, constant
from verify.discrete.weak_order.step import Map

Gradient = Mapping[Block, Any]


def pushed(g: Series, maps: Sequence[Map], gradient: Gradient) -> Series:
    """Return the density ratio after the maps, one after another, up to the power to which ``g`` is
    known.
    """
    for change in maps:
        g = _through(g, constant(g.ring, g.ring.number(1), g.end), change, list(change), gradient)
    return g


def _through(
    g: Series, product: Series, change: Map, blocks: Sequence[Block], gradient: Gradient
) -> Series:
    """Return ``sum_k (-1)^|k| / k! (d - dH)^k (E[product delta^k] g)`` over the given blocks, by
    Horner's scheme in each.
    """
    end, ring = g.end, g.ring
    if not blocks:
        return _padded((product.each(ring.mean) * g).cut(end), end)
    block, *rest = blocks
    terms = []
    while product.low < end and not product.is_zero():
        terms.append(_through(g, product, change, rest, gradient))
        product = (product * change[block]).stripped().cut(end)
    total = constant(ring, ring.zero, end)
    for k in range(len(terms), 0, -1):
        total = terms[k - 1] + total.each(lambda c: gauged(c, block, ring, gradient)).scaled(
            Rational(-1, k)
        )
    return total


def gauged(c: Poly, block: Block, ring: Ring, gradient: Gradient) -> Poly:
    """Return ``exp(H) d (exp(-H) c)``."""
    return ring.derivative(c, block) - ring.product(gradient[block], c)


def _padded(g: Series, end: int) -> Series:
    if g.end < end:  # no assert: a verdict rests on it
        raise AssertionError("a function is known to too low an order")
    return g.cut(end)


def before(recorded: Sequence[Map], gradient: Gradient, ring: Ring, end: int) -> Series:
    """Return the density ratio of a state whose recorded law is rho: the formal solution g of
    ``Q^dagger (rho g) = rho``.
    """
    one = constant(ring, ring.number(1), end)
    g = one
    for _ in range(end):  # every round makes one more coefficient right
        change = pushed(g, recorded, gradient) + one.scaled(-1)
        if change.is_zero():
            return g
        g = g + change.scaled(-1)
    return g
