"""libsvm files as dense arrays, in memory or memory-mapped."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from codegen.files import reading
from codegen.files.convert import Arrays, as_column_count, as_path, require_regular
from codegen.files.libsvm_lines import blocks_of, rows_of
from codegen.files.reading import Read, arrays_of, watched
from recipe.language.errors import RecipeError


def read_libsvm(
    path: str | os.PathLike[str],
    columns: int | None = None,
    *,
    intercept: bool = False,
    into: str | os.PathLike[str] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Read the features and the labels of a libsvm file: lines ``label index:value index:value
    ...``, with indices ascending from 1.

    Comments behind ``#`` are passed over, and so is ``qid:number`` behind a label.

    Args:
        path: the file; one that ends in .gz, .bz2 or .xz is unpacked as it is read.
        columns: the number of features; without it the file is read twice, first for its largest
            index. A test set may lack the last features of its training set, so give it there.
        intercept: put a first column of ones.
        into: a folder for arrays larger than memory: see ``read_table``.

    Returns:
        X of the shape (rows, columns), or (rows, columns + 1) with an intercept, dense; y of the
        shape (rows,). Both float64, each number as Python's ``float`` reads it.

    Raises:
        RecipeError: naming the file, the line where it is known, and the repair.
    """
    file = as_path(path, "path")
    require_regular(file)
    if columns is not None:
        columns = as_column_count(columns, "features")

    def batches() -> Read[Arrays]:
        return _batches(
            file, columns if columns is not None else _largest_index(file), bool(intercept)
        )

    options = {"reader": "libsvm", "columns": columns, "intercept": bool(intercept)}
    arrays = arrays_of(file, ("X", "y"), options, batches, into)
    return arrays["X"], arrays["y"]


def _largest_index(path: Path) -> int:
    """Return the number of features of a libsvm file: its largest index."""
    blocks = watched(f"counting the features of {path.name}", blocks_of(path))
    count = max((int(rows_of(lines).index.max(initial=0)) for lines in blocks), default=0)
    if count == 0:
        raise RecipeError(
            f"{path} has no features, only labels or nothing at all; give a file with lines 'label"
            " index:value ...'"
        )
    return count


def _batches(path: Path, columns: int, intercept: bool) -> Read[Arrays]:
    """Yield dense features and labels, a batch at a time."""
    step = max(1, reading.BATCH_BYTES // (8 * columns))  # a few lines can be many zeros
    for fraction, lines in blocks_of(path):
        rows = rows_of(lines, columns)
        for start in range(0, len(rows.label), step):
            labels = rows.label[start : start + step]
            some = slice(*np.searchsorted(rows.row, [start, start + len(labels)]))
            X = np.zeros((len(labels), columns + intercept))
            X[:, : int(intercept)] = 1.0
            X[rows.row[some] - start, rows.index[some] - 1 + intercept] = rows.value[some]
            yield fraction, {"X": X, "y": labels}
