"""Read a data file a batch at a time, under a bar on stderr, into memory or into a folder."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from codegen.files.convert import Arrays, as_path, in_folder, in_memory, named
from codegen.system.progress_bar import progress_bar
from recipe.language.errors import RecipeError

BATCH_BYTES = 1 << 20
BAR_AFTER_SECONDS = 2.0
UNPACKED: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}

Item = TypeVar("Item")
# the fraction of the file that has been read so far, and the item that was read
Read = Generator[tuple[float, Item], None, None]


@contextmanager
def opened(path: Path) -> Iterator[tuple[BinaryIO, Callable[[], float]]]:
    """Yield the file, unpacked, and a function that returns the fraction of it that has been
    read.
    """
    with named(path), path.open("rb") as raw:
        size = max(os.fstat(raw.fileno()).st_size, 1)
        unpack = UNPACKED.get(path.suffix.lower(), nullcontext)
        with unpack(raw) as file:
            yield file, lambda: raw.tell() / size


def watched(title: str, read: Read[Item]) -> Generator[Item, None, None]:
    """Yield the items, under a bar on stderr once reading has taken some time, where stderr is a
    terminal.
    """
    with closing(read), progress_bar(title, 1.0, after_seconds=BAR_AFTER_SECONDS) as show:
        for fraction, item in read:
            yield item
            show(fraction)


def arrays_of(
    file: Path,
    names: tuple[str, ...],
    options: dict[str, Any],
    batches: Callable[[], Read[Arrays]],
    into: Any,
) -> Arrays:
    """Return the arrays of a file, in memory or memory-mapped in the folder ``into``.

    Args:
        file: the file.
        names: the names of the arrays.
        options: which conversion it is: reader and arguments.
        batches: begins to read the file.
        into: the folder, or None.

    Raises:
        RecipeError: naming the file, where it has no rows or needs more memory than there is, and
            where the folder cannot be used.
    """

    def read() -> Generator[Arrays, None, None]:
        return _some_rows(file, watched(f"reading {file.name}", batches()))

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


def line_blocks(path: Path, skip: int = 0) -> Read[tuple[int, list[bytes]]]:
    """Yield whole lines, some megabytes at a time, with the number in the file of the first one.

    Args:
        path: the file, which may be packed.
        skip: how many lines at its top are passed over.
    """
    with opened(path) as (file, fraction):
        for _ in range(skip):
            file.readline()
        number = skip + 1
        while lines := file.readlines(BATCH_BYTES):
            yield fraction(), (number, lines)
            number += len(lines)
