"""Default values of the parameters of a rule."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sympy import Symbol

from recipe import Dense, Kernel, RecipeError, Update
from recipe.language.assumed import ParameterCondition
from recipe.language.blocks import Block
from recipe.language.checks.check_assumptions import meets
from recipe.language.free_symbols import abstract_of, known_numbers, parameters_of
from recipe.language.symbols import Indexed, assumptions_of, name_of
from recipe.language.text import listed

# What the numbers of the free parameters in conditions are multiplied by until the conditions hold:
# first all alike, then each parameter, then each coordinate by itself.
FACTORS = (1.0, 2.0, 0.5, 4.0, 0.25, 8.0, 0.125, 16.0, 0.0625, 32.0, 0.03125, 64.0)
RANDOM_TRIES = 2000
SIGNED = ("positive", "negative", "nonnegative", "nonpositive")


def parameter_symbols(rule: Update | Kernel) -> list[Any]:
    """Return the parameters of a rule without its step size, numbers first and then matrices."""
    expressions = [e for e, _ in rule.written()]
    return [*rule.parameters, *(a for a in abstract_of(expressions) if isinstance(a, Dense))]


def trial_parameters(
    rule: Update | Kernel, given: Mapping[str, Any], length: int
) -> dict[str, Any]:
    """Return a value for every parameter of a rule, by name.

    Args:
        rule: the rule or kernel.
        given: the values that are fixed, by name. One number for a parameter with coordinates holds
            for each of them.
        length: the number of coordinates of each vector. Default values differ from coordinate to
            coordinate, and from parameter to parameter; together they meet the conditions that the
            rule is declared under.

    Raises:
        RecipeError: for a name that is no parameter of the rule, and where no values are found that
            meet its conditions.
    """
    symbols = parameter_symbols(rule)
    names = [name_of(s) for s in symbols]
    for name in known_numbers(symbols):
        raise RecipeError(
            f"{name} carries its numbers, and a test chooses lengths and numbers of its own; test"
            f" the sampler with {name} declared without values="
        )
    for name in given:
        if name not in names:
            raise RecipeError(
                f"params= names {name}, and the rule has the parameters:"
                f" {', '.join(names) or 'none'}"
            )
    lengths = _lengths_of(rule.state, symbols, length)
    values = {
        name_of(s): _value(s, k, given.get(name_of(s)), lengths) for k, s in enumerate(symbols)
    }
    sizes = {name: np.asarray(n) for name, n in lengths.items()}
    return values | _within(rule.where, values, given, sizes)


def _within(
    where: Iterable[ParameterCondition],
    values: Mapping[str, Any],
    given: Mapping[str, Any],
    sizes: Mapping[str, np.ndarray],
) -> dict[str, Any]:
    """Return other values for parameters in conditions, so that all conditions hold; none where
    they hold already.
    """
    conditions = tuple(where)
    named = list(dict.fromkeys(name_of(s) for s in parameters_of(c.e for c in conditions)))
    free = {name_of(s): s for s in parameters_of(c.e for c in conditions)}
    free = {name: s for name, s in free.items() if name not in given}
    for other in _other_values({name: values[name] for name in free}, free):
        tried = {name: np.asarray(values[name]) for name in named}
        tried |= {name: np.asarray(value) for name, value in other.items()} | dict(sizes)
        if all(meets(c, tried) for c in conditions):
            return other
    raise RecipeError(
        f"no values of {listed(named)} were found that meet {listed(conditions)}; give them as"
        f" params={{'{named[0]}': ...}} (or --param {named[0]}=...)"
    )


def _other_values(
    values: Mapping[str, Any], symbols: Mapping[str, Symbol]
) -> Iterator[dict[str, Any]]:
    """Yield values that fit the assumptions of their symbols, the given ones first."""
    if not values:
        yield {}
        return
    for factor in FACTORS:
        yield {name: value * _fitting(factor, symbols[name]) for name, value in values.items()}
    chosen = random.Random(0)
    for alike in (True, False):
        for _ in range(RANDOM_TRIES):
            yield {
                name: value * _any_factor(chosen, symbols[name], () if alike else np.shape(value))
                for name, value in values.items()
            }


def _any_factor(chosen: random.Random, s: Symbol, shape: tuple[int, ...]) -> Any:
    """A factor for each coordinate, of either sign where the symbol has none."""
    facts = assumptions_of(s)
    signed = any(facts.get(fact) for fact in SIGNED)
    factors = [
        _fitting(chosen.choice(FACTORS), s) * (1 if signed else chosen.choice((1, -1)))
        for _ in range(int(np.prod(shape)))
    ]
    return np.reshape(factors, shape) if shape else factors[0]


def _fitting(factor: float, s: Symbol) -> float:
    """The factor, of a whole number its inverse if that is whole."""
    return max(factor, 1 / factor) if assumptions_of(s).get("integer") else factor


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
