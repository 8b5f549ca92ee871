"""Values of coordinates that carry the names of these: matched by name, not by place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.inputs.lengths import Lengths
from recipe.declare.categories import some
from recipe.declare.coordinate_names import Names
from recipe.language.errors import RecipeError
from recipe.language.numbers import column_names
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
    """
    names, known = _names(value), lengths.names_along(s.length)
    plain = value.values if isinstance(value, NamedValues) else value
    if names is None or known is None or names == known:
        return plain
    if set(names) != set(known):
        raise RecipeError(
            f"{where} has the names {some(names)}, and the coordinates of {s.length.owner} are"
            f" {some(known)}; give one number for each of these names, or an array without names"
        )
    return np.asarray(plain)[..., [names.index(n) for n in known]]


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
    texts = bool(labels) and all(isinstance(n, str) for n in labels)
    return tuple(labels) if texts and len(set(labels)) == len(labels) else None
