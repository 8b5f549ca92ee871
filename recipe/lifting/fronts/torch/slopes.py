"""Derivatives of given functions, as autograd and ``torch.func`` take them of code that is traced.

The value of a given function, times numbers and plus other such values, is differentiated by the
tensors that it was evaluated at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree

from recipe.lifting.fronts.torch.tensor import TracedTensor, nodes_of, tensor
from recipe.lifting.tracing.given import slope_name
from recipe.lifting.tracing.nodes_of import NodeArray, apply, constants, zero_dimensional
from recipe.lifting.tree.node import GIVEN, Node, made
from recipe.lifting.tree.place import refuse


def slope(value: Any, x: Any) -> TracedTensor:
    """The derivative of a number by a tensor."""
    nodes = nodes_of(value)
    if nodes.size != 1:
        refuse(f"a tensor of the shape {nodes.shape} is differentiated, which is no number")
    out: NodeArray | None = None
    for given, factor in _parts(nodes.reshape(-1)[0]):
        part = apply("mul", factor, _by(given, nodes_of(x)))
        out = part if out is None else apply("add", out, part)
    if out is None:
        refuse("a number is differentiated that no given function is part of")
    return tensor(out)


def _parts(n: Node) -> Iterator[tuple[Node, NodeArray]]:
    """The given values in a number that is linear in them, with their factors."""
    if n.op == GIVEN:
        yield n, constants(1)
    elif n.op in ("add", "sub", "neg", "sum"):
        for k, a in enumerate(n.args):
            negative = n.op == "neg" or (n.op == "sub" and k == 1)
            for given, factor in _parts(a):
                yield given, apply("neg", factor) if negative else factor
    elif n.op in ("mul", "div"):
        one, other = n.args
        if n.op == "mul" and _has_given(other):
            one, other = other, one
        if _has_given(other):
            refuse("a product of given functions is differentiated", n.place)
        for given, factor in _parts(one):
            yield given, apply(n.op, factor, zero_dimensional(other))
    elif _has_given(n):
        refuse(f"{n.op} of a given function is differentiated", n.place)


def _has_given(n: Node) -> bool:
    return any(m.op == GIVEN for m in n.walk())


def _by(given: Node, x: NodeArray) -> NodeArray:
    """The derivative of a given value by the block of its point that a tensor is."""
    start = 0
    for k, count in enumerate(given.data[2:]):
        part = given.args[start : start + abs(count)]
        start += abs(count)
        if len(part) == x.size and all(a is b for a, b in zip(part, x.flat, strict=True)):
            name = slope_name(given.data[0], k)
            out = np.empty(x.shape, dtype=object)
            for i, at in enumerate(np.ndindex(x.shape)):
                data = (name, i if count > 0 else None, *given.data[2:])
                out[at] = made(GIVEN, given.args, data, given.place)
            return out
    return refuse(f"{given.data[0]} is differentiated by what it is no function of")


def autograd_grad(outputs: Any, inputs: Any, *_: Any, **__: Any) -> Any:
    """``torch.autograd.grad``."""
    value = outputs[0] if isinstance(outputs, tuple | list) else outputs
    several = isinstance(inputs, tuple | list)
    return tuple(slope(value, x) for x in (inputs if several else (inputs,)))


def backward(value: Any, *_: Any, **__: Any) -> None:
    """``Tensor.backward``: the leaves that were given to a function get their derivatives."""
    for leaf in getattr(value, "leaves", ()) or refuse(
        "backward() of a number that was computed further; use torch.autograd.grad"
    ):
        leaf.slope = slope(value, leaf)


def functional(kind: str) -> Callable[..., Any]:
    """``torch.func.grad`` and ``torch.func.grad_and_value``, of code that is traced."""
    original = getattr(torch.func, kind)

    def transformed(function: Any, argnums: Any = 0, has_aux: bool = False) -> Any:
        def called(*args: Any, **kwargs: Any) -> Any:
            leaves = _pytree.tree_leaves((args, kwargs))
            if not any(isinstance(x, TracedTensor) for x in leaves):
                return original(function, argnums, has_aux)(*args, **kwargs)
            out = function(*args, **kwargs)
            value, aux = out if has_aux else (out, None)
            chosen = args[argnums] if isinstance(argnums, int) else tuple(args[k] for k in argnums)
            slopes = _pytree.tree_map(lambda x: slope(value, x), chosen)
            if kind == "grad":
                return (slopes, aux) if has_aux else slopes
            return slopes, ((value, aux) if has_aux else value)

        return called

    return transformed
