"""The lengths and parameters of a declared step, read and checked once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Expr, Symbol

from recipe import Dense, Discretisation, Kernel, RecipeError, Update
from recipe.language.blocks import Block, Vector
from recipe.language.checks.check_assumptions import check_assumed, check_condition
from recipe.language.free_symbols import abstract_of, known_numbers, parameters_of
from recipe.language.noise import Noise
from recipe.language.numbers import array_of_numbers, plain_number
from recipe.language.symbols import Indexed, Length, name_of
from verify.statistics.numbers.arrays import Gradient, Meanings

DeclaredStep = Update | Discretisation | Kernel


@dataclass(frozen=True)
class Setting:
    """A declared step with its numbers.

    Attributes:
        against: the step.
        meanings: the values of its symbols.
        scalars: the names of the step size and of the parameters that are no matrices.
    """

    against: DeclaredStep
    meanings: Meanings
    scalars: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the step."""
        return self.against.name or "this step"


def setting_of(
    against: Any,
    *,
    step_size: float,
    params: Mapping[str, Any] | None = None,
    length: int | Mapping[str, int] = 3,
    gradients: Mapping[str, Gradient] | None = None,
) -> Setting:
    """Return a declared step with its numbers, checked.

    Args:
        against: an ``Update``, a ``Discretisation`` or a ``Kernel``.
        step_size, params, length, gradients: see ``battery``.

    Raises:
        RecipeError: with the number that is missing, unknown, or does not fit, or the condition
            between parameters that fails.
    """
    if not isinstance(against, Update | Discretisation | Kernel):
        kind = type(against).__name__
        raise RecipeError(
            f"a {kind} is no discrete step: give an Update, discretised(recipe, scheme), or a"
            " Kernel"
        )
    step = against.update.step if isinstance(against, Discretisation) else against.step
    where = against.where
    expressions = [*(e for e, _ in against.written()), *(c.e for c in where)]
    wanted = {
        name_of(s): s
        for s in (
            *parameters_of(expressions),
            *(a for a in abstract_of(expressions) if isinstance(a, Dense)),
        )
    }
    given = {**known_numbers(wanted.values()), **(params or {})}
    if step is not None:
        wanted.pop(step.name, None)
        if step.name in given:
            raise RecipeError(
                f"params= names {step.name}, the step size: give it as step_size= instead"
            )
        given[step.name] = _positive(step_size)
    _check_names(given, wanted, step)
    lengths = _lengths(against.state, expressions, length)
    values = {name: _numbers(name, given[name], wanted.get(name), lengths) for name in given}
    sizes = {name: np.asarray(n) for name, n in lengths.items()}
    for condition in where:
        check_condition(condition, sizes | values)
    meanings = Meanings(values, lengths, dict(gradients or {}))
    return Setting(
        against, meanings, tuple(name for name in values if not isinstance(wanted.get(name), Dense))
    )


def _positive(step_size: Any) -> float:
    try:
        size = plain_number(step_size)
    except (TypeError, ValueError):
        size = -1.0
    if not (np.isfinite(size) and size > 0):
        raise RecipeError(f"step_size={step_size!r} must be a positive number")
    return size


def _check_names(given: Mapping[str, Any], wanted: Mapping[str, Any], step: Symbol | None) -> None:
    for name in wanted:
        if name not in given:
            raise RecipeError(
                f"the parameter {name} has no value: give it, params={{'{name}': ...}}"
            )
    for name in given:
        if name not in wanted and (step is None or name != step.name):
            raise RecipeError(
                f"params= names {name}, and the step has the parameters:"
                f" {', '.join(wanted) or 'none'}"
            )


def _numbers(
    name: str, value: Any, symbol: Any, lengths: Mapping[str, int]
) -> np.ndarray[Any, Any]:
    array = array_of_numbers(f"params[{name!r}]", value, "made of numbers")
    if array.dtype == np.bool_:
        raise RecipeError(f"params['{name}']={value!r} is not made of numbers; write 1.0 or 0.0")
    array = array.astype(np.float64)
    if isinstance(symbol, Dense):
        shape: tuple[int, ...] = (
            lengths[symbol.row.length.name],
            lengths[symbol.column.length.name],
        )
    elif isinstance(symbol, Indexed):
        shape = (lengths[symbol.length.name],)
        array = np.broadcast_to(array, shape) if array.ndim == 0 else array
    else:
        shape = ()
    if array.shape != shape or not np.isfinite(array).all():
        raise RecipeError(
            f"params['{name}'] has the shape {array.shape} and must have {shape}, of finite numbers"
        )
    if isinstance(symbol, Symbol):
        check_assumed(symbol, array, lambda: f"params['{name}'] = {value!r}")
    return array


def _lengths(
    state: Iterable[Block], expressions: Iterable[Expr], length: int | Mapping[str, int]
) -> dict[str, int]:
    """Return the number of coordinates of each length, by its name.

    Args:
        state: the blocks.
        expressions: the expressions of the step.
        length: one number for all vectors, or a dict by block.
    """
    vectors = [b for b in state if isinstance(b, Vector)]
    found: dict[str, int] = {}
    for b in vectors:
        n = length.get(b.name, found.get(b.length.name)) if isinstance(length, Mapping) else length
        if n is None:
            raise RecipeError(f"length= has no number of coordinates for {b.name}")
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise RecipeError(f"length={n!r} of {b.name} must be a positive whole number")
        if found.setdefault(b.length.name, int(n)) != n:
            raise RecipeError(
                f"length= gives {b.name} {n} coordinates, and a block of the same length"
                f" {found[b.length.name]}"
            )
    for e in expressions:
        for s in e.atoms(Length, Noise):
            found.setdefault(s.name if isinstance(s, Length) else s.length.name, 1)
    return found
