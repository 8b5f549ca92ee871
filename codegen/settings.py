"""Parameters and data, checked before anything runs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from sympy import Symbol

from codegen.generate import Module
from codegen.lengths import Lengths
from recipe.abstract import Dense
from recipe.errors import RecipeError
from recipe.posterior import Posterior
from recipe.symbols import Indexed, VectorData, assumptions_of

SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "positive": operator.gt,
    "negative": operator.lt,
    "nonnegative": operator.ge,
    "nonpositive": operator.le,
    "nonzero": operator.ne,
}


def resolved_params(
    module: Module, params: Mapping[Any, Any] | None, optional: Iterable[Symbol], lengths: Lengths
) -> dict[str, Any]:
    """The fields of ``Params``, factors of matrices included.

    Raises:
        RecipeError: listing what is missing, or naming what is unknown, of the wrong shape, or against a declared assumption.
    """
    if params is not None and not isinstance(params, Mapping):
        raise RecipeError(f"params={params!r} must be a dict of values by name, such as {{'C': 1.0}}")
    needed = {_name(s): s for s in module.plan.settings}
    given = {_name(key): value for key, value in (params or {}).items()}
    missing = [name for name in needed if name not in given]
    if missing:
        example = ", ".join(f"'{name}': ..." for name in missing)
        raise RecipeError(
            f"missing parameters: {', '.join(missing)}; give them as params={{{example}}} (or --param {missing[0]}=...)"
        )
    known = set(needed) | {_name(s) for s in optional}
    unknown = sorted(name for name in given if name not in known)
    if unknown:
        raise RecipeError(f"unknown parameters: {', '.join(unknown)}; the parameters are {', '.join(sorted(known)) or 'none'}")
    values = {s: _value(s, given[name], lengths) for name, s in needed.items()}
    fields = {field: values[s] for s, field in module.plan.settings.items()}
    for M, field in module.plan.factors.items():
        fields[field] = _cholesky(M, values[M])
    return fields


def _name(s: Any) -> str:
    return s.base if isinstance(s, Indexed) else str(s)


def _value(s: Symbol, value: Any, lengths: Lengths) -> Any:
    name, dimensions = _name(s), 2 if isinstance(s, Dense) else int(isinstance(s, Indexed))
    array = finite_array(f"params[{name!r}]", value, dimensions)
    if isinstance(s, Dense):
        lengths.learn(s.row.length, array.shape[0], f"params[{name!r}]")
        lengths.learn(s.column.length, array.shape[1], f"params[{name!r}]")
        if s.symmetric and not np.array_equal(array, array.T):
            raise RecipeError(
                f"params[{name!r}] must be symmetric, as {name} is declared; give (M + M.T)/2 if it is so up to rounding"
            )
        if s.positive_definite:
            _cholesky(s, array)
        return array
    if isinstance(s, Indexed):
        lengths.learn(s.length, array.shape[0], f"params[{name!r}]")
    for fact, truth in assumptions_of(s).items():
        if truth and not _holds(fact, array):
            raise RecipeError(f"params[{name!r}] = {value!r} must be {fact}, as {name} is declared")
    return array if array.ndim else float(array)


def _holds(fact: str, array: np.ndarray) -> bool:
    if fact == "integer":
        return bool(np.all(array == np.round(array)))
    return fact not in SIGNS or bool(np.all(SIGNS[fact](array, 0.0)))


def _cholesky(M: Dense, value: np.ndarray) -> np.ndarray:
    try:
        return np.ascontiguousarray(np.linalg.cholesky(value))
    except np.linalg.LinAlgError:
        raise RecipeError(f"params[{M.name!r}] is not positive definite; its noise needs a Cholesky factor") from None


def finite_array(where: str, value: Any, dimensions: int) -> np.ndarray:
    """A finite C-contiguous float64 array of that many dimensions."""
    if np.iscomplexobj(value):
        raise RecipeError(f"{where} is complex; it must be {_kind(dimensions)} of real numbers")
    try:
        array = np.ascontiguousarray(np.asarray(value, dtype=np.float64)).reshape(np.shape(value))
    except (TypeError, ValueError):
        raise RecipeError(f"{where} must be {_kind(dimensions)} of floats, not {type(value).__name__}") from None
    if array.ndim != dimensions:
        raise RecipeError(f"{where} must be {_kind(dimensions)}, but it has the shape {array.shape}")
    if not np.all(np.isfinite(array)):
        raise RecipeError(f"{where} contains a value that is not finite")
    return array


def _kind(dimensions: int) -> str:
    return ("a number", "an array of one dimension", "an array of two dimensions")[dimensions]


def resolved_data(module: Module, lengths: Lengths) -> tuple[dict[str, np.ndarray], int | None]:
    """The fields of ``Data``, and the number of rows of the smallest data set (None without data)."""
    fields: dict[str, np.ndarray] = {}
    counts: list[int] = []
    for gradient in module.gradients.values():
        rows: dict[str, int] = {}
        for s, value in gradient.posterior.data:
            array = _datum_array(s, value, lengths)
            rows[_name(s)] = array.shape[0]
            fields[gradient.fields[s]] = array
        counts.append(_common_rows(gradient.posterior, rows))
    return fields, min(counts, default=None)


def _datum_array(s: Symbol, value: Any, lengths: Lengths) -> np.ndarray:
    where = f"the data of {_name(s)}"
    array = finite_array(where, value, 2 if isinstance(s, VectorData) else 1)
    if 0 in array.shape:
        raise RecipeError(f"{where} has no {'row' if array.shape[0] == 0 else 'column'}")
    if isinstance(s, VectorData):
        lengths.learn(s.length, array.shape[1], f"{where}, of the shape {array.shape},")
    return array


def _common_rows(posterior: Posterior, rows: Mapping[str, int]) -> int:
    if len(set(rows.values())) > 1:
        shown = ", ".join(f"{name} has {n}" for name, n in rows.items())
        raise RecipeError(f"the data arrays have different numbers of rows: {shown}")
    return next(iter(rows.values()), 1)
