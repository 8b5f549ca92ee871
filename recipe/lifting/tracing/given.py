"""Functions that are given to the code, such as a gradient: their values are leaves of the tree."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from sympy import Expr

from recipe.language.abstract import Field, Partial, Potential
from recipe.language.blocks import Block, Vector
from recipe.language.checks.operators import grad
from recipe.language.symbols import Length, generic
from recipe.lifting.claims.claim import Gradient, length_of
from recipe.lifting.tracing.nodes_of import NodeArray
from recipe.lifting.tracing.trace import Shapes
from recipe.lifting.tree.node import GIVEN, made
from recipe.lifting.tree.place import refuse


def point_of(gradient: Gradient) -> tuple[Block, ...]:
    """The blocks that a given function is a function of."""
    found: dict[Block, None] = {}
    for e in gradient if isinstance(gradient, tuple) else (gradient,):
        for atom in sorted(e.atoms(Potential, Field, Partial), key=str):
            found |= dict.fromkeys(atom.blocks)
        found |= dict.fromkeys(generic(s) for s in sorted(e.atoms(Vector), key=str))
    return tuple(found)


def shape_of(e: Expr, shapes: Shapes) -> tuple[int, ...]:
    """The shape of the values of an expression."""
    length: Length | None = length_of(e)
    return () if length is None else shapes[str(length)]


def value(
    name: str, gradient: Gradient, point: Sequence[NodeArray], shapes: Shapes
) -> tuple[NodeArray, ...]:
    """Return the nodes of the values of a given function at a point.

    Args:
        name: the name of the function.
        gradient: its expression, or one for each of its values.
        point: an array of nodes for each block that it is a function of.
        shapes: the shape of arrays of each length.
    """
    blocks = point_of(gradient)
    if len(point) < len(blocks):
        refuse(f"{name} is called with {len(point)} arguments, and is a function of {blocks}")
    args, counts = [], []
    for block, array in zip(blocks, point, strict=False):
        expected = shape_of(block, shapes)
        if prod(array.shape) != prod(expected):
            refuse(
                f"{name} is called with an array of the shape {array.shape} for {block}, whose"
                f" shape is {expected}"
            )
        args += list(array.flat)
        counts.append(-1 if block.length is None else array.size)
    parts = expressions_of(name, gradient) if isinstance(gradient, tuple) else {name: gradient}
    return tuple(_nodes(n, e, args, counts, shapes) for n, e in parts.items())


def _nodes(name: str, e: Expr, args: list, counts: list[int], shapes: Shapes) -> NodeArray:
    shape = shape_of(e, shapes)
    out = np.empty(shape, dtype=object)
    for i, at in enumerate(np.ndindex(shape)):
        out[at] = made(GIVEN, tuple(args), (name, i if shape else None, *counts))
    return out


def expressions_of(name: str, gradient: Gradient) -> dict[str, Expr]:
    """The expression of each of its values, by the name in nodes."""
    if isinstance(gradient, tuple):
        return {f"{name}.{k}": e for k, e in enumerate(gradient)}
    slopes = {}
    if length_of(gradient) is None and not gradient.atoms(Partial):
        for k, block in enumerate(point_of(gradient)):
            slopes[slope_name(name, k)] = grad(gradient, block)
    return {name: gradient, **slopes}


def slope_name(name: str, k: int) -> str:
    """The name of the derivative of a number by the k-th block that it is a function of."""
    return f"{name}'{k}"
