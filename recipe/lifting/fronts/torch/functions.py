"""What functions and methods of PyTorch do to tensors that are traced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from recipe.lifting.fronts.torch.tensor import TracedTensor, nodes_of, tensor
from recipe.lifting.tracing.nodes_of import add_up, apply, as_nodes, constants, dot
from recipe.lifting.tracing.precision import why_not_read
from recipe.lifting.tracing.signs import decided
from recipe.lifting.tree.place import refuse

UNARY = {
    "neg": "neg", "negative": "neg", "sqrt": "sqrt", "exp": "exp", "exp2": "exp2",
    "expm1": "expm1", "log": "log", "log1p": "log1p", "log2": "log2", "log10": "log10",
    "sin": "sin", "cos": "cos", "tan": "tan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
    "atan": "arctan", "arctan": "arctan", "sigmoid": "expit", "abs": "abs", "absolute": "abs",
    "sign": "sign", "erf": "erf", "floor": "floor", "ceil": "ceil", "round": "round",
}  # fmt: skip
BINARY = {
    "mul": "mul", "multiply": "mul", "div": "div", "divide": "div", "true_divide": "div",
    "pow": "pow", "float_power": "pow", "maximum": "maximum", "minimum": "minimum",
}  # fmt: skip
COMPARISONS = {
    "lt": "less", "less": "less", "le": "less_equal", "less_equal": "less_equal",
    "gt": "greater", "greater": "greater", "ge": "greater_equal", "greater_equal": "greater_equal",
    "eq": "equal", "ne": "not_equal",
}  # fmt: skip
BRANCHES = (
    "all", "any", "argmax", "argmin", "clamp", "clamp_", "clamp_max", "clamp_max_", "clamp_min",
    "clamp_min_", "clip", "clip_", "isfinite", "isnan", "masked_fill", "masked_fill_",
    "masked_select", "max", "median", "min", "nan_to_num", "nonzero", "relu", "sort", "topk",
    "where",
)  # fmt: skip


def _added(a: Any, b: Any, alpha: Any = 1, sign: str = "add") -> Any:
    scaled = nodes_of(b)
    if not (isinstance(alpha, int | float) and alpha == 1):
        scaled = apply("mul", nodes_of(alpha), scaled)
    return apply(sign, nodes_of(a), scaled)


def _addc(a: Any, b: Any, c: Any, op: str, value: Any) -> Any:
    both = apply(op, nodes_of(b), nodes_of(c))
    if not (isinstance(value, int | float) and value == 1):
        both = apply("mul", nodes_of(value), both)
    return apply("add", nodes_of(a), both)


def _lerped(a: Any, b: Any, weight: Any) -> Any:
    difference = apply("sub", nodes_of(b), nodes_of(a))
    return apply("add", nodes_of(a), apply("mul", nodes_of(weight), difference))


def _old_alpha(args: Any) -> Any:
    """The arguments of ``add_(number, tensor)``, as older versions had it."""
    return (args[0], args[2], args[1]) if len(args) == 3 else args


COMPUTED: dict[str, Callable[..., Any]] = {
    "add": lambda *x, alpha=1: _added(*_old_alpha(x), **({} if len(x) == 3 else {"alpha": alpha})),
    "sub": lambda a, b, alpha=1: _added(a, b, alpha, "sub"),
    "subtract": lambda a, b, alpha=1: _added(a, b, alpha, "sub"),
    "rsub": lambda a, b, alpha=1: _added(b, a, alpha, "sub"),
    "addcmul": lambda a, b, c, value=1: _addc(a, b, c, "mul", value),
    "addcdiv": lambda a, b, c, value=1: _addc(a, b, c, "div", value),
    "lerp": _lerped,
    "square": lambda a: apply("mul", nodes_of(a), nodes_of(a)),
    "rsqrt": lambda a: apply("div", constants(1), apply("sqrt", nodes_of(a))),
    "reciprocal": lambda a: apply("div", constants(1), nodes_of(a)),
    **{n: lambda a, op=op: apply(op, nodes_of(a)) for n, op in UNARY.items()},
    **{
        n: lambda a, b, op=op, rounding_mode=None: (
            apply(op, nodes_of(a), nodes_of(b))
            if rounding_mode is None
            else refuse("a division is rounded")
        )
        for n, op in BINARY.items()
    },
}
REFLECTED = {"__radd__": "add", "__rmul__": "mul", "__rsub__": "sub", "__rtruediv__": "div",
             "__rpow__": "pow", "__rdiv__": "div"}  # fmt: skip
DUNDERS = {"__add__": "add", "__mul__": "mul", "__sub__": "sub", "__truediv__": "div",
           "__pow__": "pow", "__neg__": "neg", "__abs__": "abs", "__iadd__": "add",
           "__imul__": "mul", "__isub__": "sub", "__itruediv__": "div", "__ipow__": "pow",
           "__div__": "div"}  # fmt: skip


def _new(function: Callable[..., Any]) -> Callable[..., Any]:
    def called(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        result = tensor(function(*args, **kwargs))
        return result if out is None else assigned(out, result.nodes)

    return called


def assigned(x: Any, nodes: Any) -> Any:
    """Put nodes into a tensor, in place."""
    if not isinstance(x, TracedTensor):
        refuse("what is traced is written into a tensor of numbers, which was made elsewhere")
    nodes = as_nodes(nodes)
    if np.broadcast_shapes(nodes.shape, x.nodes.shape) != x.nodes.shape:
        raise RuntimeError(f"a tensor of the shape {tuple(x.shape)} gets {nodes.shape} in place")
    x.nodes[...] = nodes[()]
    return x


def _in_place(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, *args, **kwargs: assigned(x, function(x, *args, **kwargs))


def _sum(x: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None, **named: Any) -> Any:
    dim = named.get("axis", dim)
    return add_up(nodes_of(x), None if dim in (None, (), []) else dim, keepdim)


def _mean(x: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None, **named: Any) -> Any:
    total = _sum(x, dim, keepdim, **named)
    count = nodes_of(x).size // max(total.size, 1)
    return apply("div", total, constants(count))


def _norm(x: Any, p: Any = 2, dim: Any = None, keepdim: bool = False, **named: Any) -> Any:
    p = named.get("ord", p)
    if p not in (None, 2, 2.0, "fro"):
        refuse(f"a norm of the order {p} is not known")
    n = nodes_of(x)
    return apply("sqrt", add_up(apply("mul", n, n), dim, keepdim))


def _einsum(subscripts: Any, *operands: Any) -> Any:
    if str(subscripts).replace(" ", "") in ("i,i->", "i,i", "ij,ij->", "ij,ij"):
        return add_up(apply("mul", nodes_of(operands[0]), nodes_of(operands[1])))
    return refuse(f"torch.einsum({subscripts!r}, ...) is not known")


def _var(x: Any, *_: Any, **__: Any) -> Any:
    return refuse("torch.var is not known; write the sums")


SUMS: dict[str, Callable[..., Any]] = {
    "sum": _sum, "mean": _mean, "norm": _norm, "vector_norm": _norm, "linalg_norm": _norm,
    "linalg_vector_norm": _norm, "dot": lambda a, b: dot(nodes_of(a), nodes_of(b)),
    "inner": lambda a, b: dot(nodes_of(a), nodes_of(b)),
    "vdot": lambda a, b: dot(nodes_of(a), nodes_of(b)),
    "matmul": lambda a, b: dot(nodes_of(a), nodes_of(b)),
    "mm": lambda a, b: dot(nodes_of(a), nodes_of(b)),
    "mv": lambda a, b: dot(nodes_of(a), nodes_of(b)),
    "__matmul__": lambda a, b: dot(nodes_of(a), nodes_of(b)), "einsum": _einsum,
}  # fmt: skip


def shape_of_sizes(sizes: Any) -> Any:
    """The shape that is given as several numbers or as one tuple."""
    return tuple(sizes[0]) if len(sizes) == 1 and isinstance(sizes[0], tuple | list) else sizes


def _flattened(x: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    n = nodes_of(x)
    end = end_dim % max(n.ndim, 1)
    return n.reshape(*n.shape[:start_dim], -1, *n.shape[end + 1 :])


MOVED: dict[str, Callable[..., Any]] = {
    "view": lambda x, *s: nodes_of(x).reshape(shape_of_sizes(s)),
    "reshape": lambda x, *s: nodes_of(x).reshape(shape_of_sizes(s)),
    "view_as": lambda x, y: nodes_of(x).reshape(tuple(y.shape)),
    "reshape_as": lambda x, y: nodes_of(x).reshape(tuple(y.shape)),
    "flatten": _flattened,
    "ravel": lambda x: nodes_of(x).reshape(-1),
    "unsqueeze": lambda x, dim: np.expand_dims(nodes_of(x), dim),
    "squeeze": lambda x, *d: nodes_of(x).squeeze(*d),
    "expand": lambda x, *s: np.broadcast_to(nodes_of(x), shape_of_sizes(s)),
    "expand_as": lambda x, y: np.broadcast_to(nodes_of(x), tuple(y.shape)),
    "broadcast_to": lambda x, s: np.broadcast_to(nodes_of(x), tuple(s)),
    "t": lambda x: nodes_of(x).T,
    "T.__get__": lambda x: nodes_of(x).T,
    "transpose": lambda x, a, b: nodes_of(x).swapaxes(a, b),
    "permute": lambda x, *d: nodes_of(x).transpose(shape_of_sizes(d)),
    "cat": lambda xs, dim=0: np.concatenate([nodes_of(x) for x in xs], dim),
    "concat": lambda xs, dim=0: np.concatenate([nodes_of(x) for x in xs], dim),
    "stack": lambda xs, dim=0: np.stack([nodes_of(x) for x in xs], dim),
    "__getitem__": lambda x, at: nodes_of(x)[_index(at)],
    "select": lambda x, dim, k: np.take(nodes_of(x), k, dim),
    "narrow": lambda x, dim, start, n: np.moveaxis(
        np.moveaxis(nodes_of(x), dim, 0)[start : start + n], 0, dim
    ),
    # the same numbers, in memory of their own
    "clone": lambda x, **_: nodes_of(x).copy(),
    "contiguous": lambda x, **_: nodes_of(x),
    "detach": nodes_of,
    "data.__get__": nodes_of,
    "alias": nodes_of,
    "cpu": nodes_of, "cuda": lambda x, *_: nodes_of(x),
    "double": nodes_of, "real.__get__": nodes_of,
    "positive": nodes_of, "__pos__": nodes_of,
    "item": lambda x: nodes_of(x).reshape(-1)[0],
    "squeeze_copy": nodes_of,
}  # fmt: skip


def _index(at: Any) -> Any:
    for part in at if isinstance(at, tuple) else (at,):
        if isinstance(part, TracedTensor):
            refuse("a tensor is indexed by values that are computed")
    return at


def _converted(x: Any, *args: Any, **kwargs: Any) -> Any:
    for kind in (a for a in (*args, *kwargs.values()) if isinstance(a, torch.dtype)):
        name = str(kind).removeprefix("torch.")
        why = f"numbers are rounded to {name}" if name == "bfloat16" else why_not_read(name)
        if why is not None:
            refuse(why)
    return x


def _cast_to(kind: torch.dtype) -> Callable[..., Any]:
    return lambda x, **_: _converted(x, kind)


def _compared(name: str) -> Callable[..., Any]:
    def function(a: Any, b: Any) -> Any:
        left, right = nodes_of(a), nodes_of(b)
        answers = [
            decided(name, *pair)
            for pair in set(zip(*(n.flat for n in np.broadcast_arrays(left, right)), strict=True))
        ]
        if None in answers:
            refuse("the code compares values that change from step to step, which is a branch")
        if len(set(answers)) != 1:
            refuse("the code compares numbers of which some are larger, which is a branch")
        shape = np.broadcast_shapes(left.shape, right.shape)
        return torch.full(shape, answers[0]) if shape else answers[0]

    return function


def _refusing(what: str) -> Callable[..., Any]:
    def function(*_: Any, **__: Any) -> Any:
        refuse(what)

    return function


def _filled(x: Any, value: Any) -> Any:
    return assigned(x, np.broadcast_to(nodes_of(value), nodes_of(x).shape))


def _set_grad(x: Any, value: Any) -> None:
    x.slope = value


def _set_item(x: Any, at: Any, value: Any) -> None:
    if not isinstance(x, TracedTensor):
        refuse("what is traced is written into a tensor of numbers, which was made elsewhere")
    x.nodes[_index(at)] = nodes_of(value)[()]


def _detach_in_place(x: Any) -> Any:
    return x


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{n: _new(f) for n, f in {**COMPUTED, **SUMS}.items()},
    **{f"{n}_": _in_place(f) for n, f in COMPUTED.items()},
    **{n: lambda *a, f=f, **k: tensor(f(*a, **k)) for n, f in MOVED.items()},
    **{n: lambda a, b=None, op=op: tensor(COMPUTED[op](*([a] if b is None else [a, b])))
       for n, op in DUNDERS.items() if not n.startswith("__i")},
    **{n: lambda a, b, op=op: assigned(a, COMPUTED[op](a, b))
       for n, op in DUNDERS.items() if n.startswith("__i")},
    **{n: lambda a, b, op=op: tensor(COMPUTED[op](b, a)) for n, op in REFLECTED.items()},
    **{n: _compared(c) for n, c in COMPARISONS.items()},
    **{f"__{n}__": _compared(c) for n, c in COMPARISONS.items()},
    **{n: _refusing(f"torch.{n} is a branch on values") for n in BRANCHES},
    "to": _converted, "type": _converted, "type_as": lambda x, y: x,
    "float": _cast_to(torch.float32),
    "half": _cast_to(torch.float16), "bfloat16": _cast_to(torch.bfloat16),
    "detach_": _detach_in_place, "zero_": lambda x: _filled(x, 0),
    "fill_": _filled, "copy_": lambda x, y, *_: assigned(x, np.broadcast_to(nodes_of(y),
        nodes_of(x).shape)),
    "data.__set__": lambda x, y: assigned(x, nodes_of(y)),
    "grad.__get__": lambda x: x.slope, "grad.__set__": _set_grad,
    "grad.__delete__": lambda x: _set_grad(x, None),
    "__setitem__": _set_item,
    "__bool__": _refusing("the code branches on a value that changes from step to step"),
    "__float__": _refusing("what is traced is turned into a float"),
    "__int__": _refusing("what is traced is turned into an integer"),
    "__index__": _refusing("a number that is traced is used as a count or an index"),
    "tolist": lambda x: [tensor(as_nodes(n)) for n in nodes_of(x)],
    "numpy": _refusing("what is traced is turned into an array of numpy"),
    "broadcast_tensors": lambda *xs: tuple(
        map(tensor, np.broadcast_arrays(*(nodes_of(x) for x in xs)))
    ),
    "__iter__": lambda x: iter([tensor(as_nodes(n)) for n in nodes_of(x)]),
    "unbind": lambda x, dim=0: tuple(tensor(as_nodes(n)) for n in np.moveaxis(nodes_of(x), dim, 0)),
    "split": lambda x, n, dim=0: tuple(tensor(p) for p in np.split(nodes_of(x),
        range(n, nodes_of(x).shape[dim], n) if isinstance(n, int) else np.cumsum(n)[:-1], dim)),
    "is_nonzero": _refusing("the code branches on a value that changes from step to step"),
}  # fmt: skip
