"""What a sampler is tried on where nothing is said: a law for every abstract potential, and a
number for every parameter.

The null of a test of one step is exact for any potential, so that one will do: neither even nor of
unit scale, other in every coordinate and, on the real line, with coordinates that depend on each
other. A wrong sign, factor or index then shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from sympy import Interval, Symbol

from recipe import Dense, Potential, RecipeError
from recipe.language.domain import on_simplex
from recipe.language.symbols import Block, Indexed, assumptions_of, name_of

LINE = "U = sum((i + 3)/8*x[i]^2 + log(cosh(x[i] - 1/2))) + sum(x[i]*x[i+1])/4, i = 1 .. d"
HALF_LINE = "U = sum(x[i] - (i + 1)/2*log(x[i])), i = 1 .. d"


@dataclass(frozen=True)
class Trial:
    """A concrete law of one block: in words, as numbers, and its gradient twice, for the module and
    for the rule.
    """

    text: str
    value: Callable[[np.ndarray], np.ndarray]
    compiled: Any
    plain: Callable[[np.ndarray], np.ndarray]


def _value_line(x: np.ndarray) -> np.ndarray:
    away = x - 0.5
    alone = (np.arange(x.shape[1]) + 4) / 8 * x**2 + np.logaddexp(away, -away) - np.log(2)
    return np.asarray(alone.sum(axis=1) + (x[:, 1:] * x[:, :-1]).sum(axis=1) / 4)


@njit(error_model="numpy")
def _line(g: np.ndarray, x: np.ndarray) -> None:
    for i in range(x.size):
        slope = (i + 4) / 4 * x[i] + np.tanh(x[i] - 0.5)
        if i > 0:
            slope += x[i - 1] / 4
        if i + 1 < x.size:
            slope += x[i + 1] / 4
        g[i] = slope


def _plain_line(x: np.ndarray) -> np.ndarray:
    n = x.shape[1]
    beside = (np.eye(n, k=1) + np.eye(n, k=-1)) / 4
    return np.asarray((np.arange(n) + 4) / 4 * x + np.tanh(x - 0.5) + x @ beside)


def _value_half_line(x: np.ndarray) -> np.ndarray:
    return np.asarray((x - (np.arange(x.shape[1]) + 2) / 2 * np.log(x)).sum(axis=1))


@njit(error_model="numpy")
def _half_line(g: np.ndarray, x: np.ndarray) -> None:
    for i in range(x.size):
        g[i] = 1.0 - (i + 2) / (2 * x[i])


def _plain_half_line(x: np.ndarray) -> np.ndarray:
    return np.asarray(1 - (np.arange(x.shape[1]) + 2) / (2 * x))


ON_LINE = Trial(LINE, _value_line, _line, _plain_line)
ON_HALF_LINE = Trial(HALF_LINE, _value_half_line, _half_line, _plain_half_line)


def trials_of(potentials: Sequence[Potential]) -> dict[Potential, Trial]:
    """A law for each abstract potential.

    Raises:
        RecipeError: for a potential of several blocks, or of a simplex.
    """
    return {U: _trial(U) for U in potentials}


def _trial(U: Potential) -> Trial:
    if len(U.blocks) > 1:
        blocks = ", ".join(map(name_of, U.blocks))
        raise RecipeError(
            f"{U.name} is a potential of {blocks}, and there is no default for several blocks: bind"
            " an expression to it"
        )
    domain = U.blocks[0].domain
    if on_simplex(U.blocks[0]):
        raise RecipeError(
            f"{U.name} is a potential on a simplex, and there is no default for it: bind an"
            " expression to it"
        )
    positive = isinstance(domain, Interval) and domain.start == 0 and domain.end.is_infinite
    return ON_HALF_LINE if positive else ON_LINE


def parameters_for(
    symbols: Sequence[Any], typed: Mapping[str, float], lengths: Mapping[str, int]
) -> dict[str, Any]:
    """A value for every parameter: the one that was typed, or one that fits its assumptions, other
    for each.
    """
    known = {name_of(s) for s in symbols}
    unknown = [name for name in typed if name not in known]
    if unknown:
        raise RecipeError(
            f"--param {unknown[0]}: there is no such parameter; the parameters are"
            f" {', '.join(sorted(known)) or 'none'}"
        )
    return {name_of(s): _value(s, k, typed.get(name_of(s)), lengths) for k, s in enumerate(symbols)}


def _value(s: Any, place: int, typed: float | None, lengths: Mapping[str, int]) -> Any:
    if isinstance(s, Dense):
        if typed is not None:
            raise RecipeError(
                f"--param {s.name}: {s.name} is a matrix; give it in Python,"
                " verify.check_kernel(..., params={...})"
            )
        rows, columns = lengths[s.row.length.name], lengths[s.column.length.name]
        return np.eye(rows, columns) * (1 + 0.5 * np.arange(rows)[:, None]) + 0.25 * (
            np.eye(rows, columns, 1) + np.eye(rows, columns, -1)
        )
    number = _number(s, place) if typed is None else typed
    if isinstance(s, Indexed):
        n = lengths[s.length.name]
        return np.full(n, number) if typed is not None else number * (1 + 0.5 * np.arange(n))
    return number


def _number(s: Symbol, place: int) -> float:
    facts = assumptions_of(s)
    if facts.get("integer"):
        return -2.0 if facts.get("negative") or facts.get("nonpositive") else 2.0
    size = 0.7 + 0.2 * place
    return -size if facts.get("negative") or facts.get("nonpositive") else size


def lengths_of(state: Sequence[Block], symbols: Sequence[Any], length: int) -> dict[str, int]:
    """The same number of coordinates for every length, by the name of the length."""
    named = {b.length.name for b in state if isinstance(b, Indexed)}
    for s in symbols:
        if isinstance(s, Dense):
            named |= {s.row.length.name, s.column.length.name}
        elif isinstance(s, Indexed):
            named.add(s.length.name)
    return dict.fromkeys(named, length)
