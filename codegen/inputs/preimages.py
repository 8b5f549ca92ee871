"""Blocks that stand for others (``Preimage``), in numbers: a user speaks of theta, the state holds
phi with ``theta = f(phi)``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sympy import Lambda, lambdify

from recipe.language.abstract import written_image
from recipe.language.errors import RecipeError
from recipe.language.symbols import Block, name_of, preimages


def reported_block(block: Block) -> Block:
    """The block that draws are of: the image, where there is one."""
    return block.image or block


def with_images(state: tuple[Block, ...]) -> tuple[Block, ...]:
    """The blocks that a user may name: those of the state, and the images of some."""
    return (*state, *preimages(state))


def map_values(f: Lambda, at: np.ndarray, named: Mapping[str, Any]) -> np.ndarray:
    """A map at an array; ``named`` has its parameters."""
    parameters = sorted(f.free_symbols, key=str)
    missing = next((s for s in parameters if name_of(s) not in named), None)
    if missing is not None:
        raise RecipeError(f"the map {f.expr} needs a value of {missing}; give it in params=")
    function = lambdify([*f.variables, *parameters], f.expr, modules=["scipy", "numpy"])
    with np.errstate(all="ignore"):  # what is not finite is named by those who ask
        return np.asarray(function(at, *(named[name_of(s)] for s in parameters)), dtype=float)


def into_state(
    given: Mapping[Block, np.ndarray],
    state: tuple[Block, ...],
    named: Mapping[str, Any],
    argument: str,
) -> dict[Block, np.ndarray]:
    """Values by block of the state, from values of these or of their images.

    Raises:
        RecipeError: where an image has no preimage in floating point.
    """
    standing = preimages(state)
    found: dict[Block, np.ndarray] = {}
    for block, array in given.items():
        phi = standing.get(block)
        if phi is None:
            found[block] = array
            continue
        if phi in given:
            raise RecipeError(
                f"{argument}: it has both {block} and {phi}, and {block} is a function of {phi};"
                " give one of them"
            )
        found[phi] = map_values(phi.inverse, array, named)  # type: ignore[arg-type]
        if not np.all(np.isfinite(found[phi])):
            inverse = phi.inverse(block)  # type: ignore[misc]
            raise RecipeError(
                f"{argument}: {block} has values where {phi} = {inverse} is not finite;"
                f" give {phi} itself"
            )
    return found


def check_maps(state: tuple[Block, ...], named: Mapping[str, Any]) -> None:
    """Ask each map at some points whether it stays in the domain of the image, and its inverse
    whether it goes back.

    This is no proof, which is the verifier's; it finds a map that was mistaken for another.

    Raises:
        RecipeError: naming the map and the point.
    """
    for block in (b for b in state if b.image is not None):
        assert block.image is not None
        points = _points(block)
        at = map_values(block.forward, points, named)  # type: ignore[arg-type]
        back = map_values(block.inverse, at, named)  # type: ignore[arg-type]
        low, high = float(block.image.domain.inf), float(block.image.domain.sup)
        for p, theta, again in zip(points, at, back, strict=True):
            what = f"{block.image} = {written_image(block)}"
            if not low <= theta <= high:
                raise RecipeError(
                    f"{what} is {theta:.6g} at {block} = {p:.6g}, outside of {block.image.domain};"
                    " choose a map onto it"
                )
            if not abs(again - p) <= 1e-6 * (1.0 + abs(p)):
                raise RecipeError(
                    f"the inverse of {what} leads from {block} = {p:.6g} to {again:.6g}; mend"
                    " inverse="
                )


def _points(block: Block) -> np.ndarray:
    """Some points in the middle of the domain, where no map of use has run into the limits of
    floating point.
    """
    low, high = float(block.domain.inf), float(block.domain.sup)
    line = np.array([-3.0, -1.0, -0.25, 0.25, 1.0, 3.0])
    if np.isfinite(low) and np.isfinite(high):
        return low + (high - low) / (1.0 + np.exp(-line))
    if np.isfinite(low):
        return low + np.exp(line)
    return high - np.exp(line) if np.isfinite(high) else line


def out_of_state(
    block: Block, state: Mapping[Block, np.ndarray], named: Mapping[str, Any]
) -> np.ndarray:
    """The values of a block of the state, or of the image of one."""
    phi = next((b for b in state if b.image == block), None)
    return state[block] if phi is None else map_values(phi.forward, state[phi], named)  # type: ignore[arg-type]
