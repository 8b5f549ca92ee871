"""The arrays of a posterior's data, checked. A memory-mapped file stays one: it is neither copied nor read through."""

from __future__ import annotations

import mmap
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
from sympy import Symbol

from codegen.lengths import Lengths
from recipe.errors import RecipeError
from recipe.posterior import Posterior
from recipe.symbols import VectorData, name_of

BLOCK_BYTES = 2**24  # how much is looked at in one piece


def resolved_arrays(posterior: Posterior, lengths: Lengths) -> dict[Symbol, np.ndarray]:
    """The arrays by symbol: read-only, of one dtype and layout, with as many rows each.

    Raises:
        RecipeError: naming the array and what is wrong with it.
    """
    arrays = {s: _datum_array(s, value, lengths) for s, value in posterior.data}
    rows = {name_of(s): array.shape[0] for s, array in arrays.items()}
    if len(set(rows.values())) > 1:
        shown = ", ".join(f"{name} has {n}" for name, n in rows.items())
        raise RecipeError(f"the data arrays have different numbers of rows: {shown}")
    return arrays


def _datum_array(s: Symbol, value: Any, lengths: Lengths) -> np.ndarray:
    where, dimensions = f"the data of {name_of(s)}", 2 if isinstance(s, VectorData) else 1
    if is_memory_mapped(value):
        array = _mapped_array(where, value, dimensions)
    else:  # smaller types stay as they are: the arithmetic is float64 all the same
        dtype = getattr(value, "dtype", np.dtype(np.float64))
        array = finite_array(where, value, dimensions, dtype if _is_readable(dtype) else np.float64)
    if 0 in array.shape:
        raise RecipeError(f"{where} has no {'row' if array.shape[0] == 0 else 'column'}")
    if isinstance(s, VectorData):
        lengths.learn(s.length, array.shape[1], f"{where}, of the shape {array.shape},")
    view = array.view(np.uint8 if array.dtype == np.bool_ else array.dtype).view(np.ndarray)
    view.flags.writeable = False  # a kernel reads it only, and one type of array is one compilation
    return view


def is_memory_mapped(value: Any) -> bool:
    """Whether the numbers of an array lie in a memory-mapped file (a copy of one has its class, and lies in memory)."""
    while isinstance(value, np.ndarray | memoryview):
        value = value.obj if isinstance(value, memoryview) else value.base
    return isinstance(value, mmap.mmap)


def _mapped_array(where: str, value: np.ndarray, dimensions: int) -> np.ndarray:
    """The array as it lies in its file. Its values are not looked at before a kernel meets them."""
    if not _is_readable(value.dtype):
        raise RecipeError(f"{where} is memory-mapped as {value.dtype}; write the file as float64, float32, an integer type or bool")
    _check_dimensions(where, value, dimensions)
    return value


def _is_readable(dtype: Any) -> bool:
    """Whether a kernel reads numbers of this type as they lie in memory."""
    return isinstance(dtype, np.dtype) and dtype.kind in "fiub" and dtype.isnative and dtype not in (np.float16, np.longdouble)


def first_bad_row(array: np.ndarray) -> int | None:
    """The number of the first row with a value that is not finite, looked for in pieces."""
    size = max(1, BLOCK_BYTES // max(1, array[:1].nbytes))
    for start in range(0, array.shape[0], size):
        bad = ~np.isfinite(array[start : start + size])
        if bad.any():
            return start + int(np.flatnonzero(bad.reshape(bad.shape[0], -1).any(axis=1))[0])
    return None


def bad_rows(posteriors: Mapping[Any, Posterior]) -> list[str]:
    """In words, the values of memory-mapped data that are not finite: what to say when a chain has diverged."""
    found = []
    for posterior in posteriors.values():
        for s, value in posterior.data:
            row = first_bad_row(value) if is_memory_mapped(value) else None
            if row is not None:
                found.append(f"row {row} of the data of {name_of(s)} contains a value that is not finite")
    return found


def finite_array(where: str, value: Any, dimensions: int, dtype: Any = np.float64) -> np.ndarray:
    """A finite C-contiguous array of that many dimensions."""
    if np.ma.is_masked(value):
        raise RecipeError(f"{where} has masked values; leave those rows out, or fill them in")
    try:
        kind = np.asarray(value).dtype.kind
        if kind in "mMSU":  # dates and text, which numpy would turn into numbers
            raise TypeError
        array = np.zeros(0) if kind == "c" else np.ascontiguousarray(np.asarray(value, dtype=dtype)).reshape(np.shape(value))
    except (TypeError, ValueError):
        given = f"of {value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__
        raise RecipeError(f"{where} must be {_kind(dimensions)} of floats, not {given}") from None
    except OverflowError:
        raise RecipeError(f"{where} contains a number beyond {sys.float_info.max:.2g}, the largest float") from None
    if kind == "c":
        raise RecipeError(f"{where} is complex; it must be {_kind(dimensions)} of real numbers")
    _check_dimensions(where, array, dimensions)
    row = first_bad_row(array) if array.ndim else 0 if not np.isfinite(array) else None
    if row is not None:
        raise RecipeError(f"{where} contains a value that is not finite{f', in row {row}' if array.ndim else ''}")
    return array


def _check_dimensions(where: str, array: np.ndarray, dimensions: int) -> None:
    if array.ndim != dimensions:
        raise RecipeError(f"{where} must be {_kind(dimensions)}, but it has the shape {array.shape}")


def _kind(dimensions: int) -> str:
    return ("a number", "an array of one dimension", "an array of two dimensions")[dimensions]
