"""``CountTable``: how often each column occurs in each datum; what is zero is not stored."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from recipe.language.errors import RecipeError

MAX_ITEMS = 2**31 - 1  # of one datum


@dataclass(frozen=True, eq=False)
class CountTable:
    """The items of N data by column: documents and their words, users and their pages.

    Args:
        starts: of the shape (N + 1,): the entries of datum d are those from ``starts[d]`` up to,
            and without, ``starts[d + 1]``.
        columns: the column of each entry, from 0.
        counts: how many items of its datum stand in that column, 1 or more.
        width: the number of columns.

    Attributes:
        starts, columns, counts, width: as given; arrays may be memory-mapped.
        digest: the SHA-256 of the counts, in hexadecimal digits.

    Raises:
        RecipeError: in one sentence that names the datum: for a column out of range, a count that
            is no positive whole number, a datum without items, or arrays that do not fit.

    Example:
        >>> documents = CountTable([0, 2, 3], [0, 4, 2], [1, 3, 2], width=5)
        >>> documents
        CountTable of 2 data with 6 items in 5 columns
    """

    starts: np.ndarray
    columns: np.ndarray
    counts: np.ndarray
    width: int

    def __init__(self, starts: Any, columns: Any, counts: Any, width: int) -> None:
        starts = _whole("starts", starts)
        columns, counts = _whole("columns", columns), _whole("counts", counts)
        _check_shape(starts, columns, counts)
        _check_entries(starts, columns, counts, width)
        _check_data(starts, counts)
        values = {
            "starts": starts.astype(np.int64, copy=False),
            "columns": columns.astype(np.int32, copy=False),
            "counts": counts.astype(np.int32, copy=False),
            "width": int(width),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return int(self.starts.size - 1)

    def __repr__(self) -> str:
        return (
            f"CountTable of {len(self)} data with {int(self.counts.sum(dtype=np.int64))} items in"
            f" {self.width} columns"
        )

    def rows(self, which: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return some data, in the order in which they are named.

        Args:
            which: the numbers of the data, from 0.

        Returns:
            Their ``starts``, ``columns`` and ``counts``.
        """
        which = np.asarray(which, dtype=np.int64)
        first, last = self.starts[which], self.starts[which + 1]
        starts = np.concatenate([[0], np.cumsum(last - first)]).astype(np.int64)
        places = np.arange(starts[-1]) + np.repeat(first - starts[:-1], last - first)
        return starts, np.asarray(self.columns[places]), np.asarray(self.counts[places])

    def some(self, which: Any) -> CountTable:
        """Return a table of some data.

        Args:
            which: the numbers of the data, from 0.
        """
        return CountTable(*self.rows(which), self.width)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the counts, in hexadecimal digits."""
        found = hashlib.sha256(str(self.width).encode())
        for array in (self.starts, self.columns, self.counts):
            found.update(np.ascontiguousarray(array).data)
        return found.hexdigest()


def halves(table: CountTable) -> tuple[CountTable, CountTable]:
    """Return a table of half of the items of each datum, and one of the others.

    Of the items of an entry one half is in each; of an odd number the last is in the first table
    and in the second by turns. Data with a single item are left out.

    Args:
        table: the items.

    Raises:
        RecipeError: where no datum has two items.
    """
    turn = np.arange(table.columns.size) - np.repeat(table.starts[:-1], np.diff(table.starts))
    first = (table.counts + 1 - turn % 2) // 2
    parts = first, table.counts - first
    datum = np.repeat(np.arange(len(table)), np.diff(table.starts))
    sizes = [np.bincount(datum, part, minlength=len(table)) for part in parts]
    kept = (sizes[0] > 0) & (sizes[1] > 0)
    if not kept.any():
        raise RecipeError("no datum that is held out has two items, one to predict from the other")
    both = []
    for part in parts:
        there = kept[datum] & (part > 0)
        numbers = np.bincount(datum[there], minlength=len(table))[kept]
        starts = np.concatenate([[0], np.cumsum(numbers)])
        both.append(CountTable(starts, table.columns[there], part[there], table.width))
    return both[0], both[1]


def count_table(data: Any) -> CountTable:
    """Return data in one of the usual forms as a table of counts.

    Args:
        data: a ``CountTable``; a matrix of ``scipy.sparse`` of any kind; or a dense array of the
            shape (N, W).

    Raises:
        RecipeError: for anything else, and as ``CountTable`` raises.
    """
    if isinstance(data, CountTable):
        return data
    if hasattr(data, "tocsr"):
        rows = data.tocsr(copy=True)
        rows.sum_duplicates()
        _refuse_fractions(np.asarray(rows.data))
        _refuse_negative(np.asarray(rows.data), np.asarray(rows.indptr))
        rows.eliminate_zeros()
        return CountTable(rows.indptr, rows.indices, rows.data, rows.shape[1])
    dense = np.asarray(data)
    if dense.ndim != 2 or dense.dtype.kind not in "iufb":
        raise RecipeError(
            "counts must be a CountTable, a matrix of scipy.sparse, or an array of numbers of the"
            f" shape (data, columns), and not {type(data).__name__} of the shape {dense.shape}"
        )
    _refuse_fractions(dense)
    wrong = np.argwhere(dense < 0)
    if wrong.size:
        d, w = wrong[0]
        raise RecipeError(
            f"datum {d} has the count {dense[d, w]} in column {w}; counts are 0 or more"
        )
    d, w = np.nonzero(dense)
    starts = np.searchsorted(d, np.arange(dense.shape[0] + 1))
    return CountTable(starts, w, dense[d, w], dense.shape[1])


def _whole(name: str, values: Any) -> np.ndarray:
    array = values if isinstance(values, np.ndarray) else np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "iufb":
        raise RecipeError(f"{name} must be an array of whole numbers of one dimension")
    _refuse_fractions(array)
    return array


def _refuse_fractions(array: np.ndarray) -> None:
    if array.dtype.kind == "f":
        wrong = ~(np.isfinite(array) & (np.floor(array) == array))
        if wrong.any():
            raise RecipeError(
                f"counts are whole numbers, and {array[wrong].flat[0]} is none; frequencies must be"
                " turned into counts first"
            )


def _refuse_negative(counts: np.ndarray, starts: np.ndarray) -> None:
    wrong = np.flatnonzero(counts < 0)
    if wrong.size:
        d = int(np.searchsorted(starts, wrong[0], side="right")) - 1
        raise RecipeError(f"datum {d} has the count {counts[wrong[0]]:g}; counts are 0 or more")


def _check_shape(starts: np.ndarray, columns: np.ndarray, counts: np.ndarray) -> None:
    if starts.size < 2:
        raise RecipeError("there are no data: starts must have one number more than there are data")
    fits = starts[0] == 0 and starts[-1] == columns.size == counts.size
    if not (fits and (np.diff(starts) >= 0).all()):
        raise RecipeError(
            f"starts must ascend from 0 to the number of entries, which is {columns.size} in"
            f" columns and {counts.size} in counts"
        )


def _check_entries(starts: np.ndarray, columns: np.ndarray, counts: np.ndarray, width: int) -> None:
    wrong = np.flatnonzero((columns < 0) | (columns >= width))
    if wrong.size:
        d = int(np.searchsorted(starts, wrong[0], side="right")) - 1
        raise RecipeError(
            f"datum {d} has an item in column {int(columns[wrong[0]])}, and there are {width}"
            " columns, numbered from 0"
        )
    _refuse_negative(counts, starts)
    wrong = np.flatnonzero(counts == 0)
    if wrong.size:
        d = int(np.searchsorted(starts, wrong[0], side="right")) - 1
        raise RecipeError(f"datum {d} has an entry with the count 0; leave such entries out")


def _check_data(starts: np.ndarray, counts: np.ndarray) -> None:
    empty = np.flatnonzero(np.diff(starts) == 0)
    if empty.size:
        more = f", and {empty.size - 1} others have none" if empty.size > 1 else ""
        raise RecipeError(
            f"datum {int(empty[0])} has no items at all{more}; it says nothing, and N is the number"
            " of data with items: leave such data out"
        )
    items = np.add.reduceat(counts.astype(np.int64), starts[:-1])
    if items.max() > MAX_ITEMS:
        raise RecipeError(
            f"datum {int(items.argmax())} has {items.max()} items, which are too many"
        )
