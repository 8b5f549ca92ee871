"""What a value of Python is made of, as far as a checkpoint compares it.

Numbers and text are themselves. Containers and objects have parts, each with a path; functions and
classes are read by ``gradient_source``. Of what a library made, only its arrays and functions are
known, as its objects hold caches and addresses that differ from run to run.
"""

from __future__ import annotations

import enum
import os
import sys
from collections import deque
from collections.abc import Iterable, Mapping, Set
from functools import partial
from pathlib import Path
from types import MappingProxyType, MethodType, ModuleType, NoneType, SimpleNamespace
from typing import Any

import numpy as np

from codegen.inputs.gradients.python_gradient import as_numpy

LIBRARIES = {
    *("cupy", "jax", "jaxlib", "numba", "numpy", "scipy", "tensorflow", "torch", "sympy"),
    *("catalog", "codegen", "recipe", "recipe_sampler", "verify"),
}
OF_PYTHON = Path(os.__file__).parent
PLACES = {"site-packages", "dist-packages"}  # where other libraries are installed
ATOMS = (NoneType, bool, int, float, complex, str, bytes, type(...), type(NotImplemented), range)
WRITTEN_OUT = {"datetime", "decimal", "fractions", "numpy.dtypes", "pathlib", "uuid"}  # by repr
EXPRESSIONS = {"recipe", "sympy"}  # libraries whose objects are known by what they are printed as
MANY = 100  # values of a container from which on they are compared together
SILENT = {"_thread", "abc", "contextvars", "logging", "threading", "typing", "weakref", "_weakref"}

Parts = Mapping[str, Any]  # by what stands behind the path of the whole


class UnreadError(Exception):
    """A value cannot be read."""


def is_plain(value: Any) -> bool:
    """Return True if the value is known by its text."""
    if isinstance(value, tuple | frozenset):
        return type(value) in (tuple, frozenset) and all(map(is_plain, value))
    module = type(value).__module__
    return type(value) in ATOMS or bool({module, module.partition(".")[0]} & WRITTEN_OUT)


def plain_text(value: Any) -> str:
    """Return the text of a plain value; that of a set does not depend on the order in which its
    items are stored.
    """
    if isinstance(value, Set):
        return f"{type(value).__name__} {sorted(plain_text(v) for v in value)}"
    if isinstance(value, tuple):
        return f"({', '.join(map(plain_text, value))})"
    return f"{type(value).__name__} {value!r}"


def is_array(value: Any) -> bool:
    """Return True for an array of any library, and a number of numpy."""
    kind = type(value)
    return not isinstance(value, type) and (
        hasattr(kind, "__array__") or hasattr(kind, "__cuda_array_interface__")
    )


def numbers_of(value: Any) -> np.ndarray:
    """Return an array of any library as one of numpy.

    Raises:
        UnreadError: where the library does not give it.
    """
    try:
        return as_numpy(value)
    except Exception as error:  # whatever the library behind it says
        raise UnreadError from error


def is_of_a_library(module: Any) -> bool:
    """Return True for the name of a module of Python, of this toolkit, or of a library that
    gradients are computed with. They have too many functions to read them all.
    """
    if not isinstance(module, str):
        return False
    top = module.partition(".")[0]
    if top not in sys.stdlib_module_names:
        return top in LIBRARIES
    file = getattr(sys.modules.get(top), "__file__", None)  # a user's file may have such a name
    return file is None or OF_PYTHON in Path(file).parents


def is_installed(module: Any) -> bool:
    """Return True for the name of a module of a library, of whatever kind."""
    if is_of_a_library(module):
        return True
    if not isinstance(module, str):
        return False
    file = getattr(sys.modules.get(module), "__file__", None)
    return isinstance(file, str) and bool(PLACES & set(Path(file).parts))


def kind_of(value: Any) -> str:
    """Return the name of the class of a value."""
    return f"{type(value).__module__}.{type(value).__qualname__}"


def parts_of(value: Any) -> tuple[str, Parts]:
    """Return the text of a value without its parts, and its parts.

    Raises:
        UnreadError: where it is made of something that cannot be read.
    """
    kind = kind_of(value)
    if isinstance(value, enum.Enum):
        return f"{kind}.{value.name}", {".value": value.value}
    if isinstance(value, Mapping | MappingProxyType):
        return _parts_of_mapping(kind, value)
    if isinstance(value, list | tuple | deque):
        return _parts_of_sequence(kind, list(value))
    if isinstance(value, Set):
        if not all(map(is_plain, value)):
            raise UnreadError
        return f"{kind} {sorted(map(plain_text, value))}", {}
    if type(value).__module__.partition(".")[0] in EXPRESSIONS:
        return f"{kind} {value}", {}
    if isinstance(value, partial):
        return kind, {".func": value.func, ".args": value.args, ".keywords": value.keywords}
    if isinstance(value, MethodType):
        return kind, {".__func__": value.__func__, ".__self__": value.__self__}
    if isinstance(value, staticmethod | classmethod):
        return kind, {"": value.__func__}
    if isinstance(value, property):
        return kind, {".fget": value.fget}
    return kind, _parts_of_object(value)


def _parts_of_mapping(kind: str, value: Mapping[Any, Any]) -> tuple[str, Parts]:
    keys = list(value)
    if not all(map(is_plain, keys)):
        raise UnreadError
    if len(keys) > MANY and all(map(is_plain, value.values())):
        items = ((plain_text(k), plain_text(v)) for k, v in value.items())
        return f"{kind} {list(items)}", {}
    return f"{kind} {list(map(plain_text, keys))}", {f"[{k!r}]": v for k, v in value.items()}


def _parts_of_sequence(kind: str, values: list[Any]) -> tuple[str, Parts]:
    if all(map(is_plain, values)):
        return f"{kind} {list(map(plain_text, values))}", {}
    return f"{kind} of {len(values)}", {f"[{n}]": v for n, v in enumerate(values)}


def _parts_of_object(value: Any) -> Parts:
    module = type(value).__module__
    if hasattr(value, "state_dict"):  # a module of PyTorch: its own fields are public
        fields = getattr(value, "__dict__", {})
        fields = {k: v for k, v in fields.items() if not k.startswith("_")}
        return _named({**fields, **value.state_dict()})
    if hasattr(value, "tocoo"):  # a sparse matrix of scipy
        found = value.tocoo()
        return {".format": value.format, ".data": found.data, ".shape": tuple(found.shape)} | {
            f".coords[{n}]": c for n, c in enumerate((found.row, found.col))
        }
    if hasattr(value, "__wrapped__") and is_installed(module):  # what jax.jit returned
        return {".__wrapped__": value.__wrapped__}
    if isinstance(value, ModuleType) or module.partition(".")[0] in SILENT:
        return {}
    if isinstance(value, SimpleNamespace):
        return _named(vars(value))
    if type(value) is object:
        return {}  # a mark
    owner = getattr(value, "__self__", None)
    if callable(value) and owner is not None and not isinstance(owner, ModuleType):
        return {".__self__": owner}  # a method of C, such as array.dot
    if is_installed(module):
        raise UnreadError
    return _named({**getattr(value, "__dict__", {}), **_slots(value)})


def _named(values: Mapping[str, Any]) -> Parts:
    return {f".{name}": value for name, value in sorted(values.items())}


def _slots(value: Any) -> dict[str, Any]:
    """Return what an object holds without a dict."""
    declared: Iterable[Any] = (vars(c).get("__slots__", ()) for c in type(value).__mro__)
    names = [n for s in declared for n in ((s,) if isinstance(s, str) else s)]
    return {n: getattr(value, n) for n in names if not n.startswith("__") and hasattr(value, n)}
