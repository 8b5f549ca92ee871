"""Convert numbers that a user gives, in whatever container, to a numpy array, or refuse them.

One rule serves numpy, pandas, polars, pyarrow, torch, xarray and lists: text, dates, categories and
missing values are not numbers, and a whole number that float64 would round is refused. Values are
checked before numpy converts them, because numpy reads text as numbers, dates as nanoseconds, and
the integers of a table as floats where another column has floats.
"""

from __future__ import annotations

import math
import numbers
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NoReturn

import numpy as np

from recipe.language.errors import RecipeError

MAX_EXACT_INTEGER = 2**53  # float64 holds every whole number up to this one
NOT_NUMBERS = (bool, str, bytes, bytearray, np.bool_, np.complexfloating, np.timedelta64)
INTEGER_TEXT = re.compile(r"\s*[+-]?[0-9]+\s*")
BLOCK_BYTES = 2**24  # rows are searched in blocks of this size
REPAIRS = {
    "text": "convert it to numbers first, for instance with .astype(float)",
    "words": (
        "give each category a column of 0 and 1, pandas.get_dummies(column, drop_first=True), or an"
        " effect of its own, theta[group], with .astype('category'); give an outcome as the numbers"
        " of its categories, pandas.Categorical(column, categories=[...]).codes; where the text"
        " stands for a missing value, leave the row out"
    ),
    "dates": "convert them to numbers first, for instance to days since the first one",
    "written": "subtract an offset, or write a decimal point behind it where rounding does no harm",
    "rounded": "subtract an offset, or give floats, .astype(float), where rounding does no harm",
}


def array_of_numbers(where: str, value: Any, kind: str) -> np.ndarray:
    """Return the numbers as an array of floats, integers or booleans, in the shape that they came
    in.

    Args:
        where: how the message calls the place of the value.
        value: an array, a table, a column, a list or a number.
        kind: what the value must be, in words, for the message.

    Raises:
        RecipeError: naming the column of a table, and the first row at fault.
    """
    columns = _columns(value)
    if columns is not None:
        return _side_by_side(
            value,
            [_column(f"the column {label!r} of {where}", column) for label, column in columns],
        )
    if hasattr(value, "to_frame") and isinstance(value.name, str) and value.name:
        return _Expected(f"the column {value.name!r} of {where}", kind).array(value)
    return _Expected(where, kind).array(value)


def plain_number(value: Any) -> float:
    """Return the value as a float.

    Raises:
        TypeError: for a value that float() accepts although it is no number, such as True or text.
    """
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype == object:
        value = value.item()
    kind = str(getattr(getattr(value, "dtype", None), "kind", "f"))
    if np.ndim(value) or isinstance(value, NOT_NUMBERS) or kind in "bcmMSU":
        raise TypeError(f"{type(value).__name__} is no number")
    return float(value)


def first_row(array: np.ndarray, is_bad: Callable[[np.ndarray], np.ndarray]) -> int | None:
    """Return the number of the first row with a bad value, or None where all are good.

    Rows are searched in blocks of ``BLOCK_BYTES``; for a single number the answer is 0 or None.
    """
    array = np.atleast_1d(array)
    size = max(1, BLOCK_BYTES // max(1, array[:1].nbytes))
    for start in range(0, array.shape[0], size):
        bad = is_bad(array[start : start + size])
        if bad.any():
            return start + int(np.flatnonzero(bad.reshape(bad.shape[0], -1).any(axis=1))[0])
    return None


def refuse_unfinite(where: str, array: np.ndarray) -> None:
    """Raise RecipeError if an array contains NaN or an infinity, naming the first such row."""
    row = first_row(array, lambda block: ~np.isfinite(block))
    if row is not None:
        raise RecipeError(
            f"{where} contains a value that is not finite{f', in row {row}' if array.ndim else ''}"
        )


def refuse_rounded(where: str, array: np.ndarray) -> None:
    """Raise RecipeError if an array contains an integer that float64 would round, naming the first
    such row.
    """
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        row = first_row(array, _are_rounded)
        if row is not None:
            values = np.atleast_1d(array)[row : row + 1].ravel()
            _refuse_rounded(
                where, int(values[_are_rounded(values)][0]), _row_words(array.shape, row)
            )


def rounded(whole: int) -> int | None:
    """Return the float64 value of a whole number; None where float64 holds the number exactly."""
    near = int(float(whole))
    return None if near == whole else near


def rounded_text(text: str) -> str | None:
    """Return the complaint about a text that is a whole number which float64 rounds; None for any
    other text.
    """
    if (
        INTEGER_TEXT.fullmatch(text) is None
        or not np.isfinite(float(text))
        or rounded(int(text)) is None
    ):
        return None
    return (
        f"has the whole number {int(text)}, which float64 rounds to {rounded(int(text))};"
        f" {REPAIRS['written']}"
    )


@dataclass(frozen=True)
class _Expected:
    """A value that is asked for: ``where`` it stands and the ``kind`` of thing that it must be,
    both in words for messages.
    """

    where: str
    kind: str

    def array(self, value: Any) -> np.ndarray:
        """Convert anything but a table to an array of numbers."""
        types = (getattr(value, name, None) for name in ("dtype", "type"))
        if any(hasattr(t, "categories") or hasattr(t, "index_type") for t in types):
            self.refuse(
                "categories",
                repair=(
                    "give the numbers of the categories in their order, from 0: .cat.codes of a"
                    " Series, .codes of a Categorical; or .astype(float) where they are numbers"
                ),
            )
        try:
            array = np.asarray(value)
        except Exception as error:  # whatever the library behind the value says
            reason = (str(error).splitlines() or [""])[0]
            ragged = "inhomogeneous" in reason
            self.refuse(
                type(value).__name__, f": {'its rows differ in length' if ragged else reason}"
            )
        missing = _first_missing(value) if array.ndim == 1 else None
        if missing is not None:
            self._refuse_missing(_row_words(array.shape, missing))
        if array.dtype.kind in "fiub":
            return self._exact(value, array)
        if array.dtype.kind == "c":
            kind = self.kind.replace("floats", "real numbers")
            raise RecipeError(f"{self.where} is complex; it must be {kind}: give its real part")
        if array.dtype.kind in "mM":
            self.refuse(array.dtype.name.partition("[")[0], repair=REPAIRS["dates"])
        if array.dtype.names:
            self.refuse(
                "records", repair=f"give one field, for instance [{array.dtype.names[0]!r}]"
            )
        if array.dtype.kind == "V":  # types that other libraries add, such as bfloat16
            return self._cast(array)
        return self._from_objects(value, array if array.dtype.kind == "O" else array.astype(object))

    def refuse(self, what: str, found: str = "", repair: str = "") -> NoReturn:
        """Raise RecipeError: ``what`` was given instead, ``found`` where, and the ``repair``."""
        raise RecipeError(
            f"{self.where} must be {self.kind}, not {what}{found}{f'; {repair}' if repair else ''}"
        )

    def _refuse_missing(self, row: str) -> NoReturn:
        raise RecipeError(
            f"{self.where} has a missing value{row}; fill it in, or leave the row out"
        )

    def _exact(self, value: Any, array: np.ndarray) -> np.ndarray:
        """Return an array of numbers if float64 holds them exactly as they were given."""
        if (
            isinstance(value, Sequence)
            and array.dtype.kind == "f"
            and np.any(np.abs(array) >= MAX_EXACT_INTEGER)
        ):
            return self._from_objects(
                value, np.asarray(value, dtype=object)
            )  # whole numbers among floats
        refuse_rounded(self.where, array)
        if array.dtype.kind == "f" and array.dtype.itemsize > 8:
            return self._narrowed(array)
        return array

    def _narrowed(self, array: np.ndarray) -> np.ndarray:
        def lost(wide: np.ndarray) -> np.ndarray:
            with np.errstate(over="ignore", invalid="ignore"):
                return (wide.astype(np.float64).astype(wide.dtype) != wide) & ~np.isnan(wide)

        row = first_row(array, lost)
        if row is not None:
            raise RecipeError(
                f"{self.where} is of {array.dtype}, and float64 does not hold its"
                f" number{_row_words(array.shape, row)}; round it yourself, with"
                " .astype(numpy.float64)"
            )
        return array.astype(np.float64)

    def _cast(self, array: np.ndarray) -> np.ndarray:
        try:
            return array.astype(np.float64)
        except (TypeError, ValueError):
            self.refuse(str(array.dtype))

    def _from_objects(self, value: Any, array: np.ndarray) -> np.ndarray:
        if (
            array.ndim == 0
            and array.item() is value
            and not isinstance(value, numbers.Number)
            and hasattr(value, "toarray")
        ):
            self.refuse(type(value).__name__, repair="give a dense array, .toarray()")
        width = math.prod(array.shape[1:])
        found = []
        for k, v in enumerate(array.flat):
            if isinstance(v, str | bytes) and array.ndim:
                self._refuse_text(array, k)
            found.append(self._number(v, _row_words(array.shape, k // max(1, width))))
        return np.array(found, dtype=np.float64).reshape(array.shape)

    def _refuse_text(self, array: np.ndarray, first: int) -> NoReturn:
        """Refuse an array with text, naming the first text that does not read as a number, if
        there is one: this keeps all of it from being converted.
        """
        texts = ((k, v) for k, v in enumerate(array.flat) if isinstance(v, str | bytes))
        k, v = next(((k, v) for k, v in texts if not _reads_as_number(v)), (first, None))
        if v is None:
            v, repair = array.flat[first], REPAIRS["text"]
        else:
            repair = REPAIRS["words"]
        place = _place_words(array.shape, k)
        self.refuse(_named(v, str, bytes), f": it has {v[:40]!r}{place}", repair)

    def _number(self, v: Any, row: str) -> float:
        """Convert one object to a float; ``row`` is its place, in words."""
        if isinstance(v, float | bool | np.bool_):
            return float(v)
        if v is None or type(v).__name__ in ("NAType", "NaTType"):
            self._refuse_missing(row)
        if isinstance(v, str | bytes):
            self.refuse(
                _named(v, str, bytes), f": it has {v[:40]!r}{row}" if row else "", REPAIRS["text"]
            )
        if isinstance(v, np.datetime64 | np.timedelta64) or hasattr(v, "isoformat"):
            self.refuse(type(v).__name__, f": it has {v!s}{row}" if row else "", REPAIRS["dates"])
        if isinstance(v, np.longdouble | np.complexfloating) and not isinstance(v, np.float64):
            return float(self.array(np.asarray(v)))
        if np.ndim(v):
            self.refuse(type(v).__name__, f"{row}", "give rows of one length")
        try:
            number = float(v)
        except OverflowError:
            raise RecipeError(
                f"{self.where} has a number{row} that is too large for float64; rescale it"
            ) from None
        except (TypeError, ValueError):
            self.refuse(type(v).__name__, row and f": it has one{row}")
        whole = _whole(v, number)
        if whole is not None and rounded(whole) is not None:
            _refuse_rounded(self.where, whole, row)
        return number


def _first_missing(column: Any) -> int | None:
    """Return the row of the first value that a column of pandas, polars or pyarrow marks as
    missing, and that numpy reads as NaN; None where there is none.
    """
    marked = getattr(getattr(column, "dtype", None), "na_value", None)
    if type(marked).__name__ == "NAType" and hasattr(column, "isna"):  # pandas
        missing = column.isna()
    elif hasattr(column, "null_count") and hasattr(column, "is_null"):  # polars, pyarrow
        missing = column.is_null()
    else:
        return None
    rows = np.flatnonzero(np.asarray(missing, dtype=bool))
    return int(rows[0]) if rows.size else None


def _reads_as_number(text: str | bytes) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _place_words(shape: tuple[int, ...], k: int) -> str:
    """Return the place of the k-th number of an array, in words that follow a value."""
    width = math.prod(shape[1:])
    row = _row_words(shape, k // max(1, width))
    return f"{row}, column {k % width}" if len(shape) == 2 and width > 1 else row


def _whole(v: Any, number: float) -> int | None:
    """Return the exact whole number behind an object whose float is too large to be trusted; None
    for any other object.
    """
    if not MAX_EXACT_INTEGER <= abs(number) < np.inf:
        return None
    try:
        return operator.index(v)
    except TypeError:
        if not isinstance(v, Decimal | numbers.Rational):
            return None
        near: Any = math.floor(v)
        return int(near) if v == near else None


def _refuse_rounded(where: str, whole: int, row: str) -> NoReturn:
    near = f"{whole}{row}, which float64 rounds to {rounded(whole)}"
    raise RecipeError(f"{where} has the whole number {near}; {REPAIRS['rounded']}")


def _are_rounded(block: np.ndarray) -> np.ndarray:
    """Mark the 64-bit integers that float64 does not hold: their odd factor exceeds 2^53."""
    if block.size == 0 or (block.max() <= MAX_EXACT_INTEGER and block.min() >= -MAX_EXACT_INTEGER):
        return np.zeros(block.shape, dtype=bool)
    size = np.abs(block).astype(
        np.uint64
    )  # right for the least int64 too, whose size wraps to itself
    power = np.maximum(size & (~size + np.uint64(1)), np.uint64(1))
    return size // power > np.uint64(MAX_EXACT_INTEGER)


def column_names(value: Any, numbered: bool = False) -> tuple[str, ...] | None:
    """Return the names of the columns of a table; None where it has none that can name coordinates:
    where they are not distinct, not printable, or the numbers from 0 in order.

    Args:
        value: the table, or any other value.
        numbered: also return the numbers from 0 in order, as a table without names has them too.
    """
    labels = [label for label, _ in _columns(value) or ()]
    if labels and all(is_whole(n) for n in labels):
        in_order = all(n == k for k, n in enumerate(labels))
        labels = [] if in_order and not numbered else [str(int(n)) for n in labels]
    usable = all(isinstance(n, str) and n and n.isprintable() for n in labels)
    return tuple(labels) if labels and usable and len(set(labels)) == len(labels) else None


def is_whole(label: Any) -> bool:
    """Return True for a whole number, in the type of Python or numpy; also as a float, which tables
    make of whole numbers when they are joined.
    """
    if isinstance(label, float | np.floating):
        number = float(label)
        return abs(number) < MAX_EXACT_INTEGER and number.is_integer()
    return isinstance(label, int | np.integer) and not isinstance(label, bool)


def _columns(value: Any) -> list[tuple[Any, Any]] | None:
    """Return the columns of a table with their names, or None where the value is no table.

    The libraries of tables are recognised by their attributes, so none of them need be installed.
    """
    if isinstance(value, np.ndarray):
        return None
    if hasattr(value, "column_names") and hasattr(value, "columns"):  # pyarrow
        return list(zip(value.column_names, value.columns, strict=True))
    if hasattr(value, "get_columns"):  # polars
        return [(column.name, column) for column in value.get_columns()]
    if hasattr(value, "iloc") and hasattr(value, "columns"):  # pandas
        return list(value.items())
    return None


def _column(where: str, column: Any) -> np.ndarray:
    array = _Expected(where, "numbers").array(column)
    refuse_unfinite(where, array)
    return array


def _side_by_side(table: Any, arrays: list[np.ndarray]) -> np.ndarray:
    """Join columns to one array; where the table library has such an array already, it is used
    without a copy.
    """
    if not arrays:
        return np.zeros((len(table), 0))
    whole = np.asarray(table) if len({a.dtype for a in arrays}) == 1 else None
    same = whole is not None and whole.dtype == arrays[0].dtype
    return whole if same and whole is not None else np.column_stack(arrays)


def _row_words(shape: tuple[int, ...], row: int) -> str:
    """The words that name a row in a message; empty for a single number."""
    return f" in row {row}" if shape else ""


def _named(v: Any, *types: type) -> str:
    return next(t.__name__ for t in types if isinstance(v, t))
