"""Files that a command writes, and one that it reads as text."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from recipe import RecipeError


def refuse_to_replace(output: Path, force: bool, *inputs: str | None) -> None:
    """Keep what is there, and the inputs, unless ``force`` is said."""
    try:
        _refuse_to_replace(output, force, *inputs)
    except RecipeError:
        raise
    except (
        OSError,
        ValueError,
    ) as error:  # of a name that is too long, or a disk that does not answer
        reason = getattr(error, "strerror", None) or error
        raise RecipeError(f"{output} cannot be written: {reason}; choose another name") from None


def _refuse_to_replace(output: Path, force: bool, *inputs: str | None) -> None:
    there = exists(output)
    if there and not output.is_file():
        raise RecipeError(f"{output} is not a regular file; choose another name")
    for given in inputs:
        file = None if given is None else Path(given.partition(":")[0])
        if file is not None and file.is_file() and there and output.samefile(file):
            raise RecipeError(f"{output} is the input; choose another name")
    if there and not force:
        raise RecipeError(
            f"{output} is already there; choose another name, or say --force to replace it"
        )
    if not output.parent.is_dir():
        raise RecipeError(f"the folder {output.parent} of {output} does not exist")


def exists(path: Path) -> bool:
    """Whether there is something of that name.

    Raises:
        RecipeError: where there can be nothing of that name, as that of links in a circle.
    """
    try:
        path.stat()
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ENOTDIR}:
            return False
        raise RecipeError(f"{path} cannot be used: {error.strerror}; choose another name") from None
    return True


def resolved(path: Path | None) -> Path | None:
    """The path without links; links in a circle stay, and are said when the path is used."""
    return None if path is None else Path(os.path.realpath(path))


def text_of(file: Path, longest: int) -> str:
    """The text of a regular file.

    Raises:
        RecipeError: where it is none, is longer than so many bytes, or cannot be read.
    """
    try:
        if (
            exists(file) and not file.is_file()
        ):  # a pipe would be waited for, and a device may have no end
            raise RecipeError(f"{file} is not a regular file; give a file that was written")
        with file.open("rb") as opened:
            content = opened.read(longest + 1)
        if len(content) > longest:
            raise RecipeError(f"{file} is longer than {longest} bytes; give another file")
        return content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecipeError(
            f"{file} cannot be read: {getattr(error, 'strerror', None) or error}; give another file"
        ) from None
