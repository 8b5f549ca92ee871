"""Columns of a Parquet file as numbers, a batch of rows at a time."""

from __future__ import annotations

from pathlib import Path

from codegen.files import reading
from codegen.files.columns import refuse_rounded, require_columns
from codegen.files.convert import Arrays
from codegen.files.reading import Read, opened
from recipe.language.errors import RecipeError

COLUMN_BUFFER_BYTES = 1 << 16  # one for each column


def row_name(k: int) -> str:
    """Return how messages call row k, counted from 0."""
    return f"row {k + 1}"


def batches(path: Path, wanted: list[str]) -> Read[Arrays]:
    """Yield the columns as float64, with NaN for a null."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    numeric = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_boolean)
    with opened(path) as (file, _):
        table = pq.ParquetFile(
            file, buffer_size=COLUMN_BUFFER_BYTES, pre_buffer=False
        )  # else it holds a whole row group
        schema, rows, done = table.schema_arrow, table.metadata.num_rows, 0
        require_columns(path, wanted, schema.names)
        for name in wanted:
            kind = schema.field(name).type
            if not any(is_kind(kind) for is_kind in numeric):
                raise RecipeError(
                    f"{path}: the column {name!r} is of the type {kind}, not numbers; choose"
                    " another or convert it"
                )
        some = max(1, reading.BATCH_BYTES // (8 * len(wanted)))
        for batch in table.iter_batches(some, columns=wanted):
            first, done = done, done + batch.num_rows
            floats = {
                name: pc.cast(batch.column(name), pa.float64(), safe=False) for name in wanted
            }
            found = {name: values.to_numpy(zero_copy_only=False) for name, values in floats.items()}
            for name, values in found.items():
                refuse_rounded(path, name, row_name, first, values, batch.column(name))
            yield done / rows, found
