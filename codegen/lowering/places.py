"""Places: the arrays that a program reads and writes, and single numbers in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Expr, Symbol


@dataclass(frozen=True)
class Array:
    """An array of numbers: a field of ``state``, ``out``, ``params`` or ``data``, or a local one
    (``owner`` is empty).
    """

    owner: str
    field: str

    def __str__(self) -> str:
        return f"{self.owner}.{self.field}" if self.owner else self.field

    def __getitem__(self, index: str) -> Cell:
        return Cell(self, index)


class Cell(Symbol):
    """One number in an array, as a symbol of an expression: ``array[index]``, or
    ``array[index][index]`` where there are several indices.

    sympy orders the terms of an expression by the class of a symbol and by its name. A cell has
    the class name and the name of the plain symbol ``array[index]``, so that it stands where that
    would stand: the order of the terms decides the bits of a sum.
    """

    array: Array
    indices: tuple[str, ...]

    def __new__(cls, array: Array, *indices: str, **assumptions: Any) -> Cell:
        name = cls.spelled(f"{array}{''.join(f'[{i}]' for i in indices)}")
        cell: Cell = Symbol.__xnew__(cls, name, **(assumptions or {"real": True}))
        cell.array, cell.indices = array, indices
        return cell

    @staticmethod
    def spelled(text: str) -> str:
        """The name of the symbol, from its indexed array."""
        return text

    def moved(self, array: Array, *indices: str) -> Cell:
        """The same number elsewhere: in another array, and at other indices where they are
        given.
        """
        return type(self)(array, *(indices or self.indices), **self._assumptions_orig)

    @property
    def of_row(self) -> bool:
        """Whether it is read at a row of the data."""
        return any(index == "row" or index.endswith("[row]") for index in self.indices)

    @property
    def varies(self) -> bool:
        """Whether it is read at the coordinate ``i`` of a loop."""
        return self.indices[-1] in ("i", "i, i")

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
        return (self.array, *self.indices), self._assumptions_orig


class Datum(Cell):
    """A number of the data, which may be stored in fewer bits: ``float(array[row])``."""

    @staticmethod
    def spelled(text: str) -> str:
        return f"float({text})"


class OneHot(Cell):
    """1 where the coordinate ``i`` is the one that the label of a row names, else 0. No text
    computes it: ``index`` is the coordinate, at which arrays are read and grow instead.
    """

    @property
    def index(self) -> str:
        """The coordinate that the label of the row names."""
        return f"{self.array}[row]"


def at_label(e: Expr, hot: OneHot) -> Expr:
    """Return the expression of a coordinate, at the coordinate that a label names."""
    return e.xreplace({c: c.moved(c.array, hot.index) for c in e.atoms(Cell) if c.varies})


Cell.__name__ = Datum.__name__ = OneHot.__name__ = Symbol.__name__
