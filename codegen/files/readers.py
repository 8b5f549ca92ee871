"""Data of real size: libsvm, CSV and Parquet files as float64 arrays, in memory or memory-mapped.

scikit-learn and pyarrow parse the files, which are read a batch at a time here. Every mistake
becomes one sentence that says where it is. An array larger than memory goes batch by batch into a
folder that holds either a whole conversion or nothing.
"""

from __future__ import annotations

import bz2
import difflib
import gzip
import lzma
import operator
import os
from bisect import bisect_left
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np

from codegen.files.convert import (
    Arrays,
    as_path,
    first_line,
    in_folder,
    in_memory,
    named,
    require_regular,
)
from codegen.system.progress_bar import progress_bar
from recipe.language.errors import RecipeError
from recipe.language.numbers import MAX_EXACT_INTEGER, rounded_text

BATCH_BYTES = 1 << 20
COLUMN_BUFFER_BYTES = 1 << 16  # one for each column of a Parquet file
BAR_AFTER_SECONDS = 2.0
UNPACKED: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
TABLES = (".csv", *(f".csv{packed}" for packed in UNPACKED), ".parquet")

Item = TypeVar("Item")
# the fraction of the file that has been read so far, and the item that was read
Read = Generator[tuple[float, Item], None, None]


def read_libsvm(
    path: str | os.PathLike[str],
    columns: int | None = None,
    *,
    intercept: bool = False,
    into: str | os.PathLike[str] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Read the features and the labels of a libsvm file: lines ``label index:value index:value
    ...``, with indices ascending from 1.

    Args:
        path: the file; one that ends in .gz, .bz2 or .xz is unpacked as it is read.
        columns: the number of features; without it the file is read twice, first for its largest
            index. A test set may lack the last features of its training set, so give it there.
        intercept: put a first column of ones.
        into: a folder for arrays larger than memory: see ``read_table``.

    Returns:
        X of the shape (rows, columns), or (rows, columns + 1) with an intercept, dense; y of the
        shape (rows,). Both float64.

    Raises:
        RecipeError: naming the file, the line where it is known, and the repair.
    """
    file = as_path(path, "path")
    require_regular(file)
    if columns is not None:
        columns = _feature_count(columns)

    def batches() -> Read[Arrays]:
        return _libsvm_batches(
            file, columns if columns is not None else _largest_index(file), bool(intercept)
        )

    options = {"reader": "libsvm", "columns": columns, "intercept": bool(intercept)}
    arrays = _arrays(file, ("X", "y"), options, batches, into)
    return arrays["X"], arrays["y"]


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
            the repair.
    """
    file = as_path(path, "path")
    require_regular(file)
    if not file.name.lower().endswith(TABLES):
        raise RecipeError(
            f"{file} is not a kind of table that is known; the name must end in {', '.join(TABLES)}"
        )
    picked = _picked(columns)
    return _arrays(
        file,
        tuple(picked),
        {"reader": "table", "columns": picked},
        lambda: _table_batches(file, picked),
        into,
    )


# Arguments


def _feature_count(columns: Any) -> int:
    """Return the number of features that the user gave, a positive integer."""
    try:
        count = operator.index(columns)
    except TypeError:
        count = 0
    if count < 1 or isinstance(columns, bool):
        raise RecipeError(f"columns={columns!r} must be the number of features, a positive integer")
    return count


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


def _columns_there(path: Path, wanted: Iterable[str], there: Sequence[str]) -> None:
    """Require that every requested column is in the file exactly once."""
    for name in wanted:
        if there.count(name) > 1:
            raise RecipeError(
                f"{path} has {there.count(name)} columns with the name {name!r}; rename all but one"
            )
        if name not in there:
            close = difflib.get_close_matches(name, there, n=1)
            meant = f"did you mean {close[0]!r}? It has" if close else "it has"
            more = f" and {len(there) - 10} more" if len(there) > 10 else ""
            raise RecipeError(
                f"{path} has no column {name!r}; {meant} {', '.join(map(repr, there[:10]))}{more}"
            )


# Files, a batch at a time


@contextmanager
def _opened(path: Path) -> Iterator[tuple[BinaryIO, Callable[[], float]]]:
    """Yield the file, unpacked, and a function that returns the fraction of it that has been
    read.
    """
    with named(path), path.open("rb") as raw:
        size = max(os.fstat(raw.fileno()).st_size, 1)
        unpack = UNPACKED.get(path.suffix.lower(), nullcontext)
        with unpack(raw) as file:
            yield file, lambda: raw.tell() / size


def _watched(title: str, read: Read[Item]) -> Generator[Item, None, None]:
    """Yield the items, under a bar on stderr once reading has taken some time, where stderr is a
    terminal.
    """
    with closing(read), progress_bar(title, 1.0, after_seconds=BAR_AFTER_SECONDS) as show:
        for fraction, item in read:
            yield item
            show(fraction)


# libsvm


def _blocks(path: Path) -> Read[tuple[int, list[bytes]]]:
    """Yield whole lines, some megabytes at a time, with the number of the first line."""
    with _opened(path) as (file, fraction):
        number = 1
        while lines := file.readlines(BATCH_BYTES):
            yield fraction(), (number, lines)
            number += len(lines)


def _largest_index(path: Path) -> int:
    """Return the number of features of a libsvm file: its largest index."""
    blocks = _watched(f"counting the features of {path.name}", _blocks(path))
    count = max(
        (
            int(_sparse(path, number, lines)[0].indices.max(initial=-1)) + 1
            for number, lines in blocks
        ),
        default=0,
    )
    if count == 0:
        raise RecipeError(
            f"{path} has no features, only labels or nothing at all; give a file with lines 'label"
            " index:value ...'"
        )
    return count


def _libsvm_batches(path: Path, columns: int, intercept: bool) -> Read[Arrays]:
    """Yield dense features and labels, a batch at a time."""
    step = max(1, BATCH_BYTES // (8 * columns))  # a few lines can be many zeros
    for fraction, (number, lines) in _blocks(path):
        sparse, labels = _sparse(path, number, lines, columns)
        sparse.resize((len(labels), columns))
        for start in range(0, len(labels), step):
            some = sparse[start : start + step]
            X = np.ones((some.shape[0], columns + intercept))
            X[:, int(intercept) :] = some.toarray()
            yield fraction, {"X": X, "y": labels[start : start + step]}


def _sparse(
    path: Path, number: int, lines: list[bytes], columns: int | None = None
) -> tuple[Any, np.ndarray]:
    """Return the sparse features and the labels of some lines; ``number`` is that of the first line
    in the file.

    Raises:
        RecipeError: naming the first wrong line.
    """
    sparse, labels, fault = _parsed(lines, columns)
    if fault is None:
        return sparse, labels
    guilty = bisect_left(
        range(len(lines)), True, key=lambda k: _parsed(lines[: k + 1], columns)[2] is not None
    )
    fault = _parsed(lines[guilty : guilty + 1], columns)[2]
    raise RecipeError(f"{path}, line {number + guilty}: {lines[guilty][:40]!r} {fault}")


def _parsed(lines: list[bytes], columns: int | None) -> tuple[Any, np.ndarray, str | None]:
    """Return the sparse features, the labels, and a description of the fault; None if there is no
    fault.
    """
    from sklearn.datasets import load_svmlight_file

    try:
        sparse, labels = load_svmlight_file(BytesIO(b"".join(lines)), zero_based=False)
    except (ValueError, OverflowError) as error:
        form = "is not libsvm, 'label index:value index:value ...' with indices ascending from 1"
        return None, np.empty(0), f"{form} ({first_line(error)}); correct the line"
    largest = sparse.indices.max(initial=-1) + 1
    if columns is not None and largest > columns:
        return (
            sparse,
            labels,
            (
                f"has the feature index {largest}, beyond columns={columns}; give columns={largest}"
                " or more"
            ),
        )
    if not (np.isfinite(sparse.data).all() and np.isfinite(labels).all()):
        return (
            sparse,
            labels,
            "has a value that is missing or infinite; leave the line out or correct it",
        )
    if max(np.abs(sparse.data).max(initial=0), np.abs(labels).max(initial=0)) >= MAX_EXACT_INTEGER:
        said = (
            text.rpartition(b":")[2].decode()
            for line in lines
            for text in line.partition(b"#")[0].split()
        )
        return sparse, labels, next(filter(None, map(rounded_text, said)), None)
    return sparse, labels, None


# Tables


def _table_batches(path: Path, picked: Mapping[str, str | list[str]]) -> Read[Arrays]:
    """Yield the arrays of a table, a batch of rows at a time; refuse missing and infinite
    values.
    """
    wanted = list(
        dict.fromkeys(
            c for pick in picked.values() for c in ([pick] if isinstance(pick, str) else pick)
        )
    )
    row = 0
    for fraction, found in (_parquet_batches if _is_parquet(path) else _csv_batches)(path, wanted):
        for name, values in found.items():
            wrong = ~np.isfinite(values)
            if wrong.any():
                k = int(wrong.argmax())
                what = "a missing value" if np.isnan(values[k]) else "an infinite value"
                raise RecipeError(
                    f"{path}: the column {name!r} has {what} in {_row(path, row + k)}; fill it in"
                    " or drop the row"
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


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() == ".parquet"


def _row(path: Path, k: int) -> str:
    return f"row {k + 1}" if _is_parquet(path) else f"row {k + 2} (the header is row 1)"


def _parquet_batches(path: Path, wanted: list[str]) -> Read[Arrays]:
    """Yield the columns as float64, with NaN for a null."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    numeric = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_boolean)
    with _opened(path) as (file, _):
        table = pq.ParquetFile(
            file, buffer_size=COLUMN_BUFFER_BYTES, pre_buffer=False
        )  # else it holds a whole row group
        schema, rows, done = table.schema_arrow, table.metadata.num_rows, 0
        _columns_there(path, wanted, schema.names)
        for name in wanted:
            kind = schema.field(name).type
            if not any(is_kind(kind) for is_kind in numeric):
                raise RecipeError(
                    f"{path}: the column {name!r} is of the type {kind}, not numbers; choose"
                    " another or convert it"
                )
        for batch in table.iter_batches(max(1, BATCH_BYTES // (8 * len(wanted))), columns=wanted):
            done += batch.num_rows
            floats = {
                name: pc.cast(batch.column(name), pa.float64(), safe=False) for name in wanted
            }
            found = {name: values.to_numpy(zero_copy_only=False) for name, values in floats.items()}
            for name, values in found.items():
                _refuse_rounded(path, name, done - batch.num_rows, values, batch.column(name))
            yield done / rows, found


def _csv_batches(path: Path, wanted: list[str]) -> Read[Arrays]:
    """Yield the columns as float64, with NaN for an empty field, NA and the like.

    They are read as text and converted here: pyarrow would guess types from the first block, and
    not say which row is wrong.
    """
    import pyarrow as pa
    from pyarrow import csv

    with _csv_opened(path, None) as (reader, _):
        _columns_there(path, wanted, reader.schema.names)
    types = dict.fromkeys(wanted, pa.string())
    text = csv.ConvertOptions(
        column_types=types, include_columns=wanted, strings_can_be_null=True, check_utf8=False
    )
    row = 0
    with _csv_opened(path, text) as (reader, fraction):
        for batch in reader:
            yield (
                fraction(),
                {name: _numbers(path, name, row, batch.column(name)) for name in wanted},
            )
            row += batch.num_rows


@contextmanager
def _csv_opened(path: Path, convert: Any) -> Iterator[tuple[Any, Callable[[], float]]]:
    """Open a CSV file for reading a block at a time."""
    from pyarrow import csv

    blocks = csv.ReadOptions(
        block_size=BATCH_BYTES, use_threads=False
    )  # with threads its errors do not number the row
    parse = csv.ParseOptions(newlines_in_values=True)
    with _opened(path) as (file, fraction):
        try:
            with csv.open_csv(file, blocks, parse, convert) as reader:
                yield reader, fraction
        except ValueError as error:
            if "straddling" not in str(error):
                raise
            what = f"has a row longer than {BATCH_BYTES} bytes, or a quote that is not closed"
            raise RecipeError(
                f"{path} {what}; correct the file, or convert it to Parquet"
            ) from None


def _numbers(path: Path, name: str, row: int, texts: Any) -> np.ndarray:
    """Return the numbers of a CSV column in some rows; ``row`` is the number of the first row."""
    values = _cast(texts)
    if values is None:
        k = bisect_left(range(len(texts)), True, key=lambda k: _cast(texts[: k + 1]) is None)
        said = texts[k : k + 1].cast("binary")[0].as_py().decode(errors="replace")[:40]
        raise RecipeError(
            f"{path}: the column {name!r} is not a number in {_row(path, row + k)}, but {said!r};"
            " correct it"
        )
    _refuse_rounded(path, name, row, values, texts)
    return values


def _refuse_rounded(path: Path, name: str, row: int, values: np.ndarray, exact: Any) -> None:
    """Refuse whole numbers that float64 rounds; ``exact`` has the values as the file writes
    them.
    """
    for k in np.flatnonzero(np.abs(values) >= MAX_EXACT_INTEGER):
        fault = rounded_text(str(exact[int(k)].as_py()))
        if fault is not None:
            raise RecipeError(f"{path}: the column {name!r} {fault}, in {_row(path, row + int(k))}")


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


# Arrays


def _arrays(
    file: Path,
    names: tuple[str, ...],
    options: dict[str, Any],
    batches: Callable[[], Read[Arrays]],
    into: Any,
) -> Arrays:
    """Return the arrays, in memory or in the folder ``into``."""

    def read() -> Generator[Arrays, None, None]:
        return _some_rows(file, _watched(f"reading {file.name}", batches()))

    try:
        if into is None:
            return in_memory(read())
        return in_folder(as_path(into, "into").resolve(), file, names, options, read)
    except MemoryError:
        raise RecipeError(
            f"{file} needs more memory than there is; give into=FOLDER, or choose fewer columns"
        ) from None


def _some_rows(file: Path, batches: Iterator[Arrays]) -> Generator[Arrays, None, None]:
    """Pass the batches on, and refuse a file without rows."""
    rows = 0
    for batch in batches:
        yield batch
        rows += len(next(iter(batch.values())))
    if rows == 0:
        raise RecipeError(f"{file} has no rows of data; give a file that has some")
