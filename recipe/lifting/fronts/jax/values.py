"""The values of a jaxpr that is read: numbers, nodes, keys, and what no rule says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from recipe.lifting.fronts.jax.keys import Half, Key
from recipe.lifting.tracing.nodes_of import constants
from recipe.lifting.tree.node import Node
from recipe.lifting.tree.place import Place, here


@dataclass(frozen=True)
class Unknown:
    """A value that no rule says, with the reason and the place."""

    reason: str
    place: Place | None


def is_array_of_objects(x: Any) -> bool:
    """Whether a value is an array of nodes or keys."""
    return isinstance(x, np.ndarray) and x.dtype.kind == "O"


def is_concrete(x: Any) -> bool:
    """Whether a value is known in numbers."""
    return not isinstance(x, Unknown) and not is_array_of_objects(x)


def nodes(x: Any) -> Any:
    """A value as an array of nodes."""
    return constants(np.asarray(x)) if is_concrete(x) else x


def as_object(x: Any) -> Any:
    """A value as an array of objects: of keys, where it is one of keys."""
    return x if isinstance(x, Unknown | np.ndarray) else np.asarray(x)


def as_object_row(rows: Any, k: int) -> Any:
    """A row of a value."""
    row = rows[k]
    if isinstance(row, Node | Key | Half):
        out = np.empty((), dtype=object)
        out[()] = row
        return out
    return row


def stacked(column: list[Any]) -> Any:
    """The values of all rounds of a loop as one."""
    unknown = next((x for x in column if isinstance(x, Unknown)), None)
    if unknown is not None:
        return unknown
    if all(is_concrete(x) for x in column):
        return np.stack([np.asarray(x) for x in column])
    return np.stack([nodes(x) for x in column])


def has_keys(x: Any) -> bool:
    """Whether a value consists of keys, or of their words."""
    return not is_concrete(x) and x.size > 0 and isinstance(x.flat[0], Key | Half)


def is_words(keys: Any) -> bool:
    """Whether a value consists of the words of keys."""
    return keys.size > 0 and isinstance(keys.flat[0], Half)


def wrapped(words: Any) -> Any:
    """Keys from their words."""
    out = np.empty(words.shape[:-1], dtype=object)
    for at in np.ndindex(out.shape):
        one, other = words[at]
        if not isinstance(one, Half) or (one.key, other) != (other.key, Half(one.key, 1)):
            return Unknown("a key is made of words of several keys", here())
        out[at] = one.key
    return out
