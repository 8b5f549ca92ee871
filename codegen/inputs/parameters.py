"""The values of parameters and data, checked and by field of the generated module."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sympy import Symbol

from codegen.check_arguments import short_text
from codegen.inputs.lengths import Lengths, repeated
from codegen.inputs.named_values import in_order_of_names
from codegen.inputs.posterior_data import finite_array, resolved_arrays
from codegen.inputs.schedule import Schedule
from codegen.module import Module
from recipe.language.abstract import Dense
from recipe.language.assumed import ParameterCondition
from recipe.language.checks.check_assumptions import check_assumed, check_condition
from recipe.language.data import VectorParameter
from recipe.language.did_you_mean import did_you_mean
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import known_numbers, parameters_of
from recipe.language.symbols import Indexed, Length, name_of


def resolved_params(
    module: Module, params: Mapping[Any, Any] | None, optional: Iterable[Symbol], lengths: Lengths
) -> dict[str, Any]:
    """Return the fields of ``Params``, the Cholesky factors of noise matrices included.

    Args:
        module: the generated module.
        params: the value of every parameter, by symbol or name: a number; an array of the shape
            (length,), or one number for all coordinates, for a vector parameter; (rows, columns)
            for a ``Dense`` matrix.
        optional: parameters that may be given although the module does not use them.
        lengths: the known lengths of blocks; those of the values are added.

    Raises:
        RecipeError: listing the parameters that are missing, or naming one that is unknown, of the
            wrong shape, or against an assumption of its declaration.
    """
    fields = resolved_values(module.plan.settings, params, optional, lengths)
    return fields | {
        field: _cholesky(M, fields[module.plan.settings[M]])
        for M, field in module.plan.factors.items()
    }


def resolved_values(
    settings: Mapping[Symbol, str],
    params: Mapping[Any, Any] | None,
    optional: Iterable[Symbol],
    lengths: Lengths,
) -> dict[str, Any]:
    """Return the value of each parameter, by field.

    Args:
        settings: the field of each parameter.
        params, optional, lengths: as for ``resolved_params``.

    Raises:
        RecipeError: as ``resolved_params``.
    """
    if params is not None and not isinstance(params, Mapping):
        raise RecipeError(
            f"params={short_text(params)} must be a dict of values by name, such as {{'C': 1.0}}"
        )
    given = {name_of(key): value for key, value in (params or {}).items()}
    _refuse_known(given, (*settings, *optional))
    needed = {name_of(s): s for s in settings}
    given |= known_numbers(settings)
    missing = [name for name in needed if name not in given]
    known = set(needed) | {name_of(s) for s in optional}
    unknown = sorted(name for name in given if name not in known)
    if missing:
        example = ", ".join(f"'{name}': ..." for name in missing)
        options = " ".join(f"--param {name}=..." for name in missing)
        instead = "".join(
            f"{name} is unknown, {did_you_mean(name, missing) or 'leave it out; '}"
            for name in unknown
        )
        raise RecipeError(
            f"missing parameters: {', '.join(missing)}; {instead}give them as params={{{example}}}"
            f" (or {options})"
        )
    if unknown:
        meant = "".join(did_you_mean(name, known) for name in unknown)
        raise RecipeError(
            f"unknown parameters: {', '.join(unknown)}; {meant}the parameters are"
            f" {', '.join(sorted(known)) or 'none'}"
        )
    return {settings[s]: _value(s, given[name], lengths) for name, s in needed.items()}


def _refuse_known(given: Mapping[str, Any], parameters: Iterable[Symbol]) -> None:
    for name in known_numbers(parameters):
        if name in given:
            raise RecipeError(
                f"params= has {name}, which the model was declared with; leave it out there, and"
                " change the declaration for other numbers"
            )


def require_conditions(
    where: Iterable[ParameterCondition], params: Mapping[Any, Any] | None, lengths: Lengths
) -> None:
    """Require that the values of parameters meet the conditions that a sampler is declared under.

    Args:
        where: the conditions.
        params: the value of every parameter, by symbol or name.
        lengths: the known lengths of blocks.

    Raises:
        RecipeError: naming the condition that fails, or a parameter or a length in it that has no
            value.
    """
    given = {name_of(key): value for key, value in (params or {}).items()}
    for condition in where:
        values = {}
        given |= known_numbers(parameters_of([condition.e]))
        for s in parameters_of([condition.e]):
            name = name_of(s)
            if name not in given:
                raise RecipeError(
                    f"params= has no {name}, and the sampler is declared where {condition}; give it"
                    f" as params={{'{name}': ...}}"
                )
            values[name] = np.asarray(_value(s, given[name], lengths))
        check_condition(condition, values | _sizes_in(condition, lengths))


def _sizes_in(condition: ParameterCondition, lengths: Lengths) -> dict[str, np.ndarray]:
    """The lengths in a condition, by name."""
    sizes = {s: lengths.known(s) for s in condition.e.atoms(Length)}
    for length, size in sizes.items():
        if size is None:
            raise RecipeError(
                f"the sampler is declared where {condition}, and {length}, the length of"
                f" {length.owner}, is not known; give it as lengths={{'{length.owner}': ...}}"
            )
    return {length.name: np.asarray(size) for length, size in sizes.items()}


def _value(s: Symbol, value: Any, lengths: Lengths) -> Any:
    if isinstance(value, Schedule):
        raise RecipeError(
            f"params[{name_of(s)!r}]={value}: schedules of parameters are for runs of ``sample``"
            " alone; give a number"
        )
    name, dimensions = name_of(s), 2 if isinstance(s, Dense) else int(isinstance(s, Indexed))
    if isinstance(s, Indexed) and np.ndim(value) == 0:
        value = repeated(f"params[{name!r}]", value, s, lengths)
    if isinstance(s, Indexed):
        value = in_order_of_names(f"params[{name!r}]", value, s, lengths)
    array = finite_array(f"params[{name!r}]", value, dimensions)
    if isinstance(s, Dense):
        lengths.learn(s.row.length, array.shape[0], f"params[{name!r}]")
        lengths.learn(s.column.length, array.shape[1], f"params[{name!r}]")
        if s.symmetric and not np.array_equal(array, array.T):
            raise RecipeError(
                f"params[{name!r}] must be symmetric, as {name} is declared; give (M + M.T)/2 if it"
                " is symmetric up to rounding"
            )
        if s.positive_definite:
            _cholesky(s, array)
        return array
    if isinstance(s, VectorParameter) and s.known is not None:
        lengths.learn(s.length, array.shape[0], s.known.source)
    elif isinstance(s, Indexed):
        lengths.learn(s.length, array.shape[0], f"params[{name!r}]")
    check_assumed(s, array, lambda: f"params[{name!r}] = {short_text(value)}")
    return array if array.ndim else float(array)


def _cholesky(M: Dense, value: np.ndarray) -> np.ndarray:
    try:
        return np.ascontiguousarray(np.linalg.cholesky(value))
    except np.linalg.LinAlgError:
        raise RecipeError(
            f"params[{M.name!r}] is not positive definite, and its noise needs a Cholesky factor;"
            " give a positive definite matrix"
        ) from None


def resolved_data(module: Module, lengths: Lengths) -> tuple[dict[str, np.ndarray], int | None]:
    """Return the fields of ``Data``, and the number of rows of the smallest data set; None in its
    place without data.

    Raises:
        RecipeError: naming the array that does not fit, and its fault.
    """
    fields: dict[str, np.ndarray] = {}
    counts: list[int] = []
    for estimator in module.estimators.values():
        arrays = resolved_arrays(estimator.gradient.posterior, lengths)
        fields |= {estimator.gradient.fields[s]: array for s, array in arrays.items()}
        counts += [array.shape[0] for array in list(arrays.values())[:1]]
    return fields, min(counts, default=None)
