"""The function of Python behind what wraps it: ``jax.jit``, Numba, ``functools.partial``."""

from __future__ import annotations

import dis
import functools
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from recipe.lifting.tree.place import is_users

DEPTH = 4  # of functions that a function calls


def python_function(function: Any) -> Any:
    """Return the function that is read: the one of Python where Numba or ``jax.jit`` compile it,
    with the arguments that ``functools.partial`` and methods give it.
    """
    if isinstance(function, functools.partial):
        inner = python_function(function.func)
        if inner is function.func:
            return function
        return functools.partial(inner, *function.args, **function.keywords)
    if isinstance(function, MethodType):
        inner = python_function(function.__func__)
        return function if inner is function.__func__ else MethodType(inner, function.__self__)
    if _is_jitted(function):
        return python_function(function.__wrapped__)
    return getattr(function, "py_func", function)


def compiled_by_jax(function: Any) -> bool:
    """Whether a function is one that ``jax.jit`` has made, or calls one with arguments of its own
    as ``functools.partial`` and methods do.
    """
    inner = getattr(function, "func", None) or getattr(function, "__func__", None)
    return _is_jitted(function) or (callable(inner) and compiled_by_jax(inner))


def _is_jitted(function: Any) -> bool:
    return hasattr(function, "__wrapped__") and type(function).__module__.startswith("jaxlib")


def innermost(function: Any) -> Any:
    """Return the function whose text is behind all wrappers, those of ``jax.vmap`` among them."""
    for _ in range(100):
        inner = _behind(function)
        if inner is None:
            break
        function = inner
    return function


def _behind(function: Any) -> Any:
    if isinstance(function, FunctionType):
        return getattr(function, "__wrapped__", None)
    if isinstance(function, MethodType):
        return function.__func__
    if isinstance(function, functools.partial):
        return function.func
    for name in ("py_func", "__wrapped__"):
        if callable(getattr(function, name, None)):
            return getattr(function, name)
    call = getattr(type(function), "__call__", None)  # noqa: B004
    return call if isinstance(call, FunctionType) else None


def values_used(function: Callable[..., Any], depth: int = DEPTH) -> Iterator[Any]:
    """The values that the text of a function names: global variables and those that it closes
    over, and the same of the functions among them.
    """
    yield from _used(function, depth, set())


def _used(function: Any, depth: int, met: set[int]) -> Iterator[Any]:
    f = innermost(function)
    if not isinstance(f, FunctionType) or id(f) in met or depth == 0:
        return
    met.add(id(f))
    named = [f.__globals__[n] for n in _global_names(f.__code__) if n in f.__globals__]
    for value in (*named, *_closed_over(f)):
        yield value
        text = getattr(innermost(value), "__code__", None)
        if isinstance(text, CodeType) and is_users(text.co_filename):
            yield from _used(value, depth - 1, met)


def _closed_over(f: FunctionType) -> Iterator[Any]:
    for cell in f.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # it is not bound yet
            continue


def _global_names(code: CodeType) -> Iterator[str]:
    """The global variables that a text reads, those of the functions inside it among them."""
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield str(step.argval)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _global_names(inner)


def methods_called(function: Any) -> set[str]:
    """The names of attributes in the text of a function."""
    code = getattr(innermost(function), "__code__", None)
    return set(code.co_names) if isinstance(code, CodeType) else set()


def library_of_value(value: Any) -> str:
    """The name of the library that a value is, or comes from."""
    made_by = type(value).__module__.partition(".")[0]
    if made_by == "jaxlib":  # arrays of JAX, and functions that it has compiled
        return "jax"
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return name.partition(".")[0] if isinstance(name, str) else made_by
