"""Columns of a CSV file as numbers, a batch of rows at a time."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from codegen.files import reading
from codegen.files.columns import refuse_rounded, require_columns
from codegen.files.convert import Arrays
from codegen.files.reading import Read, opened
from recipe.language.errors import RecipeError


def row_name(k: int) -> str:
    """Return how messages call row k of the data, counted from 0."""
    return f"row {k + 2} (the header is row 1)"


def batches(path: Path, wanted: list[str]) -> Read[Arrays]:
    """Yield the columns as float64, with NaN for an empty field, NA and the like.

    They are read as text and converted here: pyarrow would guess types from the first block, and
    not say which row is wrong.
    """
    import pyarrow as pa
    from pyarrow import csv

    with _opened_table(path, None) as (reader, _):
        require_columns(path, wanted, reader.schema.names)
    types = dict.fromkeys(wanted, pa.string())
    text = csv.ConvertOptions(
        column_types=types, include_columns=wanted, strings_can_be_null=True, check_utf8=False
    )
    row = 0
    with _opened_table(path, text) as (reader, fraction):
        for batch in reader:
            yield (
                fraction(),
                {name: _numbers(path, name, row, batch.column(name)) for name in wanted},
            )
            row += batch.num_rows


@contextmanager
def _opened_table(path: Path, convert: Any) -> Iterator[tuple[Any, Callable[[], float]]]:
    """Open a CSV file for reading a block at a time."""
    from pyarrow import csv

    blocks = csv.ReadOptions(
        block_size=reading.BATCH_BYTES, use_threads=False
    )  # with threads its errors do not number the row
    parse = csv.ParseOptions(newlines_in_values=True)
    with opened(path) as (file, fraction):
        try:
            with csv.open_csv(file, blocks, parse, convert) as reader:
                yield reader, fraction
        except ValueError as error:
            if "straddling" not in str(error):
                raise
            raise RecipeError(
                f"{path} has a row longer than {reading.BATCH_BYTES} bytes, or a quote that is not"
                " closed; correct the file, or convert it to Parquet"
            ) from None


def _numbers(path: Path, name: str, row: int, texts: Any) -> np.ndarray:
    """Return the numbers of a CSV column in some rows; ``row`` is the number of the first row."""
    values = _cast(texts)
    if values is None:
        k = bisect_left(range(len(texts)), True, key=lambda k: _cast(texts[: k + 1]) is None)
        said = texts[k : k + 1].cast("binary")[0].as_py().decode(errors="replace")[:40]
        raise RecipeError(
            f"{path}: the column {name!r} is not a number in {row_name(row + k)}, but {said!r};"
            " correct it"
        )
    refuse_rounded(path, name, row_name, row, values, texts)
    return values


def _cast(texts: Any) -> np.ndarray | None:
    """Return texts as float64; None unless all are numbers, or all are true and false."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for kind in (pa.float64(), pa.bool_()):
        try:
            return pc.cast(pc.cast(pc.ascii_trim_whitespace(texts), kind), pa.float64()).to_numpy(
                zero_copy_only=False
            )
        except pa.ArrowInvalid:
            continue
    return None
