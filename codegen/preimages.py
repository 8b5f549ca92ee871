"""Blocks that stand for others (``Preimage``), in numbers: a user speaks of theta, the state holds phi with ``theta = f(phi)``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sympy import Lambda, lambdify

from recipe.errors import RecipeError
from recipe.symbols import Block, name_of


def shown(block: Block) -> Block:
    """The block that draws are of: the image, where there is one."""
    return block.image or block


def with_images(state: tuple[Block, ...]) -> tuple[Block, ...]:
    """The blocks that a user may name: those of the state, and the images of some."""
    return (*state, *(b.image for b in state if b.image is not None))


def values(f: Lambda, at: np.ndarray, named: Mapping[str, Any]) -> np.ndarray:
    """A map at an array; ``named`` has its parameters."""
    parameters = sorted(f.free_symbols, key=str)
    missing = next((s for s in parameters if name_of(s) not in named), None)
    if missing is not None:
        raise RecipeError(f"the map {f.expr} needs a value of {missing}; give it in params=")
    function = lambdify([*f.variables, *parameters], f.expr, modules=["scipy", "numpy"])
    with np.errstate(all="ignore"):  # what is not finite is named by those who ask
        return np.asarray(function(at, *(named[name_of(s)] for s in parameters)), dtype=float)


def into_state(
    given: Mapping[Block, np.ndarray], state: tuple[Block, ...], named: Mapping[str, Any], argument: str
) -> dict[Block, np.ndarray]:
    """Values by block of the state, from values of these or of their images.

    Raises:
        RecipeError: where an image has no preimage in floating point.
    """
    standing = {b.image: b for b in state if b.image is not None}
    found: dict[Block, np.ndarray] = {}
    for block, array in given.items():
        phi = standing.get(block)
        if phi is None:
            found[block] = array
            continue
        found[phi] = values(phi.inverse, array, named)  # type: ignore[arg-type]
        if not np.all(np.isfinite(found[phi])):
            raise RecipeError(f"{argument}: {block} has values where {phi} = {phi.inverse(block)} is not finite; give {phi} itself")  # type: ignore[misc]
    return found


def out_of_state(block: Block, state: Mapping[Block, np.ndarray], named: Mapping[str, Any]) -> np.ndarray:
    """The values of a block of the state, or of the image of one."""
    phi = next((b for b in state if b.image == block), None)
    return state[block] if phi is None else values(phi.forward, state[phi], named)  # type: ignore[arg-type]
