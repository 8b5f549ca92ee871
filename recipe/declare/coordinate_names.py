"""The names that a user gives to the coordinates of blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from recipe.language.blocks import Block, Vector
from recipe.language.errors import RecipeError
from recipe.language.symbols import name_of

Names = tuple[str, ...]


def coordinate_names(given: Any, blocks: Iterable[Block]) -> dict[Vector, Names]:
    """Return the names of the coordinates of blocks, checked.

    Args:
        given: the argument ``coords=``: names by block or name of a block, or None.
        blocks: the blocks that may be named.

    Raises:
        RecipeError: for a key that is no vector block, and for names that are no texts, not
            distinct, or that a terminal or a file could not show.
    """
    if given is not None and not isinstance(given, Mapping):
        raise RecipeError(
            "coords= must be a dict of names by block, such as {'theta': ['age', 'income']}"
        )
    vectors = {b.name: b for b in blocks if isinstance(b, Vector)}
    found = {}
    for key, names in (given or {}).items():
        if name_of(key) not in vectors:
            raise RecipeError(
                f"coords= names {key}, which is no vector block; the vector blocks are"
                f" {', '.join(vectors) or 'none'}"
            )
        found[vectors[name_of(key)]] = _checked(name_of(key), names)
    return found


def _checked(block: str, names: Any) -> Names:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise RecipeError(f"coords[{block}] must be a list of names, one for each coordinate")
    listed = [str(n) if isinstance(n, int) else n for n in names]
    if not all(isinstance(n, str) and n and n.isprintable() for n in listed):
        raise RecipeError(
            f"coords[{block}] must be printable names, such as ['age', 'income'], and whole numbers"
        )
    twice = next((n for n in listed if listed.count(n) > 1), None)
    if twice is not None:
        raise RecipeError(f"coords[{block}] names {twice} twice; give each coordinate its own name")
    return tuple(listed)
