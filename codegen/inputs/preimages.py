"""Values of what a user names and the state holds in another form: of the block theta, where it
holds phi with ``theta = f(phi)`` (``recipe.Preimage``), and of an ordered block, where it holds the
first number and the gaps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from sympy import Lambda, lambdify

from codegen.check_arguments import checked_mapping
from codegen.inputs.evaluate import SPECIAL, Values
from codegen.inputs.posterior_data import finite_array
from recipe.declare.transformations.joint_map import JointMap
from recipe.declare.transformations.ordered import Ordered
from recipe.language.abstract import is_joint, written_image
from recipe.language.blocks import Block, preimages
from recipe.language.errors import RecipeError
from recipe.language.symbols import name_of

HALVINGS = 80  # of 1,400, which is then 1e-21
FARTHEST = 700.0  # exp of 710 is no finite number


def reported_block(block: Block) -> Block:
    """Return the block whose values become draws: the image of the block, or the block itself where
    it has none.
    """
    return block.image or block


def with_images(state: tuple[Block, ...]) -> tuple[Block, ...]:
    """Return the blocks that a user may name: those of the state, and their images."""
    return (*state, *preimages(state))


def map_values(f: Lambda, at: np.ndarray, named: Mapping[str, Any]) -> np.ndarray:
    """Return the values of a map at each number of an array, or at each vector along its last axis.

    Args:
        f: the map, a function of one variable, or of all coordinates of one.
        at: the array.
        named: the values of parameters, by name.

    Returns:
        An array of the same shape, which is not finite where the map is not.

    Raises:
        RecipeError: where a parameter of the map has no value.
    """
    if isinstance(f, JointMap):
        (variable,) = f.variables
        rows = at.reshape(-1, at.shape[-1])
        return np.broadcast_to(Values({variable: rows}).at(f.expr)[:, 0], rows.shape).reshape(
            at.shape
        )
    parameters = sorted(f.free_symbols, key=str)
    missing = next((s for s in parameters if name_of(s) not in named), None)
    if missing is not None:
        raise RecipeError(f"the map {f.expr} needs a value of {missing}; give it in params=")
    function = lambdify([*f.variables, *parameters], f.expr, modules=[SPECIAL, "numpy"])
    with np.errstate(all="ignore"):
        return np.asarray(function(at, *(named[name_of(s)] for s in parameters)), dtype=float)


def into_state(
    given: Mapping[Block, np.ndarray],
    state: tuple[Block, ...],
    named: Mapping[str, Any],
    argument: str,
) -> dict[Block, np.ndarray]:
    """Return values by block of the state, from values of these blocks or of their images.

    Args:
        given: the values, by block.
        state: the blocks of the state.
        named: the values of parameters, by name.
        argument: the name of the argument in messages.

    Raises:
        RecipeError: where both a block and its image have a value, or an image has no finite
            preimage.
    """
    phi_of = preimages(state)
    found: dict[Block, np.ndarray] = {}
    for block, array in given.items():
        phi = phi_of.get(block)
        if phi is None:
            found[block] = array
            continue
        if phi in given:
            raise RecipeError(
                f"{argument} has both {block} and {phi}, and {block} is a function of {phi}; give"
                " one of them"
            )
        found[phi] = _preimages_of(phi, array, named)
        if not np.all(np.isfinite(found[phi])):
            of = f"whose {phi} was not found between -{FARTHEST:g} and {FARTHEST:g}"
            if phi.inverse is not None:
                of = f"where {phi} = {phi.inverse(block)} is not finite"
            raise RecipeError(f"{argument} has values of {block} {of}; give {phi} itself")
    return found


def _preimages_of(phi: Block, values: np.ndarray, named: Mapping[str, Any]) -> np.ndarray:
    """The numbers that a map takes to these values; NaN where there are none."""
    if phi.inverse is not None:
        return map_values(phi.inverse, values, named)
    assert phi.forward is not None  # a block that stands for another one has a map
    forward = phi.forward
    return halved(lambda at: map_values(forward, at, named), values)


def halved(f: Callable[[np.ndarray], np.ndarray], values: np.ndarray) -> np.ndarray:
    """Return the numbers within ``FARTHEST`` of 0 that a monotone function takes to some values,
    by halving an interval around each; NaN for a value that the function does not have there.

    Args:
        f: an elementwise function.
        values: the values.
    """
    low, high = np.full(values.shape, -FARTHEST), np.full(values.shape, FARTHEST)
    at_low, at_high = f(low), f(high)
    rises = at_high > at_low
    outside = (values < np.minimum(at_low, at_high)) | (values > np.maximum(at_low, at_high))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        below = (f(middle) < values) == rises
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    found: np.ndarray = np.where(outside | np.isnan(values), np.nan, (low + high) / 2)
    return found


def without_ordered(
    given: Mapping[Any, Any] | None, ordered: Iterable[Ordered], argument: str = "initial"
) -> Mapping[Any, Any] | None:
    """Return given values with those of an ordered block as values of the scalars it is made of.

    Args:
        given: values by block, by the block or its name; of an ordered block of the shape (length,)
            or (chains, length).
        ordered: the ordered blocks.
        argument: the name of the argument in messages.

    Raises:
        RecipeError: for values of an ordered block that do not increase or have another shape, and
            for other values of its scalars beside them.
    """
    checked_mapping(argument, given)
    blocks = {block.name: block for block in ordered}
    name_by_key = {k: k.name if isinstance(k, Ordered) else name_of(k) for k in given or {}}
    if given is None or not blocks.keys() & set(name_by_key.values()):
        return given
    parts: dict[str, np.ndarray] = {}
    for key, name in name_by_key.items():
        if name in blocks:
            parts |= _scalars_of(blocks[name], given[key], f"{argument}[{name!r}]")
    others = {k: v for k, v in given.items() if name_by_key[k] not in blocks}
    for key, value in others.items():
        name = name_by_key[key]
        if name in parts and not _are_equal(value, parts[name]):
            raise RecipeError(
                f"{argument}= has {name}, and the ordered block that it is a part of with another"
                " value of it; give one of them"
            )
    return {**{k: v for k, v in others.items() if name_by_key[k] not in parts}, **parts}


def _are_equal(given: Any, part: np.ndarray) -> bool:
    try:
        return np.allclose(np.asarray(given, dtype=float), part)
    except (TypeError, ValueError):  # no numbers, or numbers of another shape
        return False


def _scalars_of(block: Ordered, value: Any, where: str) -> dict[str, np.ndarray]:
    """Return the first number and the gaps, by name, each of the shape () or (chains,)."""
    array = finite_array(where, np.asarray(value), 2 if np.ndim(value) == 2 else 1)
    if array.shape[-1] != len(block):
        raise RecipeError(f"{where} has {array.shape[-1]} numbers, and {block.name} {len(block)}")
    gaps = np.diff(array, axis=-1)
    if not np.all(gaps > 0):
        raise RecipeError(
            f"{where}: the numbers of the ordered block {block.name} must increase; give them in"
            " their order"
        )
    columns = [array[..., 0], *np.moveaxis(gaps, -1, 0)]
    return {b.name: column for b, column in zip(block.blocks, columns, strict=True)}


def check_maps(state: tuple[Block, ...], named: Mapping[str, Any]) -> None:
    """Check each map at a few points: its value lies in the domain of the image, and its inverse
    leads back.

    This finds a map that was mistaken for another one. It is no proof; the verifier has one. A map
    of all coordinates together is none of the user's.

    Raises:
        RecipeError: naming the map and the point.
    """
    for block in (b for b in state if b.image is not None and not is_joint(b)):
        assert block.image is not None
        points = _points(block)
        at = map_values(block.forward, points, named)  # type: ignore[arg-type]
        back = _preimages_of(block, at, named)
        low, high = float(block.image.domain.inf), float(block.image.domain.sup)
        for p, theta, again in zip(points, at, back, strict=True):
            written = f"{block.image} = {written_image(block)}"
            if not low <= theta <= high:
                raise RecipeError(
                    f"{written} is {theta:.6g} at {block} = {p:.6g}, outside of"
                    f" {block.image.domain}; choose a map onto it"
                )
            if not abs(again - p) <= 1e-6 * (1.0 + abs(p)):
                raise RecipeError(
                    f"the inverse of {written} leads from {block} = {p:.6g} to {again:.6g}; correct"
                    " inverse="
                )


def _points(block: Block) -> np.ndarray:
    """Return six points in the middle of the domain, where a useful map neither overflows nor loses
    its digits.
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
    """Return the values of a block of the state, or of the image of a block of the state."""
    phi = next((b for b in state if b.image == block), None)
    return state[block] if phi is None else map_values(phi.forward, state[phi], named)  # type: ignore[arg-type]
