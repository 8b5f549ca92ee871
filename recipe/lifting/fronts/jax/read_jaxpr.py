"""Read a jaxpr: carry out its operations on arrays of nodes.

What depends on no argument is computed by JAX itself. What a rule cannot say, such as a comparison
of values, is an ``Unknown`` until something that matters is computed of it.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from recipe.lifting.fronts.jax.keys import Half, Keys
from recipe.lifting.fronts.jax.operations import (
    BINARY,
    COMPARISONS,
    DRAWS,
    MOVES,
    OTHERS,
    UNARY,
    bindable,
    compared,
    given,
    moved_by_jax,
    names_in,
)
from recipe.lifting.fronts.jax.values import (
    Unknown,
    as_object,
    as_object_row,
    has_keys,
    is_concrete,
    is_words,
    nodes,
    stacked,
    wrapped,
)
from recipe.lifting.tracing.draws import Draws
from recipe.lifting.tracing.nodes_of import apply
from recipe.lifting.tracing.precision import why_not_read
from recipe.lifting.tree.place import Place, at_place, here, is_users, refuse

MAX_ROUNDS = 10_000  # of a loop
GIVEN_NAME = "recipe_given"  # the operation of a function that is given
NAMED_NORMAL = ("_normal", "_normal_real")


def line_of(equation: Any) -> Place | None:
    """The line of the user's code that an equation of a jaxpr comes from."""
    from jax._src import source_info_util

    info = equation.source_info
    try:
        frames = source_info_util.user_frames(info.traceback)
    except AttributeError:  # versions before 0.5 take all of it
        frames = source_info_util.user_frames(info)
    for frame in frames:
        if is_users(frame.file_name):
            return Place(frame.file_name, frame.start_line, frame.function_name)
    return None


class Reader:
    """Carries out the equations of jaxprs.

    Args:
        draws: where draws are recorded.
    """

    def __init__(self, draws: Draws) -> None:
        self.keys = Keys(draws)

    def read(self, closed: Any, inputs: list[Any]) -> list[Any]:
        """Return the values of the outputs of a closed jaxpr."""
        jaxpr, consts = closed.jaxpr, closed.consts
        values: dict[Any, Any] = dict(zip(jaxpr.constvars, consts, strict=True))
        values |= dict(zip(jaxpr.invars, inputs, strict=True))

        def of(atom: Any) -> Any:
            return np.asarray(atom.val) if hasattr(atom, "val") else values[atom]

        for equation in jaxpr.eqns:
            with at_place(line_of(equation)):
                out = self._carried_out(equation, [of(a) for a in equation.invars])
            values |= dict(zip(equation.outvars, out, strict=True))
        return [of(a) for a in jaxpr.outvars]

    def _carried_out(self, equation: Any, inputs: list[Any]) -> list[Any]:
        name, params = equation.primitive.name, equation.params
        names = names_in(equation) if all(is_concrete(x) for x in inputs) else set()
        if names & DRAWS or (name in DRAWS and is_concrete(inputs[0])):
            refuse(
                "the code draws from a key of its own, whose numbers are the same in each"
                " step; give the key as an argument, noise='key'"
            )
        if names and GIVEN_NAME not in names:
            out = equation.primitive.bind(*inputs, **bindable(equation))
            return list(out) if equation.primitive.multiple_results else [out]
        if name in ("scan", "while", "cond"):
            return getattr(self, f"_{name}")(inputs, params)  # type: ignore[no-any-return]
        inner = _inner(params)
        if inner is not None:
            if params.get("name") in NAMED_NORMAL:
                return [self._normal(inputs[0], equation.outvars[0].aval)]
            return self.read(inner, inputs)
        unknown = next((x for x in inputs if isinstance(x, Unknown)), None)
        if unknown is not None:
            return [unknown] * len(equation.outvars)
        out = self._simple(name, inputs, params, equation)
        return out if isinstance(out, list) else [out]

    def _simple(self, name: str, x: list[Any], params: Any, equation: Any) -> Any:
        if name == GIVEN_NAME:
            return given(x, params)
        if name in MOVES:
            return moved_by_jax(name, x, equation)
        if name.startswith("random_"):
            return self._random(name, x, params)
        if any(has_keys(v) for v in x):
            return Unknown("the words of a key are computed with", here())
        if name in UNARY:
            return apply(UNARY[name], nodes(x[0]))
        if name in BINARY:
            return apply(BINARY[name], nodes(x[0]), nodes(x[1]))
        if name in COMPARISONS:
            return compared(COMPARISONS[name], nodes(x[0]), nodes(x[1]))
        function = OTHERS.get(name)
        if function is None:
            refuse(f"the operation {name} of JAX is not known")
        return function([v if name == "select_n" else nodes(v) for v in x], params)

    # -- random numbers

    def _normal(self, keys: Any, drawn: Any) -> Any:
        keys, shape, kind = as_object(keys), drawn.shape, str(drawn.dtype)
        reason = why_not_read(drawn.dtype)
        if reason is not None:
            return Unknown(f"{reason}, when they are drawn", here())
        if isinstance(keys, Unknown):
            return keys
        if keys.ndim and is_words(keys):
            keys = wrapped(keys)
        if keys.ndim == 0:
            return self.keys.normal(keys[()], tuple(shape), kind)
        parts = [self.keys.normal(k, tuple(shape[keys.ndim :]), kind) for k in keys.flat]
        return np.stack(parts).reshape(shape)

    def _random(self, name: str, x: list[Any], params: Any) -> Any:
        keys = as_object(x[0])
        if name == "random_wrap":
            return wrapped(keys)
        if name == "random_unwrap":
            out = np.empty((*keys.shape, 2), dtype=object)
            for at in np.ndindex(keys.shape):
                out[at] = [Half(keys[at], 0), Half(keys[at], 1)]
            return out
        if name == "random_split":
            parts = [self.keys.split(k, params["shape"]) for k in keys.flat]
            return np.stack(parts).reshape(*keys.shape, *params["shape"])
        if name == "random_fold_in":
            if not is_concrete(x[1]):
                return Unknown("a number that is traced is folded into a key", here())
            data = np.broadcast_to(
                np.asarray(x[1]), np.broadcast_shapes(keys.shape, np.shape(x[1]))
            )
            keys = np.broadcast_to(keys, data.shape)
            out = np.empty(data.shape, dtype=object)
            for at in np.ndindex(data.shape):
                key: Any = keys[at]
                out[at] = self.keys.fold(key, int(data[at]))
            return out
        for k in keys.flat:
            self.keys.other(k, "random bits")
        return Unknown("random numbers that are not normal are drawn", here())

    # -- loops and branches

    def _scan(self, x: list[Any], params: Any) -> list[Any]:
        consts, carried = params["num_consts"], params["num_carry"]
        fixed, carry, rows = x[:consts], x[consts : consts + carried], x[consts + carried :]
        order = range(params["length"])
        if len(order) > MAX_ROUNDS:
            refuse(f"a loop of {len(order)} rounds; lift one of them")
        outputs: list[list[Any]] = []
        for k in reversed(order) if params["reverse"] else order:
            row = [r if isinstance(r, Unknown) else as_object_row(r, k) for r in rows]
            out = self.read(params["jaxpr"], [*fixed, *carry, *row])
            carry = out[:carried]
            outputs.append(out[carried:])
        if params["reverse"]:
            outputs.reverse()
        columns = zip(*outputs, strict=True) if outputs else []
        return [*carry, *(stacked(list(column)) for column in columns)]

    def _while(self, x: list[Any], params: Any) -> list[Any]:
        tests, bodies = params["cond_nconsts"], params["body_nconsts"]
        of_test, of_body, carry = x[:tests], x[tests : tests + bodies], x[tests + bodies :]
        for _ in range(MAX_ROUNDS):
            (goes_on,) = self.read(params["cond_jaxpr"], [*of_test, *carry])
            if not is_concrete(goes_on):
                place = goes_on.place if isinstance(goes_on, Unknown) else here()
                refuse("how often a loop is run depends on values", place)
            if not goes_on:
                return carry
            carry = self.read(params["body_jaxpr"], [*of_body, *carry])
        return refuse(f"a loop is run more than {MAX_ROUNDS} times")

    def _cond(self, x: list[Any], params: Any) -> list[Any]:
        if not is_concrete(x[0]):
            return [Unknown("the code branches on values", here())] * len(
                params["branches"][0].out_avals
            )
        return self.read(params["branches"][int(x[0])], x[1:])


def _inner(params: Any) -> Any:
    """The jaxpr that an operation calls; None for any other operation."""
    for name in ("jaxpr", "call_jaxpr", "fun_jaxpr"):
        inner = params.get(name)
        if inner is not None:
            return inner if hasattr(inner, "consts") else jax.extend.core.ClosedJaxpr(inner, ())
    return None
