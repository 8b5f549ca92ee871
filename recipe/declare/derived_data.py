"""Data that are derived from labels: where they have a value, and which coordinate they name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


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
    """One number for each datum and coordinate: 1 at the coordinate that the label names, else 0.
    Only the labels are stored.

    Attributes:
        labels: the array of the labels, of the shape (N,): whole numbers from 0.
    """

    labels: Any
