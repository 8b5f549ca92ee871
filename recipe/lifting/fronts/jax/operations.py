"""What the operations of a jaxpr do to arrays of nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from recipe.lifting.fronts.jax.values import Unknown, is_array_of_objects, is_concrete, nodes
from recipe.lifting.tracing.nodes_of import add_up, apply, as_nodes, constants, dot
from recipe.lifting.tracing.precision import why_not_read
from recipe.lifting.tracing.signs import decided
from recipe.lifting.tree.node import GIVEN, made
from recipe.lifting.tree.place import here, refuse

UNARY = {
    "neg": "neg", "sqrt": "sqrt", "cbrt": "cbrt", "exp": "exp", "exp2": "exp2", "expm1": "expm1",
    "log": "log", "log1p": "log1p", "sin": "sin", "cos": "cos", "tan": "tan", "sinh": "sinh",
    "cosh": "cosh", "tanh": "tanh", "atan": "arctan", "logistic": "expit", "abs": "abs",
    "sign": "sign", "erf": "erf", "floor": "floor", "ceil": "ceil", "round": "round",
}  # fmt: skip
BINARY = {
    "add": "add", "add_any": "add", "sub": "sub", "mul": "mul", "div": "div", "pow": "pow",
    "max": "maximum", "min": "minimum",
}  # fmt: skip
COMPARISONS = {
    "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal",
    "ne": "not_equal",
}  # fmt: skip
MOVES = {
    "broadcast_in_dim", "reshape", "squeeze", "expand_dims", "transpose", "slice", "dynamic_slice",
    "dynamic_update_slice", "concatenate", "rev", "gather", "scatter", "pad", "copy", "copy_p",
    "split", "device_put", "stop_gradient",
}  # fmt: skip
# The arguments of a move that say where, and are no numbers that are moved.
INDICES = {"dynamic_slice": 1, "dynamic_update_slice": 2, "gather": 1}

# The operations that make random numbers of a key, or of the words of one.
DRAWS = {"random_bits", "random_gamma", "rng_bit_generator", "threefry2x32"}


def names_in(equation: Any) -> set[str]:
    """The names of an operation and of all operations that it calls: those of its jaxprs, of the
    branches and the bodies of loops among them.
    """
    found = {equation.primitive.name}
    for value in equation.params.values():
        for inner in value if isinstance(value, tuple | list) else (value,):
            jaxpr = getattr(inner, "jaxpr", inner)
            for called in getattr(jaxpr, "eqns", ()):
                found |= names_in(called)
    return found


def bindable(equation: Any) -> dict[str, Any]:
    """The parameters with which an operation is carried out."""
    params = equation.primitive.get_bind_params(equation.params)
    return params[1] if isinstance(params, tuple) else params  # type: ignore[no-any-return]


def given(x: list[Any], params: Any) -> Any:
    """The values of a function that is given, at a point."""
    args, counts = [], []
    for array, is_vector in zip(x, params["vectors"], strict=True):
        args += list(nodes(array).flat)
        counts.append(nodes(array).size if is_vector else -1)
    shape = params["shape"]
    out = np.empty(shape, dtype=object)
    for i, at in enumerate(np.ndindex(shape)):
        data = (params["name"], i if shape else None, *counts)
        out[at] = made(GIVEN, tuple(args), data)
    return out


def moved_by_jax(name: str, x: list[Any], equation: Any) -> Any:
    """Let JAX move the numbers of positions, and put the nodes there."""
    if name in ("copy", "copy_p", "device_put", "stop_gradient"):
        return x[0]
    count = INDICES.get(name, len(x))
    if name == "scatter":
        moved, where = [x[0], x[2]], [x[1]]
    else:
        moved, where = x[:count], x[count:]
    if not all(is_concrete(w) for w in where):
        return Unknown("an array is indexed by values that are computed", here())
    flat: list[Any] = []
    positions = []
    for array in moved:
        objects = array if is_array_of_objects(array) else constants(np.asarray(array))
        start = len(flat)
        flat += list(objects.flat)
        positions.append(np.arange(start, len(flat), dtype=np.int64).reshape(objects.shape))
    if name == "scatter":
        arguments = [positions[0], where[0], positions[1]]
    else:
        arguments = [*positions, *where]
    out = equation.primitive.bind(*(jax.numpy.asarray(a) for a in arguments), **bindable(equation))
    return [_picked(flat, o) for o in out] if isinstance(out, list | tuple) else _picked(flat, out)


def _picked(flat: list[Any], positions: Any) -> Any:
    positions = np.asarray(positions)
    out = np.empty(positions.shape, dtype=object)
    for at in np.ndindex(positions.shape):
        out[at] = flat[positions[at]]
    return out


def compared(name: str, a: Any, b: Any) -> Any:
    """The answer to a comparison that the declared signs of parameters decide."""
    if a.ndim == b.ndim == 0:
        answer = decided(name, a[()], b[()])
        if answer is not None:
            return np.asarray(answer)
    return Unknown("the code compares values that change from step to step", here())


def _power(x: list[Any], params: Any) -> Any:
    return apply("pow", x[0], constants(params["y"]))


def _dot_general(x: list[Any], params: Any) -> Any:
    (left, right), (batch, _) = params["dimension_numbers"]
    if batch:
        refuse("a product of batches of matrices is not known")
    a = np.moveaxis(x[0], left, range(-len(left), 0))
    b = np.moveaxis(x[1], right, range(len(right)))
    kept_a, kept_b = a.shape[: a.ndim - len(left)], b.shape[len(right) :]
    flat = dot(a.reshape(int(np.prod(kept_a)), -1), b.reshape(-1, int(np.prod(kept_b))))
    return flat.reshape((*kept_a, *kept_b))


def _converted(x: list[Any], params: Any) -> Any:
    kind = np.dtype(params["new_dtype"])
    if kind.kind == "c":
        refuse("complex numbers have no place in a rule")
    reason = why_not_read(kind)
    return x[0] if reason is None else Unknown(reason, here())


def _selected(x: list[Any], params: Any) -> Any:
    if not is_concrete(x[0]):
        return Unknown("the code selects by a comparison of values", here())
    which = np.asarray(x[0]).astype(int)
    cases = [nodes(c) for c in x[1:]]
    out = np.empty(cases[0].shape, dtype=object)
    which = np.broadcast_to(which, out.shape)
    for at in np.ndindex(out.shape):
        out[at] = cases[which[at]][at]
    return out


def _rsqrt(x: list[Any], params: Any) -> Any:
    return apply("div", constants(1), apply("sqrt", x[0]))


def _square(x: list[Any], params: Any) -> Any:
    return apply("mul", x[0], x[0])


def _summed(x: list[Any], params: Any) -> Any:
    return as_nodes(add_up(x[0], params["axes"]))


OTHERS: dict[str, Callable[[list[Any], Any], Any]] = {
    "integer_pow": _power,
    "dot_general": _dot_general,
    "convert_element_type": _converted,
    "reduce_precision": lambda x, params: x[0],
    "select_n": _selected,
    "rsqrt": _rsqrt,
    "square": _square,
    "reduce_sum": _summed,
}
