"""Checks of the plain arguments of ``sample``."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Mapping
from typing import Any

from recipe.language.errors import RecipeError
from recipe.language.numbers import plain_number

LARGEST_SEED = 2**64 - 1
LARGEST_COUNT = 2**62  # what a kernel can count to
LEAST, MOST = math.ulp(0.0), sys.float_info.max
LONGEST = 60  # characters of a value in a message


def worded(value: Any) -> str:
    """A value as it is shown in a message: on one line, not long, and without failing."""
    try:
        text = " ".join(repr(value).split())
    except (
        Exception
    ):  # Python prints no integer of more than 4300 digits, and a class may do what it likes
        return f"<{type(value).__name__}>"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def whole(name: str, value: Any, least: int, most: int = LARGEST_COUNT) -> int:
    """The argument as an int within bounds."""
    try:
        number = operator.index(value)
    except TypeError:
        raise RecipeError(
            f"{name}={worded(value)} must be a whole number, at least {least}"
        ) from None
    if isinstance(value, bool) or not least <= number <= most:
        bound = f" and at most {most}" if number > most else ""
        raise RecipeError(f"{name}={worded(value)} must be a whole number, at least {least}{bound}")
    return number


def mapping(name: str, value: Any) -> Mapping[Any, Any]:
    """The argument as a dict; None is an empty one."""
    if value is not None and not isinstance(value, Mapping):
        raise RecipeError(f"{name}={worded(value)} must be a dict by name")
    return value or {}


def flag(name: str, value: Any) -> bool:
    """The argument as a truth value."""
    if not isinstance(value, bool):
        raise RecipeError(f"{name}={worded(value)} must be True or False")
    return value


def positive(name: str, value: Any) -> float:
    """The argument as a finite float above zero; True, text and the like are none."""
    try:
        number = plain_number(value)
    except (TypeError, ValueError):
        raise RecipeError(f"{name}={worded(value)} must be a number above 0") from None
    except OverflowError:
        number = math.inf
    if not (math.isfinite(number) and number > 0):
        bounds = (
            f" between {LEAST:.2g} and {MOST:.2g}, as floats are"
            if number in (0.0, math.inf)
            else ""
        )
        raise RecipeError(f"{name}={worded(value)} must be a finite number above 0{bounds}")
    return number
