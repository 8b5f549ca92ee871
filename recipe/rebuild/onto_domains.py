"""A sampler on the real line, for the law of blocks that live on intervals or on a simplex.

Each such block theta is written as ``f(phi)`` with phi on the real line, where the sampler stays as
it is: its potential is the one of phi, ``U(f(phi)) - log |det f'(phi)|``. On an interval f maps
each coordinate by itself.
"""

from __future__ import annotations

from typing import TypeVar

import sympy
from sympy import Add, Expr, Interval, Lambda, S, Set, oo

from recipe.change.transform import log_slope
from recipe.declare.recipe import Recipe
from recipe.declare.transformations.map import PHI, THETA, Map
from recipe.declare.transformations.onto_simplex import log_volume, preimage_of_simplex
from recipe.declare.transformations.preimage import Preimage
from recipe.kernel.kernel import Kernel
from recipe.language.abstract import Potential, is_joint
from recipe.language.blocks import Block, Simplex, Vector
from recipe.language.calculus import contract
from recipe.language.domain import on_simplex
from recipe.language.free_symbols import UnusedNames

Sampler = TypeVar("Sampler", Recipe, Kernel)


def fits_on_the_line(U: Potential, blocks: tuple[Block, ...]) -> bool:
    """Return True if ``U`` is a function of one vector of real numbers, and some block lives on
    another interval or on a simplex.
    """
    of = U.blocks
    return (
        len(of) == 1
        and isinstance(of[0], Vector)
        and of[0].domain == S.Reals
        and all(b.domain == S.Reals or isinstance(b.domain, Interval | Simplex) for b in blocks)
        and any(b.domain != S.Reals for b in blocks)
    )


def on_the_line(blocks: tuple[Block, ...], taken: UnusedNames) -> tuple[Block, ...]:
    """Return the blocks with a real block in place of each that lives on an interval or a
    simplex.
    """
    return tuple(b if b.domain == S.Reals else _real(b, taken) for b in blocks)


def _real(block: Block, taken: UnusedNames) -> Block:
    name = taken.fresh(f"phi_{block.name}")
    if isinstance(block, Vector) and on_simplex(block):
        return preimage_of_simplex(name, block)
    return Preimage(name, block, map_onto(block.domain))


def pulled_back(U: Potential, line: tuple[Block, ...]) -> Expr:
    """Return the potential of the law of the blocks on the line, where ``U`` is that of their
    images.
    """
    return U - Add(*(_log_volume(phi) for phi in line if phi.image is not None))


def _log_volume(phi: Block) -> Expr:
    if isinstance(phi, Vector) and is_joint(phi):
        return log_volume(phi)
    return contract(log_slope(phi), phi)


def map_onto(domain: Set) -> Map:
    """Return a smooth bijection from the real line onto the inside of an interval: ``a + exp``, ``b
    - exp``, or ``a + (b - a)/(1 + exp(-phi))``.
    """
    low, high = domain.start, domain.end
    if high == oo:
        forward, inverse = low + sympy.exp(PHI), sympy.log(THETA - low)
    elif low == -oo:
        forward, inverse = high - sympy.exp(PHI), sympy.log(high - THETA)
    else:
        forward = low + (high - low) / (1 + sympy.exp(-PHI))
        inverse = sympy.log((THETA - low) / (high - THETA))
    name = f"the map onto {domain}"
    return Map(name, Lambda(PHI, forward), Lambda(THETA, inverse), S.Reals)
