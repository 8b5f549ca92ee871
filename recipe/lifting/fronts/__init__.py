"""The front ends: one for each kind of array that a function may be written for. Each runs the
function once, at given lengths, and returns the trees of what comes out.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from recipe.language.errors import RecipeError

if TYPE_CHECKING:
    from recipe.lifting.fronts.trace import Front

LIBRARIES = {"numpy": "NumpyFront", "jax": "JaxFront", "torch": "TorchFront"}


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
        module = importlib.import_module(f"recipe.lifting.fronts.{library}_front")
    except ModuleNotFoundError as error:
        raise RecipeError(
            f"to read code of {library}, {error.name} must be installed: pip install {error.name}"
        ) from None
    return getattr(module, LIBRARIES[library])()  # type: ignore[no-any-return]


def guessed_library(function: Callable[..., Any]) -> str:
    """The library that the names in a function, and its module, come from."""
    names = getattr(function, "__globals__", {})
    code = getattr(function, "__code__", None)
    used = [names.get(n) for n in (code.co_names if code is not None else ())]
    for value in (*used, *names.values()):
        module = getattr(value, "__name__", None) if type(value) is type(sys) else None
        top = (module or getattr(value, "__module__", None) or "").partition(".")[0]
        if top in LIBRARIES:
            return top
    return "numpy"


def library_of(front: Front) -> str:
    """The library of a front end with its version."""
    name = next(n for n, cls in LIBRARIES.items() if type(front).__name__ == cls)
    return f"{name} {importlib.metadata.version(name)}"
