"""Checks of the plain arguments of ``sample`` and ``generate``: numbers, truth values and dicts.

Each function takes the name of the argument, which its message shows, and the value that was given.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Mapping
from typing import Any

from recipe.declare.posterior import Posterior
from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.kernel import Kernel
from recipe.language.errors import RecipeError
from recipe.language.numbers import plain_number

MAX_SEED = 2**64 - 1
MAX_COUNT = 2**62  # a kernel counts steps in int64
SMALLEST_FLOAT, LARGEST_FLOAT = math.ulp(0.0), sys.float_info.max
MAX_SHOWN_CHARS = 60  # of a value in a message


def short_text(value: Any) -> str:
    """Return the value as a message shows it: its ``repr`` in one line and cut after
    ``MAX_SHOWN_CHARS``, or the name of its class where ``repr`` fails.
    """
    try:
        text = " ".join(repr(value).split())
    except Exception:  # Python prints no integer of over 4300 digits, and any class may raise
        return f"<{type(value).__name__}>"
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}..."


def require_sampler(what: Any, example: str) -> None:
    """Require a declaration that can be sampled with.

    Args:
        what: the value that was given as the sampler.
        example: the call that a user should write.

    Raises:
        RecipeError: for a posterior in its place, a name, or anything else.
    """
    if isinstance(what, Posterior):
        raise RecipeError(f"the sampler comes first and the posterior second: {example}")
    if not isinstance(what, Recipe | Update | Kernel):
        raise RecipeError(
            f"{short_text(what)} is no sampler, which is a Recipe, an Update or a Kernel; import"
            " one, from catalog.hmc import hmc_kernel (`recipe list` shows the others), and write"
            f" {example}"
        )


def checked_integer(name: str, value: Any, least: int, most: int = MAX_COUNT) -> int:
    """Return the value as an int between ``least`` and ``most``.

    Raises:
        RecipeError: where it is no integer, is True or False, or lies outside of these bounds.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise RecipeError(
            f"{name}={short_text(value)} must be a whole number, at least {least}"
        ) from None
    if isinstance(value, bool) or not least <= number <= most:
        bound = f" and at most {most}" if number > most else ""
        raise RecipeError(
            f"{name}={short_text(value)} must be a whole number, at least {least}{bound}"
        )
    return number


def checked_mapping(name: str, value: Any) -> Mapping[Any, Any]:
    """Return the value, which must be a dict; an empty dict for None.

    Raises:
        RecipeError: where it is neither.
    """
    if value is not None and not isinstance(value, Mapping):
        raise RecipeError(f"{name}={short_text(value)} must be a dict by name")
    return value or {}


def checked_flag(name: str, value: Any) -> bool:
    """Return the value, which must be True or False.

    Raises:
        RecipeError: where it is neither.
    """
    if not isinstance(value, bool):
        raise RecipeError(f"{name}={short_text(value)} must be True or False")
    return value


def checked_positive(name: str, value: Any) -> float:
    """Return the value as a finite float above 0.

    Raises:
        RecipeError: where it is not a number (text, True and False are none), is 0 or below, or
            overflows or underflows a float.
    """
    try:
        number = plain_number(value)
    except (TypeError, ValueError):
        raise RecipeError(f"{name}={short_text(value)} must be a number above 0") from None
    except OverflowError:
        number = math.inf
    if not (math.isfinite(number) and number > 0):
        bounds = (
            f" between {SMALLEST_FLOAT:.2g} and {LARGEST_FLOAT:.2g}, as floats are"
            if number in (0.0, math.inf) and number != value  # it lies outside of what floats hold
            else ""
        )
        raise RecipeError(f"{name}={short_text(value)} must be a finite number above 0{bounds}")
    return number
