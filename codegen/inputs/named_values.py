"""Values of coordinates that carry the names of these: matched by name, not by place."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.inputs.label_arrays import LabelWarning
from codegen.inputs.lengths import Lengths, numbers_as_names
from recipe.declare.categories import some
from recipe.declare.coordinate_names import Names
from recipe.language.errors import RecipeError
from recipe.language.numbers import column_names, is_whole
from recipe.language.symbols import Indexed


@dataclass(frozen=True, eq=False)
class NamedValues:
    """Numbers with the names of their last axis.

    Attributes:
        values: the numbers.
        names: the names, as many as the last axis has numbers.
    """

    values: np.ndarray
    names: Names

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.values if dtype is None else self.values.astype(dtype)


def in_order_of_names(where: str, value: Any, s: Indexed, lengths: Lengths) -> Any:
    """Return values in the order of the coordinates of a block.

    Args:
        where: the value, as messages name it.
        value: one number for each coordinate along its last axis; a Series of pandas, a table or an
            array of xarray may have the names of these.
        s: the block or parameter.
        lengths: what is known of lengths and names.

    Raises:
        RecipeError: where the value has names and these are others than those of the coordinates.

    Warns:
        LabelWarning: where it has names, and the coordinates are numbered: it is taken by place.
    """
    names, known = _names(value), lengths.names_along(s.length)
    plain = value.values if isinstance(value, NamedValues) else value
    if names is None or names == known:
        return plain
    if known is None:
        numbered = numbers_as_names(names)
        if set(names) != set(numbered):
            _say_by_place(where, names, s)
            return plain
        known = numbered
    if set(names) != set(known):
        raise RecipeError(
            f"{where} has the names {some(names)}, and the coordinates of {s.length.owner} are"
            f" {some(known)}; give one number for each of these names, or an array without names"
        )
    return np.asarray(plain)[..., [names.index(n) for n in known]]


def _say_by_place(where: str, names: Names, s: Indexed) -> None:
    """Say that values with names are taken by place, as the coordinates are numbered; numbers that
    are none of coordinates are refused, as what is left of an index says nothing.
    """
    owner = s.length.owner
    if all(_is_number(name) for name in names):
        raise RecipeError(
            f"{where} has the index {some(names)}, and the coordinates of {owner} are numbered"
            " from 0; give it without its index, .to_numpy()"
        )
    warnings.warn(
        f"{where} has the names {some(names)}, and the coordinates of {owner} are numbered:"
        f" {names[0]} is taken for {owner}[0], and so on; name the coordinates in coords=",
        LabelWarning,
        stacklevel=2,
    )


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


def _names(value: Any) -> Names | None:
    """Return the names that values carry; None for numbers alone."""
    if isinstance(value, NamedValues):
        return value.names
    if isinstance(value, np.ndarray):
        return None
    labels: Any = None
    if hasattr(value, "dims") and hasattr(value, "coords"):  # xarray.DataArray
        last = value.dims[-1] if value.dims else None
        labels = value.coords[last].values.tolist() if last in value.coords else None
    elif hasattr(value, "index") and hasattr(value, "to_numpy") and not hasattr(value, "columns"):
        labels = list(value.index)  # pandas.Series
    if labels is None:
        return column_names(value)
    if not labels or len(set(labels)) != len(labels):
        return None
    if all(is_whole(n) for n in labels):  # those from 0 in order are the index of every Series
        in_order = all(n == k for k, n in enumerate(labels))
        return None if in_order else tuple(str(int(n)) for n in labels)
    names = tuple(str(float(n)) if isinstance(n, float | np.floating) else n for n in labels)
    return names if all(isinstance(n, str) for n in names) else None
