"""The data of a posterior as checked arrays.

A memory-mapped file stays memory-mapped: it is neither copied nor read before a run, but for
integers of 64 bits.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable
from typing import Any

import numpy as np
from sympy import Symbol

from codegen.inputs.demands import require_demands
from codegen.inputs.label_arrays import label_arrays
from codegen.inputs.lengths import Lengths, numbers_as_names
from recipe.declare.derived_data import OfLength
from recipe.declare.posterior import Posterior
from recipe.language.data import VectorData, VectorParameter
from recipe.language.errors import RecipeError
from recipe.language.numbers import (
    array_of_numbers,
    column_names,
    first_row,
    refuse_rounded,
    refuse_unfinite,
)
from recipe.language.symbols import name_of


def resolved_arrays(posterior: Posterior, lengths: Lengths) -> dict[Symbol, np.ndarray]:
    """Return the array of each datum, by symbol.

    Args:
        posterior: the posterior with its data.
        lengths: the known lengths of blocks; those of the columns are added.

    Returns:
        Read-only arrays with one row a datum, C-contiguous unless memory-mapped: of the shape
        (rows, length) for a vector datum, (rows,) for a scalar one. float64 and float32, integers
        and bool keep their type, as a kernel converts each number when it reads it.

    Raises:
        RecipeError: naming the array, its fault and, for a value that is not finite or outside
            the support of its law, the row.
    """
    if posterior.prior_of is not None:  # whose data say how many coordinates there are
        resolved_arrays(posterior.prior_of, lengths)
    require_demands(posterior)
    _learn_known(posterior, lengths)
    arrays = {
        s: _datum_array(s, value, lengths)
        for s, value in posterior.data
        if not isinstance(value, OfLength)
    }
    lengths.learn_names(posterior.coords)
    for length, names in posterior.label_names.items():
        lengths.learn(length, len(names), f"the categories {', '.join(names[:3])}, ...")
        lengths.note_columns(length, names, "the categories of labels")
    arrays |= label_arrays(posterior, lengths, arrays)  # other data may say how many there are
    rows = {name_of(getattr(s, "labels", None) or s): len(array) for s, array in arrays.items()}
    if len(set(rows.values())) > 1:
        shown = ", ".join(f"{name} has {n}" for name, n in rows.items())
        raise RecipeError(
            f"the data arrays have different numbers of rows: {shown}; give every row of each"
        )
    return arrays


def _learn_known(posterior: Posterior, lengths: Lengths) -> None:
    """Take note of the lengths that parameters say which carry their numbers."""
    for s in posterior.parameters:
        if isinstance(s, VectorParameter) and s.known is not None:
            lengths.learn(s.length, len(s.known.numbers), s.known.source)


def _datum_array(s: Symbol, value: Any, lengths: Lengths) -> np.ndarray:
    where, dimensions = f"the data of {name_of(s)}", 2 if isinstance(s, VectorData) else 1
    if is_memory_mapped(value):
        array = _mapped_array(where, value, dimensions)
    else:
        dtype = getattr(value, "dtype", np.dtype(np.float64))
        array = _finite(
            where,
            numbers_of(where, value, dimensions),
            dimensions,
            dtype if _is_readable(dtype) else np.float64,
        )
    if 0 in array.shape:
        missing = "row" if array.shape[0] == 0 else "column"
        raise RecipeError(f"{where} has no {missing}; give at least one")
    if isinstance(s, VectorData):
        lengths.learn(s.length, array.shape[1], f"{where}, of the shape {array.shape},")
        names = column_names(value, numbered=True)
        if names is not None and names == numbers_as_names(names):
            lengths.note_numbered_columns(s.length, names, where)
        elif names is not None:
            lengths.note_columns(s.length, names, where)
    view = array.view(np.uint8 if array.dtype == np.bool_ else array.dtype).view(np.ndarray)
    # Numba compiles once for each type of array, and read-only arrays are a type of their own.
    view.flags.writeable = False
    return view


def is_memory_mapped(value: Any) -> bool:
    """Return True if the numbers of an array lie in a memory-mapped file.

    Its class does not tell: a copy of a ``numpy.memmap`` has the same class and lies in memory.
    """
    while isinstance(value, np.ndarray | memoryview):
        value = value.obj if isinstance(value, memoryview) else value.base
    return isinstance(value, mmap.mmap)


def _mapped_array(where: str, value: Any, dimensions: int) -> np.ndarray:
    """Return the array as it lies in its file.

    Of its numbers only integers of 64 bits are read, as float64 may round them.
    """
    array = np.asanyarray(value)
    if not _is_readable(array.dtype):
        raise RecipeError(
            f"{where} is memory-mapped as {array.dtype}; write the file as float64, float32, an"
            " integer type or bool"
        )
    _check_dimensions(where, array, dimensions)
    refuse_rounded(where, array)
    return array


def _is_readable(dtype: Any) -> bool:
    """Return True if a kernel can read numbers of this type as they lie in memory."""
    return (
        isinstance(dtype, np.dtype)
        and dtype.kind in "fiub"
        and dtype.isnative
        and dtype not in (np.float16, np.longdouble)
    )


def first_bad_row(array: np.ndarray) -> int | None:
    """Return the number of the first row with a value that is not finite; None if all are finite.

    The array is read in pieces, so that no copy of it is made.
    """
    return first_row(array, lambda block: ~np.isfinite(block))


def bad_rows(posteriors: Iterable[Posterior]) -> list[str]:
    """Return a sentence for each data array with a value that is not finite, which names the first
    such row. A run asks for them after a chain has diverged.

    Memory-mapped data are read for the first time here. All other data were finite before the run,
    and are read again, as the user may have changed them since.
    """
    found = []
    for posterior in posteriors:
        for s, value in posterior.data:
            floats = isinstance(value, np.ndarray) and value.dtype.kind == "f"
            row = first_bad_row(value) if floats else None
            if row is not None:
                found.append(
                    f"row {row} of the data of {name_of(s)} contains a value that is not finite"
                )
    return found


def finite_array(where: str, value: Any, dimensions: int) -> np.ndarray:
    """Return a value as a finite C-contiguous array of float64.

    Args:
        where: the name of the value in messages.
        value: a number or an array.
        dimensions: 0, 1 or 2.

    Raises:
        RecipeError: where it has another number of dimensions, is not finite, or is not a number;
            True and False are numbers in data only.
    """
    array = numbers_of(where, value, dimensions)
    if array.dtype == np.bool_:
        repair = "write 1.0 or 0.0" if array.ndim == 0 else "write .astype(float)"
        raise RecipeError(
            f"{where} must be {_kind(dimensions)} of floats, not bool; {repair} if you mean these"
            " numbers"
        )
    return _finite(where, array, dimensions, np.float64)


def numbers_of(where: str, value: Any, dimensions: int) -> np.ndarray:
    """Return a value as an array of its own type and shape.

    Args:
        where: the name of the value in messages.
        value: a number or an array.
        dimensions: the number of dimensions that a message asks for; it is not checked here.

    Raises:
        RecipeError: where it has masked values, or does not consist of numbers.
    """
    if np.ma.is_masked(value):
        raise RecipeError(f"{where} has masked values; leave those rows out, or fill them in")
    return array_of_numbers(where, value, f"{_kind(dimensions)} of floats")


def _finite(where: str, array: np.ndarray, dimensions: int, dtype: Any) -> np.ndarray:
    array = np.asarray(array, dtype=dtype, order="C")
    _check_dimensions(where, array, dimensions)
    refuse_unfinite(where, array)
    return array


def _check_dimensions(where: str, array: np.ndarray, dimensions: int) -> None:
    if array.ndim != dimensions:
        raise RecipeError(
            f"{where} must be {_kind(dimensions)}, but it has the shape"
            f" {array.shape}{_repair(array.shape, dimensions)}"
        )


def _repair(shape: tuple[int, ...], dimensions: int) -> str:
    """Return how an array of another shape is given instead, as a clause that begins with "; "."""
    if dimensions == 1 and len(shape) == 2 and 1 in shape:
        return "; give it as .ravel()"
    if dimensions == 1 and len(shape) == 2:
        return "; give one column of it, or declare the symbol with like= a block of that length"
    if dimensions == 2 and len(shape) == 1:
        return "; give it as .reshape(-1, 1), or declare the symbol without like="
    return ""


def _kind(dimensions: int) -> str:
    return ("a number", "an array of one dimension", "an array of two dimensions")[dimensions]
