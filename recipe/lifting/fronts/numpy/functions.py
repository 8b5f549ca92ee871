"""Functions of numpy that are no universal functions, on arrays that are traced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from recipe.lifting.tracing.nodes_of import constants
from recipe.lifting.tree.place import refuse

# Functions that move numbers and compute nothing.
MOVES = {
    "append", "array_split", "atleast_1d", "atleast_2d", "broadcast_arrays", "broadcast_to",
    "column_stack", "concatenate", "copy", "delete", "expand_dims", "flip", "hstack", "moveaxis",
    "ndim", "ravel", "repeat", "reshape", "roll", "shape", "size", "split", "squeeze", "stack",
    "swapaxes", "take", "tile", "transpose", "vstack",
}  # fmt: skip


def _like(value: float) -> Callable[..., Any]:
    def function(kind: Any, a: Any, *_: Any, shape: Any = None, **__: Any) -> Any:
        return kind(np.full(a.shape if shape is None else shape, constants(value)[()]))

    return function


def _full_like(kind: Any, a: Any, fill_value: Any, *_: Any, **__: Any) -> Any:
    out = kind(np.full(a.shape, constants(0)[()]))
    out.fill(fill_value)
    return out


def _sum(kind: Any, a: Any, axis: Any = None, *_: Any, keepdims: Any = False, **__: Any) -> Any:
    return _read(kind, a).sum(axis, keepdims=keepdims is True)


def _mean(kind: Any, a: Any, axis: Any = None, *_: Any, keepdims: Any = False, **__: Any) -> Any:
    return _read(kind, a).mean(axis, keepdims=keepdims is True)


def _read(kind: Any, a: Any) -> Any:
    """A list of traced numbers as one array."""
    if isinstance(a, kind):
        return a
    return kind(np.stack([x.nodes for x in a]))


def _dot(kind: Any, a: Any, b: Any, *_: Any) -> Any:
    return a.dot(b) if isinstance(a, kind) else b.__rmatmul__(a)


def _vdot(kind: Any, a: Any, b: Any) -> Any:
    return (a * b).sum()


def _norm(kind: Any, x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    if ord not in (None, 2) or (ord == 2 and x.ndim > 1 and axis is None):
        refuse(f"numpy.linalg.norm of the order {ord} is not known")
    return np.sqrt((x * x).sum(axis, keepdims=keepdims))


def _einsum(kind: Any, subscripts: str, *operands: Any, **_: Any) -> Any:
    pairs = subscripts.replace(" ", "")
    if pairs in ("i,i->", "i,i", "ij,ij->", "ij,ij"):
        return (operands[0] * operands[1]).sum()
    return refuse(f"numpy.einsum({subscripts!r}, ...) is not known")


def _var(kind: Any, a: Any, axis: Any = None, *_: Any, **__: Any) -> Any:
    if axis is not None:
        refuse("numpy.var(..., axis=) is not known")
    centred = a - a.mean()
    return (centred * centred).mean()


def _where(kind: Any, condition: Any, *cases: Any) -> Any:
    if len(cases) != 2 or not isinstance(condition, np.ndarray | np.bool_ | bool):
        refuse("numpy.where is a branch on values")
    one, other = (x.nodes if isinstance(x, kind) else constants(x) for x in cases)
    return kind(np.asarray(np.where(condition, one, other), dtype=object))


def _branch(name: str) -> Callable[..., Any]:
    def function(kind: Any, *_: Any, **__: Any) -> Any:
        refuse(f"numpy.{name} is a branch on values")

    return function


def _shape_by_data(name: str) -> Callable[..., Any]:
    def function(kind: Any, *_: Any, **__: Any) -> Any:
        refuse(f"the shape of what numpy.{name} returns depends on values")

    return function


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "zeros_like": _like(0),
    "empty_like": _like(0),
    "ones_like": _like(1),
    "full_like": _full_like,
    "sum": _sum,
    "mean": _mean,
    "average": _mean,
    "dot": _dot,
    "inner": _dot,
    "vdot": _vdot,
    "norm": _norm,
    "einsum": _einsum,
    "var": _var,
    "real": lambda kind, a: a,
    "where": _where,
    **{name: _branch(name) for name in ("clip", "select", "piecewise", "max", "min",
        "amax", "amin", "sort", "argmax", "argmin", "argsort", "heaviside", "isnan", "isfinite",
        "any", "all", "allclose", "isclose", "nan_to_num", "searchsorted", "percentile", "median")},
    **{name: _shape_by_data(name) for name in ("nonzero", "unique", "argwhere", "compress",
        "extract", "flatnonzero")},
}  # fmt: skip
