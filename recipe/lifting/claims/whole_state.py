"""Functions whose argument is a whole state, a tuple or a dictionary of arrays, as functions of
these arrays.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from sympy import Expr, Symbol

from recipe.language.blocks import Scalar, Vector
from recipe.lifting.claims.wrapped import innermost

CONTAINERS = (tuple, list, Mapping)


def of_single_arrays(
    function: Callable[..., Any], state: Any, returns: Any
) -> tuple[Callable[..., Any], Any, Any]:
    """Return a function of the single arrays of a state, with its state and what it returns.

    Args:
        function: the function, a Python function.
        state: the block of each argument, or a tuple, list or dictionary of blocks, and of numbers
            and letters.
        returns: what the outputs are; None for the blocks of the state in their order.

    Returns:
        What is given, where every argument is one block. Otherwise a function that puts the arrays
        together, calls the given one, and returns what that returns, or the parts of its arguments
        where it has replaced some and returns nothing.
    """
    if not isinstance(state, Mapping) or not any(isinstance(b, CONTAINERS) for b in state.values()):
        return function, state, returns
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return function, state, returns  # which is refused, as containers are no blocks
    leaves: dict[str, Any] = {}
    taken = set(signature.parameters)
    wholes = {
        a: _named(part, a, taken - {a} if isinstance(part, CONTAINERS) else set(), leaves)
        for a, part in state.items()
    }

    def step(**values: Any) -> Any:
        given = {a: _built(whole, values) for a, whole in wholes.items()}
        before = {n: values[n] for n in leaves}
        others = {n: v for n, v in values.items() if n not in leaves}
        result = _called(function, signature, {**others, **given})
        if result is not None:
            return result
        after = {n: v for a, whole in wholes.items() for n, v in _parts(whole, given[a])}
        if all(after[n] is before[n] for n in leaves):
            return None  # what has changed has changed in the arrays
        return given[next(iter(given))] if len(given) == 1 else tuple(given.values())

    step.__signature__ = _signature(signature, wholes, leaves)  # type: ignore[attr-defined]
    step.__name__ = getattr(function, "__name__", type(function).__name__)
    step.__qualname__ = getattr(function, "__qualname__", step.__name__)
    step.shown_at = getattr(innermost(function), "__code__", None)  # type: ignore[attr-defined]
    step.leaves = tuple(leaves)  # type: ignore[attr-defined]
    step.__wrapped__ = function  # type: ignore[attr-defined]
    if returns is None:
        parts = tuple(map(_blocks_alone, state.values()))
        returns = parts[0] if len(parts) == 1 else parts
    return step, leaves, returns


def _blocks_alone(part: Any) -> Any:
    """Return a part of a state with None, an output that does not matter, in the place of numbers
    and letters.
    """
    if isinstance(part, Mapping):
        return {k: _blocks_alone(p) for k, p in part.items()}
    if isinstance(part, tuple | list):
        return _like(part, [_blocks_alone(p) for p in part])
    return part if isinstance(part, Vector | Scalar) else None


def constants_apart(
    state: Mapping[str, Any], arguments: Mapping[str, Any], step: Symbol
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return the blocks among the single arrays of a state, and the arguments with the others: the
    numbers and letters that stand for a counter of steps, say. The step size is none of them.
    """
    others = {
        n: v
        for n, v in state.items()
        if not isinstance(v, Vector | Scalar)
        and v is not step
        and (isinstance(v, Expr | int | float) or hasattr(v, "dtype"))
    }
    return {n: v for n, v in state.items() if n not in others}, {**arguments, **others}


def _named(part: Any, name: str, taken: set[str], leaves: dict[str, Any]) -> Any:
    """Return a part of a state with names of arguments, which are not taken, in the place of its
    blocks.
    """
    if isinstance(part, Mapping):
        return {k: _named(p, f"{name}_{_word(k)}", taken, leaves) for k, p in part.items()}
    if isinstance(part, tuple | list):
        words = getattr(part, "_fields", range(len(part)))
        inner = [
            _named(p, f"{name}_{_word(k)}", taken, leaves) for k, p in zip(words, part, strict=True)
        ]
        return _like(part, inner)
    while name in taken or name in leaves:
        name += "_"
    leaves[name] = part
    return name


def _word(key: object) -> str:
    return "".join(c if c.isalnum() and c.isascii() else "_" for c in str(key))


def _like(part: Any, inner: list[Any]) -> Any:
    """Return a tuple or list of the same kind with other parts; a named one keeps its names."""
    return type(part)(*inner) if hasattr(part, "_fields") else type(part)(inner)


def _built(whole: Any, values: Mapping[str, Any]) -> Any:
    """Return a whole state with arrays in the place of their names."""
    if isinstance(whole, Mapping):
        return {k: _built(p, values) for k, p in whole.items()}
    if isinstance(whole, tuple | list):
        return _like(whole, [_built(p, values) for p in whole])
    return values[whole]


def _parts(whole: Any, value: Any) -> list[tuple[str, Any]]:
    """Return the arrays of a state after a call, each with its name."""
    if isinstance(whole, Mapping):
        return [x for k, p in whole.items() for x in _parts(p, value[k])]
    if isinstance(whole, tuple | list):
        return [x for p, v in zip(whole, value, strict=True) for x in _parts(p, v)]
    return [(whole, value)]


def _called(
    function: Callable[..., Any], signature: inspect.Signature, given: Mapping[str, Any]
) -> Any:
    bound = inspect.BoundArguments(
        signature,
        {n: given[n] for n in signature.parameters if n in given},  # type: ignore[arg-type]
    )
    rest = {n: v for n, v in given.items() if n not in signature.parameters}
    return function(*bound.args, **bound.kwargs, **rest)


def _signature(
    signature: inspect.Signature, wholes: Mapping[str, Any], leaves: Mapping[str, Any]
) -> inspect.Signature:
    """The arguments by name: arrays in the place of the states that they make."""
    kind = inspect.Parameter.KEYWORD_ONLY
    others = [p for n, p in signature.parameters.items() if n not in wholes]
    named = [
        p if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) else p.replace(kind=kind) for p in others
    ]
    last = [p for p in named if p.kind is p.VAR_KEYWORD]
    first = [p for p in named if p.kind is kind]
    return inspect.Signature([*(inspect.Parameter(n, kind) for n in leaves), *first, *last])
