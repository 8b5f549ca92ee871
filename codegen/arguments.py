"""Checks of the plain arguments of ``sample``."""

from __future__ import annotations

import math
import operator
from typing import Any

from recipe.errors import RecipeError

LARGEST_SEED = 2**64 - 1


def whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """The argument as an int within bounds."""
    try:
        number = operator.index(value)
    except TypeError:
        raise RecipeError(f"{name}={value!r} must be a whole number, at least {least}") from None
    if isinstance(value, bool) or number < least or (most is not None and number > most):
        raise RecipeError(f"{name}={value!r} must be a whole number, at least {least}" + (f" and at most {most}" if most else ""))
    return number


def positive(name: str, value: Any) -> float:
    """The argument as a finite float above zero."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise RecipeError(f"{name}={value!r} must be a number above 0") from None
    if not (math.isfinite(number) and number > 0):
        raise RecipeError(f"{name}={value!r} must be a finite number above 0")
    return number
