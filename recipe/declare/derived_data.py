"""Data that are derived from labels: where they have a value, and which coordinate they name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from recipe.language.errors import RecipeError


@dataclass(frozen=True, eq=False)
class LabelIs:
    """True for each datum whose label has a value, else False; an array for numpy.

    Attributes:
        labels: the array of the labels, of the shape (N,).
        value: the label that is looked for.
    """

    labels: Any
    value: int

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        import numpy as np  # proofs alone do not need it

        found = np.asarray(self.labels) == self.value
        return found if dtype is None else found.astype(dtype)


@dataclass(frozen=True, eq=False)
class LabelAt:
    """One number for each datum and coordinate: True at the coordinate that the label names.

    Attributes:
        labels: the array of the labels, of the shape (N,): whole numbers from 0.
    """

    labels: Any

    def columns(self, count: int | None) -> Any:
        """Return an array of bool of the shape (N, count).

        Args:
            count: the number of coordinates; None for the largest label and one.

        Raises:
            RecipeError: where a label is too large for the number of coordinates.
        """
        import numpy as np  # proofs alone do not need it

        labels = np.asarray(self.labels).astype(np.int64)
        largest = int(labels.max(initial=0))
        if count is not None and largest >= count:
            row = int(np.flatnonzero(labels >= count)[0])
            raise RecipeError(
                f"row {row} has the label {labels[row]}, and the coordinates are numbered from 0 to"
                f" {count - 1}"
            )
        return labels[:, None] == np.arange(largest + 1 if count is None else count)
