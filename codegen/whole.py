"""Files that a reader finds whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from recipe.errors import RecipeError


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """A temporary file beside ``path`` to write to, moved to its place in one step when the block ends well.

    Raises:
        RecipeError: where it cannot be written; what was there before is untouched then.
    """
    target = Path(path)
    temporary = None
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=_prefix(target), suffix=target.suffix)
        os.close(handle)
        temporary = Path(name)
        yield temporary
        _make_readable(temporary)
        temporary.replace(target)
    except OSError as error:
        raise RecipeError(f"{target} cannot be written: {error.strerror or error}; choose another path") from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


LONGEST, RANDOM = 255, 8  # bytes of a name in most file systems, and letters that make a temporary one unlike any other


def _prefix(target: Path) -> str:
    """What a temporary name begins with: the name itself, cut where the whole would be longer than a name can be."""
    room = LONGEST - RANDOM - len(os.fsencode(target.suffix)) - len("..")
    return f".{os.fsencode(target.name)[: max(0, room)].decode(errors='ignore')}."


def force_to_disk(file: IO[Any]) -> None:
    """Write out all of an open file, so that a machine that stops does not lose it."""
    file.flush()
    os.fsync(file.fileno())


def force_names_to_disk(folder: Path) -> None:
    """The same for the names of the files in a folder."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _make_readable(path: Path) -> None:
    """Give a file made as a private temporary one the permissions that new files have."""
    mask = os.umask(0)
    os.umask(mask)
    path.chmod(0o666 & ~mask)
