"""Data that are derived from labels: where they have a value, and which coordinate they name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from recipe.language.symbols import Length


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


class OfLength:
    """Data for which the number of coordinates must be known."""


@dataclass(frozen=True, eq=False)
class LabelIsLast(OfLength):
    """1 for each datum whose label is the number of coordinates, else 0: the last probability of a
    simplex.

    Attributes:
        labels: the array of the labels, of the shape (N,).
        length: the symbol of the number of coordinates.
    """

    labels: Any
    length: Length


@dataclass(frozen=True, eq=False)
class LabelAt(OfLength):
    """One number for each datum and coordinate: 1 at the coordinate that the label names, else 0.
    Only the labels are stored.

    Attributes:
        labels: the array of the labels, of the shape (N,): whole numbers from 0.
        but_last: whether the number of coordinates is a label as well, of no coordinate. It is then
            stored as 0, and what is read there must be left out.
    """

    labels: Any
    but_last: bool = False


@dataclass(frozen=True, eq=False)
class CoordinateAt(OfLength):
    """The same coordinate for each datum.

    Attributes:
        number: its number.
    """

    number: int
