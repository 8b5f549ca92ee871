"""Arrays of nodes: numbers, arrays of numbers and what is traced, as numpy arrays of objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from recipe.lifting.tree.decimals import exact
from recipe.lifting.tree.node import LEAF, SUM, Node, made, node, number
from recipe.lifting.tree.place import refuse

NodeArray = np.ndarray  # of objects, each a Node


def constants(value: Any) -> NodeArray:
    """Return the nodes of a number, or of an array or a list of numbers."""
    array = np.asarray(value)
    if array.dtype.kind == "c":
        refuse("complex numbers have no place in a rule")
    if array.dtype.kind not in "biuf":
        refuse(f"{type(value).__name__} is no array of numbers")
    out = np.empty(array.shape, dtype=object)
    known: dict[Any, Node] = {}
    for at in np.ndindex(array.shape):
        item = array[at]
        if item not in known:
            known[item] = number(exact(item))
        out[at] = known[item]
    return out


def leaf(name: str, shape: tuple[int, ...] | None) -> NodeArray:
    """Return the nodes of an argument: one number where there is no shape."""
    if shape is None:
        return zero_dimensional(made(LEAF, (), (name, None)))
    out = np.empty(shape, dtype=object)
    for i, at in enumerate(np.ndindex(shape)):
        out[at] = made(LEAF, (), (name, i))
    return out


def zero_dimensional(n: Node) -> NodeArray:
    """Return an array without axes."""
    out = np.empty((), dtype=object)
    out[()] = n
    return out


def as_nodes(value: Any) -> NodeArray:
    """Return whatever numpy gives for one node or an array of them as an array."""
    return zero_dimensional(value) if isinstance(value, Node) else value


def apply(op: str, *arrays: NodeArray) -> NodeArray:
    """Apply an operation to each number, with the shapes brought together as numpy does."""
    function: Callable[..., Any] = np.frompyfunc(lambda *args: node(op, *args), len(arrays), 1)
    return as_nodes(function(*arrays))


def add_up(array: NodeArray, axis: Any = None, keepdims: bool = False) -> NodeArray:
    """Return the sums along axes, each a node with all of its terms."""
    axes = range(array.ndim) if axis is None else np.atleast_1d(axis)
    gone = sorted({int(a) % max(array.ndim, 1) for a in axes}) if array.ndim else []
    kept = [a for a in range(array.ndim) if a not in gone]
    moved = np.transpose(array, [*kept, *gone])
    rows = moved.reshape(*(array.shape[a] for a in kept), -1)
    out = np.empty(rows.shape[:-1], dtype=object)
    for at in np.ndindex(out.shape):
        terms = tuple(rows[at])
        out[at] = (
            number(exact(0)) if not terms else terms[0] if len(terms) == 1 else made(SUM, terms)
        )
    if keepdims:
        return out.reshape([1 if a in gone else n for a, n in enumerate(array.shape)])
    return out


def dot(a: NodeArray, b: NodeArray) -> NodeArray:
    """The inner product over the last axis of a and the last but one of b."""
    if a.ndim == 0 or b.ndim == 0:
        return apply("mul", a, b)
    if b.ndim == 1:
        return add_up(apply("mul", a, b), -1)
    if a.ndim == 1:
        return add_up(apply("mul", a[:, None], b), -2)
    return add_up(apply("mul", a[..., :, :, None], b[..., None, :, :]), -2)
