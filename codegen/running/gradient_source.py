"""The text of a gradient of one's own, by which a checkpoint knows it again."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping
from functools import partial
from types import FunctionType, MethodType
from typing import Any

import numpy as np

LIBRARIES = {"builtins", "jax", "jaxlib", "math", "numba", "numpy", "scipy", "tensorflow", "torch"}


def source_text(function: Any) -> str:
    """Return the text of a function, of the functions that it calls, and of the values of its
    globals. Two functions with equal texts compute the same, as far as this can be seen.
    """
    texts: dict[Any, str] = {}
    _collect_sources(getattr(function, "function", function), texts)
    return "\n".join(texts.values())


def _collect_sources(function: Any, texts: dict[Any, str]) -> None:
    plain = _plain(function)
    if id(plain) in texts or not callable(plain):
        return
    if _is_of_a_library(plain) or isinstance(plain, type):
        texts[id(plain)] = f"{plain.__module__}.{getattr(plain, '__qualname__', '')}"
        return
    if not isinstance(plain, FunctionType):  # an object: what it is made of, and its method
        texts[id(plain)] = f"{type(plain).__module__}.{type(plain).__qualname__}"
        _collect_values(plain, _made_of(plain), texts)
        return
    try:
        texts[id(plain)] = inspect.getsource(plain)
    except (OSError, TypeError):  # typed at a prompt, so that only its bytecode is known
        texts[id(plain)] = repr(plain.__code__.co_code) + repr(plain.__code__.co_consts)
    outside = inspect.getclosurevars(plain)
    _collect_values(plain, {**outside.globals, **outside.nonlocals}, texts)


def _is_of_a_library(function: Any) -> bool:
    """Return True for a function of a library, which has too many functions to read them all."""
    module = getattr(function, "__module__", None)
    return isinstance(module, str) and module.partition(".")[0] in LIBRARIES


def _plain(function: Any) -> Any:
    """Return the function of Python that a library has compiled or wrapped."""
    try:
        return inspect.unwrap(getattr(function, "py_func", function))
    except ValueError:  # it wraps itself
        return function


def _made_of(value: Any) -> dict[str, Any]:
    """Return what an object that can be called is made of, by name."""
    if isinstance(value, partial):
        return {"func": value.func, "args": value.args, **value.keywords}
    if isinstance(value, MethodType):
        return {"func": value.__func__, **getattr(value.__self__, "__dict__", {})}
    method = vars(type(value)).get("__call__")
    own = {"call": method} if isinstance(method, FunctionType) else {}
    return {**own, **getattr(value, "__dict__", {})}


def _collect_values(owner: Any, values: Mapping[str, Any], texts: dict[Any, str]) -> None:
    for name, value in sorted(values.items()):
        if isinstance(value, int | float | complex | str | tuple):
            texts[id(owner), name] = f"{name} = {value!r}"
        elif hasattr(value, "__array__"):
            array = np.asarray(value)
            texts[id(owner), name] = (
                f"{name} = {array.dtype} {array.shape}"
                f" {hashlib.sha256(array.tobytes()).hexdigest()}"
            )
        else:
            _collect_sources(value, texts)
