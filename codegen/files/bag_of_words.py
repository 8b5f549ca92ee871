"""Files of counts: UCI bag-of-words files and libsvm files, as tables of what is not zero."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from codegen.files.convert import as_column_count, as_path, require_regular
from codegen.files.counts import CountTable
from codegen.files.libsvm_lines import blocks_of, rows_of
from codegen.files.reading import Read, line_blocks, opened, watched
from recipe.language.errors import RecipeError

HEADER_LINES = 3  # the numbers of documents, of words and of entries
FORM = "'document word count', three whole numbers, with documents and words counted from 1"


def read_counts(path: str | os.PathLike[str], columns: int | None = None) -> CountTable:
    """Read the counts of a UCI bag-of-words file, or of a libsvm file.

    A bag-of-words file begins with three lines, the numbers of documents, of words and of entries,
    and has lines ``document word count`` behind them. A libsvm file has lines ``label index:count
    index:count ...``; its labels are passed over. Both count from 1.

    Args:
        path: the file; one that ends in .gz, .bz2 or .xz is unpacked as it is read.
        columns: the number of columns of a libsvm file; by default its largest index. Where a
            bag-of-words file says another number, it is refused.

    Returns:
        The counts; columns are numbered from 0.

    Raises:
        RecipeError: naming the file, the line where it is known, and what is wrong: a word that is
            out of range, a negative count, a document without words.
    """
    file = as_path(path, "path")
    require_regular(file)
    if columns is not None:
        columns = as_column_count(columns, "columns")
    header = _header(file)
    try:
        return _libsvm(file, columns) if header is None else _bag(file, header, columns)
    except MemoryError:
        raise RecipeError(f"{file} needs more memory than there is") from None


def _header(path: Path) -> list[int] | None:
    """The three numbers at the top of a bag-of-words file; None for a file without them."""
    with opened(path) as (file, _):
        lines = [file.readline(200).split() for _ in range(HEADER_LINES)]
    if all(len(words) == 1 and words[0].isdigit() and len(words[0]) < 19 for words in lines):
        return [int(words[0]) for words in lines]
    return None


def _bag(path: Path, header: list[int], columns: int | None) -> CountTable:
    documents, words, entries = header
    if columns is not None and columns != words:
        raise RecipeError(f"{path} says that it has {words} words, and columns={columns}")
    for number, what in ((documents, "documents"), (words, "words")):
        if number < 1:
            raise RecipeError(f"{path} says that it has {number} {what}; give a file that has some")
    read = list(watched(f"reading {path.name}", _triples(path)))
    table = np.concatenate(read) if read else np.zeros((0, 3), dtype=np.int64)
    if len(table) != entries:
        raise RecipeError(
            f"{path} says that it has {entries} entries, and has {len(table)}; it may be cut off"
        )
    document, word, count = table.T
    for name, values, most in (("document", document, documents), ("word", word, words)):
        wrong = np.flatnonzero((values < 1) | (values > most))
        if wrong.size:
            raise _at_line(path, wrong[0], f"has the {name} {values[wrong[0]]} of 1 to {most}")
    wrong = np.flatnonzero(count < 1)
    if wrong.size:
        raise _at_line(path, wrong[0], f"has the count {count[wrong[0]]}, which must be 1 or more")
    order = np.lexsort((word, document))
    document, word, count = document[order], word[order], count[order]
    same = np.flatnonzero((np.diff(document) == 0) & (np.diff(word) == 0))
    if same.size:
        raise _at_line(path, order[same[0] + 1], "has a word of its document a second time")
    starts = np.searchsorted(document, np.arange(1, documents + 2))
    return _table(path, starts, word - 1, count, words)


def _at_line(path: Path, entry: int, fault: str) -> RecipeError:
    return RecipeError(f"{path}, line {int(entry) + HEADER_LINES + 1} {fault}")


def _triples(path: Path) -> Read[np.ndarray]:
    """Yield the numbers of the entries, some megabytes at a time."""
    for fraction, (number, lines) in line_blocks(path, skip=HEADER_LINES):
        yield fraction, _numbers(path, number, lines)


def _numbers(path: Path, number: int, lines: list[bytes]) -> np.ndarray:
    """The numbers of some lines; the first line that is no entry is named."""
    try:
        words = b"".join(lines).split()
        if len(words) == 3 * len(lines):
            return np.array(words, dtype=np.int64).reshape(-1, 3)
    except (ValueError, OverflowError):
        pass
    for k, line in enumerate(lines):
        words = line.split()
        try:
            np.array(words, dtype=np.int64)
            fits = len(words) == 3
        except (ValueError, OverflowError):
            fits = False
        if not fits:
            raise RecipeError(f"{path}, line {number + k} is not {FORM}")
    raise RecipeError(f"{path} has lines that are not {FORM}")


def _libsvm(path: Path, columns: int | None) -> CountTable:
    sizes, indices, values = [], [], []

    for lines in watched(f"reading {path.name}", blocks_of(path)):
        rows = rows_of(lines, columns)
        sizes.append(np.bincount(rows.row, minlength=rows.label.size))
        indices.append(rows.index)
        values.append(rows.value)
    if not sizes:
        raise RecipeError(f"{path} has no rows of data; give a file that has some")
    size, index, value = (np.concatenate(x) for x in (sizes, indices, values))
    starts = np.concatenate([[0], np.cumsum(size)])
    width = columns if columns is not None else int(index.max(initial=0))
    return _table(path, starts, index - 1, value, width)


def _table(
    path: Path, starts: np.ndarray, columns: np.ndarray, counts: np.ndarray, width: int
) -> CountTable:
    try:
        return CountTable(starts, columns, counts, width)
    except RecipeError as error:
        raise RecipeError(f"{path} (data and columns are numbered from 0 here): {error}") from None
