"""Numbers for a symbol must be as it was declared: positive, whole, and so on."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from sympy import Symbol

from recipe.language.errors import RecipeError
from recipe.language.symbols import assumptions_of, name_of

SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "positive": operator.gt,
    "negative": operator.lt,
    "nonnegative": operator.ge,
    "nonpositive": operator.le,
    "nonzero": operator.ne,
}


def check_assumed(symbol: Symbol, array: np.ndarray, said: str) -> None:
    """Check numbers by the assumptions of their symbol; ``said`` is how they were given.

    Raises:
        RecipeError: for those that are not so.
    """
    for fact, truth in assumptions_of(symbol).items():
        if truth and not _holds(fact, array):
            raise RecipeError(f"{said} must be {fact}, as {name_of(symbol)} is declared")


def _holds(fact: str, array: np.ndarray) -> bool:
    if fact == "integer":
        return bool(np.all(array == np.round(array)))
    return fact not in SIGNS or bool(np.all(SIGNS[fact](array, 0.0)))
