"""The front ends: one for each kind of array that a function may be written for. Each runs the
function once, at given lengths, and returns the trees of what comes out.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from recipe.language.errors import RecipeError
from recipe.lifting.claims.wrapped import innermost, library_of_value, methods_called, values_used

if TYPE_CHECKING:
    from recipe.lifting.tracing.trace import Front

LIBRARIES = {"numpy": "NumpyFront", "jax": "JaxFront", "torch": "TorchFront"}
METHODS_OF_GENERATORS = {"normal", "standard_normal", "randn"}


def front_of(function: Callable[..., Any], library: str | None) -> Front:
    """Return the front end for a function.

    Args:
        function: the function.
        library: the library whose arrays it works on; None to find it out.

    Raises:
        RecipeError: for a library that has no front end, or is not installed.
    """
    library = library or guessed_library(function)
    if library not in LIBRARIES:
        raise RecipeError(f"library={library!r} must be one of {', '.join(LIBRARIES)}")
    try:
        module = importlib.import_module(f"recipe.lifting.fronts.{library}.front")
    except ModuleNotFoundError as error:
        raise RecipeError(
            f"to read code of {library}, {error.name} must be installed: pip install {error.name}"
        ) from None
    return getattr(module, LIBRARIES[library])()  # type: ignore[no-any-return]


def guessed_library(function: Callable[..., Any]) -> str:
    """The library that the function itself uses; of one that uses none, that of its module.

    Code of JAX and PyTorch may use numpy for numbers, so one of these two goes before numpy.
    """
    used = {library_of_value(v) for v in values_used(function)}
    for name in ("jax", "torch", "numpy"):
        if name in used:
            return name
    if methods_called(function) & METHODS_OF_GENERATORS:
        return "numpy"  # keys of JAX have no methods, and tensors others
    names = getattr(innermost(function), "__globals__", {})
    return next((x for x in map(library_of_value, names.values()) if x in LIBRARIES), "numpy")


def library_of(front: Front) -> str:
    """The library of a front end with its version."""
    name = next(n for n, cls in LIBRARIES.items() if type(front).__name__ == cls)
    return f"{name} {importlib.metadata.version(name)}"
