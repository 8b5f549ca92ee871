"""Check the numbers given for a symbol against the assumptions that it was declared with."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from sympy import Symbol

from recipe.language.errors import RecipeError
from recipe.language.symbols import assumptions_of, name_of

SIGN_TESTS: dict[str, Callable[[Any, Any], Any]] = {
    "positive": operator.gt,
    "negative": operator.lt,
    "nonnegative": operator.ge,
    "nonpositive": operator.le,
    "nonzero": operator.ne,
}


def check_assumed(symbol: Symbol, array: np.ndarray, place: str) -> None:
    """Require that every number satisfies the assumptions of its symbol.

    Args:
        symbol: the declared symbol.
        array: the numbers, of any shape.
        place: how the user gave the numbers, such as ``params["A"] = -1``, for the message.

    Raises:
        RecipeError: naming the assumption that a number violates.
    """
    for fact, truth in assumptions_of(symbol).items():
        if truth and not _holds(fact, array):
            raise RecipeError(f"{place} must be {fact}, as {name_of(symbol)} is declared")


def _holds(fact: str, array: np.ndarray) -> bool:
    if fact == "integer":
        return bool(np.all(array == np.round(array)))
    return fact not in SIGN_TESTS or bool(np.all(SIGN_TESTS[fact](array, 0.0)))
