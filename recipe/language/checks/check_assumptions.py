"""Check the numbers given for parameters against the assumptions and conditions that they were
declared with.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from functools import singledispatch
from typing import Any

import numpy as np
from sympy import Add, Expr, Mul, Pow, Symbol

from recipe.language.assumed import ParameterCondition
from recipe.language.errors import RecipeError
from recipe.language.symbols import Length, assumptions_of, name_of
from recipe.language.total import Total

SIGN_TESTS: dict[str, Callable[[Any, Any], Any]] = {
    "positive": operator.gt,
    "negative": operator.lt,
    "nonnegative": operator.ge,
    "nonpositive": operator.le,
    "nonzero": operator.ne,
}


def check_assumed(symbol: Symbol, array: np.ndarray, place: Callable[[], str]) -> None:
    """Require that every number satisfies the assumptions of its symbol.

    Args:
        symbol: the declared symbol.
        array: the numbers, of any shape.
        place: returns how the user gave the numbers, such as ``params["A"] = -1``. It is called
            for the message only: the text of a long array takes longer than a step.

    Raises:
        RecipeError: naming the assumption that a number violates.
    """
    for fact, truth in assumptions_of(symbol).items():
        if truth and not _holds(fact, array):
            raise RecipeError(f"{place()} must be {fact}, as {name_of(symbol)} is declared")


def _holds(fact: str, array: np.ndarray) -> bool:
    if fact == "integer":
        return bool(np.all(array == np.round(array)))
    return fact not in SIGN_TESTS or bool(np.all(SIGN_TESTS[fact](array, 0.0)))


def check_condition(condition: ParameterCondition, values: Mapping[str, np.ndarray]) -> None:
    """Require that numbers meet a condition between parameters, in every coordinate.

    Args:
        condition: the condition.
        values: the numbers of all its parameters, by name: of the shape (length,) for a vector
            parameter.

    Raises:
        RecipeError: naming the condition, and the first coordinate in which it fails.
    """
    good = _holds_in(condition, values)
    if np.all(good):
        return
    where = f" in coordinate {int(np.argmin(good)) + 1}" if good.ndim else ""
    raise RecipeError(f"params= break the condition {condition} of where={where}")


def meets(condition: ParameterCondition, values: Mapping[str, np.ndarray]) -> bool:
    """Return True if numbers meet a condition between parameters, in every coordinate.

    Args:
        condition, values: as for ``check_condition``.
    """
    return bool(np.all(_holds_in(condition, values)))


def _holds_in(condition: ParameterCondition, values: Mapping[str, np.ndarray]) -> np.ndarray:
    """Whether a condition holds, in each coordinate if it is one of vectors; not where it has no
    value.
    """
    found = np.asarray(_value(condition.e, values))
    return np.asarray(found > 0 if condition.is_strict else found >= 0)


@singledispatch
def _value(e: Expr, values: Mapping[str, np.ndarray]) -> Any:
    """The number of an expression, or the array of its coordinates."""
    return float(e)


@_value.register
def _(e: Symbol, values: Mapping[str, np.ndarray]) -> Any:
    return np.asarray(values[name_of(e)], dtype=float)


@_value.register
def _(e: Length, values: Mapping[str, np.ndarray]) -> Any:
    return float(values[e.name])


@_value.register
def _(e: Total, values: Mapping[str, np.ndarray]) -> Any:
    body = np.asarray(_value(e.body, values))
    return body.sum() if body.ndim else body * values[e.index.length.name]


@_value.register
def _(e: Add, values: Mapping[str, np.ndarray]) -> Any:
    return sum(_value(a, values) for a in e.args)


@_value.register
def _(e: Mul, values: Mapping[str, np.ndarray]) -> Any:
    return math.prod(_value(a, values) for a in e.args)


@_value.register
def _(e: Pow, values: Mapping[str, np.ndarray]) -> Any:
    return _value(e.base, values) ** _value(e.exp, values)
