"""Default values of the parameters of a rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sympy import Symbol

from recipe import Dense, Kernel, RecipeError, Update
from recipe.language.free_symbols import abstract_of, parameters_of
from recipe.language.symbols import Block, Indexed, assumptions_of, name_of


def parameter_symbols(rule: Update | Kernel) -> list[Any]:
    """Return the parameters of a rule without its step size, numbers first and then matrices."""
    expressions = [e for e, _ in rule.written()]
    symbols = [s for s in parameters_of(expressions) if s != rule.step]
    return symbols + [a for a in abstract_of(expressions) if isinstance(a, Dense)]


def trial_parameters(
    rule: Update | Kernel, given: Mapping[str, Any], length: int
) -> dict[str, Any]:
    """Return a value for every parameter of a rule, by name.

    Args:
        rule: the rule or kernel.
        given: the values that are fixed, by name. One number for a parameter with coordinates holds
            for each of them.
        length: the number of coordinates of each vector. Default values differ from coordinate to
            coordinate, and from parameter to parameter.

    Raises:
        RecipeError: for a name that is no parameter of the rule.
    """
    symbols = parameter_symbols(rule)
    names = [name_of(s) for s in symbols]
    for name in given:
        if name not in names:
            raise RecipeError(
                f"params= names {name}, and the rule has the parameters:"
                f" {', '.join(names) or 'none'}"
            )
    lengths = _lengths_of(rule.state, symbols, length)
    return {name_of(s): _value(s, k, given.get(name_of(s)), lengths) for k, s in enumerate(symbols)}


def _value(s: Any, place: int, given: Any, lengths: Mapping[str, int]) -> Any:
    if isinstance(s, Dense):
        return _matrix(s, lengths) if given is None else given
    if isinstance(s, Indexed):
        n = lengths[s.length.name]
        if given is not None:
            return np.full(n, given) if np.ndim(given) == 0 else given
        return _number(s, place) * (1 + 0.5 * np.arange(n))
    return _number(s, place) if given is None else given


def _matrix(s: Dense, lengths: Mapping[str, int]) -> Any:
    rows, columns = lengths[s.row.length.name], lengths[s.column.length.name]
    return np.eye(rows, columns) * (1 + 0.5 * np.arange(rows)[:, None]) + 0.25 * (
        np.eye(rows, columns, 1) + np.eye(rows, columns, -1)
    )


def _number(s: Symbol, place: int) -> float:
    """Return a number that fits the assumptions of the parameter at this place among all."""
    facts = assumptions_of(s)
    if facts.get("integer"):
        return -2.0 if facts.get("negative") or facts.get("nonpositive") else 2.0
    size = 0.7 + 0.2 * place
    return -size if facts.get("negative") or facts.get("nonpositive") else size


def _lengths_of(state: Sequence[Block], symbols: Sequence[Any], length: int) -> dict[str, int]:
    """Return the same number of coordinates for every length, by the name of the length."""
    named = {b.length.name for b in state if isinstance(b, Indexed)}
    for s in symbols:
        if isinstance(s, Dense):
            named |= {s.row.length.name, s.column.length.name}
        elif isinstance(s, Indexed):
            named.add(s.length.name)
    return dict.fromkeys(named, length)
