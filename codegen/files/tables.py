"""CSV and Parquet files as float64 arrays, in memory or memory-mapped."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from codegen.files import csv_columns, parquet_columns
from codegen.files.convert import Arrays, as_path, require_regular
from codegen.files.reading import UNPACKED, Read, arrays_of
from recipe.language.errors import RecipeError
from recipe_sampler.extras import missing

TABLES = (".csv", *(f".csv{packed}" for packed in UNPACKED), ".parquet")


def read_table(
    path: str | os.PathLike[str],
    columns: Mapping[str, str | Sequence[str]],
    *,
    into: str | os.PathLike[str] | None = None,
) -> dict[str, np.ndarray]:
    """Read columns of a CSV or Parquet file as float64 arrays; integers and booleans become floats.

    Args:
        path: a file that ends in .csv (its first row names the columns), .csv.gz, .csv.bz2, .csv.xz
            or .parquet.
        columns: which columns make which array, such as ``{"x": ["age", "height"], "y":
            "income"}``.
        into: a folder that does not exist or is empty. The arrays are written into it as .npy
            files, a batch at a time, and come back memory-mapped and read-only, so that no more
            than a few batches are ever in memory. A folder that holds the same conversion of the
            same file (by its path, size and time) is used again without reading the file; one that
            holds anything else is refused. An interruption leaves the folder as it was. POSIX only.

    Returns:
        For each name of ``columns`` an array of the shape (rows, number of columns) for a list of
        columns, (rows,) for a single one.

    Raises:
        RecipeError: naming the file, the column and the first wrong row where they are known, and
            the repair; where pyarrow, which parses the files, is not installed.
    """
    file = as_path(path, "path")
    require_regular(file)
    if not file.name.lower().endswith(TABLES):
        raise RecipeError(
            f"{file} is not a kind of table that is known; the name must end in {', '.join(TABLES)}"
        )
    picked = _picked(columns)
    _require_pyarrow(file)
    return arrays_of(
        file,
        tuple(picked),
        {"reader": "table", "columns": picked},
        lambda: _batches(file, picked),
        into,
    )


def _require_pyarrow(file: Path) -> None:
    """Refuse to read a table where the library that parses it is missing."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise RecipeError(missing(f"read_table({file})", "pyarrow")) from None


def _picked(columns: Any) -> dict[str, str | list[str]]:
    """Return the columns of each array, lists copied."""
    example = "give for instance columns={'x': ['age', 'height'], 'y': 'income'}"
    if not isinstance(columns, Mapping) or not columns:
        raise RecipeError(
            f"columns={columns!r} must be a dict from the names of arrays to columns; {example}"
        )
    for name, pick in columns.items():
        if not isinstance(name, str) or not name.isidentifier():
            raise RecipeError(
                f"the name {name!r} must be letters, digits and underscores, for it may name a"
                f" file; {example}"
            )
        listed = (
            isinstance(pick, list | tuple)
            and pick
            and all(isinstance(column, str) for column in pick)
        )
        if not isinstance(pick, str) and not listed:
            raise RecipeError(
                f"columns[{name!r}] = {pick!r} must be the name of a column or a list of names;"
                f" {example}"
            )
    return {name: pick if isinstance(pick, str) else list(pick) for name, pick in columns.items()}


def _batches(path: Path, picked: Mapping[str, str | list[str]]) -> Read[Arrays]:
    """Yield the arrays of a table, a batch of rows at a time; refuse missing and infinite
    values.
    """
    wanted = list(
        dict.fromkeys(
            c for pick in picked.values() for c in ([pick] if isinstance(pick, str) else pick)
        )
    )
    form = parquet_columns if path.suffix.lower() == ".parquet" else csv_columns
    row = 0
    for fraction, found in form.batches(path, wanted):
        for name, values in found.items():
            wrong = ~np.isfinite(values)
            if wrong.any():
                k = int(wrong.argmax())
                what = "a missing value" if np.isnan(values[k]) else "an infinite value"
                raise RecipeError(
                    f"{path}: the column {name!r} has {what} in {form.row_name(row + k)}; fill it"
                    " in or drop the row"
                )
        row += len(found[wanted[0]])
        yield (
            fraction,
            {
                name: (
                    found[pick]
                    if isinstance(pick, str)
                    else np.column_stack([found[c] for c in pick])
                )
                for name, pick in picked.items()
            },
        )
