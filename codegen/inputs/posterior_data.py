"""The arrays of a posterior's data, checked. A memory-mapped file stays one: it is neither copied
nor read through.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable
from typing import Any

import numpy as np
from sympy import Symbol

from codegen.inputs.lengths import Lengths
from recipe.declare.posterior import Posterior
from recipe.language.errors import RecipeError
from recipe.language.numbers import array_of_numbers, first_row, refuse_rounded, refuse_unfinite
from recipe.language.symbols import VectorData, name_of


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
        array = _finite(
            where,
            numbers_of(where, value, dimensions),
            dimensions,
            dtype if _is_readable(dtype) else np.float64,
        )
    if 0 in array.shape:
        raise RecipeError(f"{where} has no {'row' if array.shape[0] == 0 else 'column'}")
    if isinstance(s, VectorData):
        lengths.learn(s.length, array.shape[1], f"{where}, of the shape {array.shape},")
    view = array.view(np.uint8 if array.dtype == np.bool_ else array.dtype).view(np.ndarray)
    view.flags.writeable = False  # a kernel reads it only, and one type of array is one compilation
    return view


def is_memory_mapped(value: Any) -> bool:
    """Whether the numbers of an array lie in a memory-mapped file (a copy of one has its class, and
    lies in memory).
    """
    while isinstance(value, np.ndarray | memoryview):
        value = value.obj if isinstance(value, memoryview) else value.base
    return isinstance(value, mmap.mmap)


def _mapped_array(where: str, value: Any, dimensions: int) -> np.ndarray:
    """The array as it lies in its file. Only integers of 64 bits are looked at before a run."""
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
    """Whether a kernel reads numbers of this type as they lie in memory."""
    return (
        isinstance(dtype, np.dtype)
        and dtype.kind in "fiub"
        and dtype.isnative
        and dtype not in (np.float16, np.longdouble)
    )


def first_bad_row(array: np.ndarray) -> int | None:
    """The number of the first row with a value that is not finite, looked for in pieces."""
    return first_row(array, lambda block: ~np.isfinite(block))


def bad_rows(posteriors: Iterable[Posterior]) -> list[str]:
    """In words, the first row of each array that is not finite: to be said when a chain diverged.

    Memory-mapped data are looked at for the first time, others again: they may have been changed.
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
    """A finite C-contiguous array of floats. True and False are numbers in data only."""
    array = numbers_of(where, value, dimensions)
    if array.dtype == np.bool_:
        repair = "write 1.0 or 0.0" if array.ndim == 0 else "write .astype(float)"
        raise RecipeError(
            f"{where} must be {_kind(dimensions)} of floats, not bool; {repair} if you mean these"
            " numbers"
        )
    return _finite(where, array, dimensions, np.float64)


def numbers_of(where: str, value: Any, dimensions: int) -> np.ndarray:
    """The numbers that are given, of any type, before their shape is looked at."""
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
            f"{where} must be {_kind(dimensions)}, but it has the shape {array.shape}"
        )


def _kind(dimensions: int) -> str:
    return ("a number", "an array of one dimension", "an array of two dimensions")[dimensions]
