"""Tensors that record what PyTorch does to them.

Each is a real tensor of zeros with the right shape, so that everything that asks about its form
works, and beside it an array of nodes. Views share their nodes, so that what is changed in place is
changed in all of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.overrides import TorchFunctionMode

from recipe.lifting.fronts.numpy.traced import Traced, called, note_of_text
from recipe.lifting.tracing.draws import Draws
from recipe.lifting.tracing.nodes_of import NodeArray, as_nodes, constants
from recipe.lifting.tree.place import is_users, refuse


class TracedTensor(torch.Tensor):
    """A tensor whose numbers are recorded.

    Attributes:
        nodes: the nodes of its numbers.
        slope: its ``grad``.
        leaves: of the value of a given function the tensors of its point.
    """

    __torch_function__ = torch._C._disabled_torch_function_impl
    nodes: NodeArray
    slope: Any
    leaves: list[Any]

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [Traced(x.nodes) if isinstance(x, TracedTensor) else x for x in inputs]
        return tensor(called(ufunc.__name__, method, plain, options).nodes)

    def __repr__(self, **_: Any) -> str:  # type: ignore[override]
        return f"<traced tensor of the shape {tuple(self.shape)}>"

    def __str__(self) -> str:
        note_of_text()
        return repr(self)

    def __format__(self, spec: str) -> str:
        return str(self)

    def __deepcopy__(self, memo: Any) -> Any:
        return tensor(self.nodes.copy())


def tensor(nodes: NodeArray) -> TracedTensor:
    """Return a tensor of nodes, which it shares with the array."""
    nodes = as_nodes(nodes)
    zeros = torch.zeros(nodes.shape, dtype=torch.float64)
    made: TracedTensor = torch.Tensor._make_subclass(TracedTensor, zeros)  # type: ignore[attr-defined]
    made.nodes = nodes
    made.slope, made.leaves = None, []
    return made


def nodes_of(x: Any) -> NodeArray:
    """The nodes of a tensor, or of a number."""
    if isinstance(x, TracedTensor):
        return x.nodes
    if isinstance(x, Traced):
        return x.nodes
    if isinstance(x, torch.Tensor):
        if x.is_complex():
            refuse("complex numbers have no place in a rule")
        return constants(x.detach().cpu().numpy())
    if isinstance(x, complex):
        refuse("complex numbers have no place in a rule")
    return constants(x)


class Recording(TorchFunctionMode):
    """While it is active, functions of PyTorch record what they do.

    Args:
        draws: where draws are recorded.
        functions: what a function does to tensors that are traced, by its name.
        made: functions that make tensors of numbers, by name.
    """

    def __init__(
        self, draws: Draws, functions: dict[str, Callable[..., Any]], made: dict[str, Any]
    ) -> None:
        super().__init__()
        self.draws, self.functions, self.made = draws, functions, made

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = _name(func)
        if name in self.made and (has_traced((args, kwargs)) or _by_user()):
            return self.made[name](self.draws, *args, **kwargs)
        if not has_traced((args, kwargs)):
            return func(*args, **kwargs)
        if name in self.functions:
            return self.functions[name](*args, **kwargs)
        if name in FORM:
            return func(*args, **kwargs)
        return refuse(f"the function {name} of PyTorch is not known")


# What asks about the form of a tensor, and not about its numbers.
FORM = {
    "__len__", "ndim.__get__", "shape.__get__", "dtype.__get__", "device.__get__", "size", "numel",
    "dim", "requires_grad.__get__", "requires_grad.__set__", "is_leaf.__get__", "layout.__get__",
    "is_sparse.__get__", "is_complex", "is_floating_point", "is_cuda.__get__", "ndimension",
    "nelement", "stride", "storage_offset", "is_contiguous", "__hash__", "grad_fn.__get__",
    "requires_grad_", "element_size", "get_device", "names.__get__", "is_sparse_csr.__get__",
    "is_mkldnn.__get__", "is_meta.__get__", "is_quantized.__get__", "is_nested.__get__",
    "is_xla.__get__", "is_mps.__get__", "is_xpu.__get__", "_version.__get__", "is_same_size",
    "retain_grad", "retains_grad.__get__", "is_hpu.__get__", "is_cpu.__get__", "itemsize.__get__",
    "nbytes.__get__", "is_inference", "register_hook", "is_signed",
}  # fmt: skip


def _name(func: Any) -> str:
    """The name of a function; of a property with what is done to it."""
    name = getattr(func, "__name__", str(func))
    if name in ("__get__", "__set__"):
        return f"{func.__self__.__name__}.{name}"
    return name


def has_traced(x: Any) -> bool:
    """Whether something that is traced is among the arguments."""
    if isinstance(x, TracedTensor):
        return True
    if isinstance(x, tuple | list):
        return any(map(has_traced, x))
    return isinstance(x, dict) and any(map(has_traced, x.values()))


def _by_user() -> bool:
    """Whether the innermost frame that is not ours is code that is read."""
    frame = sys._getframe(2)
    while (
        frame is not None
        and "recipe" in frame.f_code.co_filename
        and not is_users(frame.f_code.co_filename)
    ):
        frame = frame.f_back  # type: ignore[assignment]
    return frame is not None


def concrete_form(x: Any) -> Any:
    """The shape that arguments of a factory mean."""
    return np.zeros(tuple(int(n) for n in x)).shape
