"""Checks of the paths that a command writes, and reading a file as text."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from recipe import RecipeError

OTHER_FORMATS = (".csv", ".json", ".npy", ".npz", ".parquet", ".pickle", ".pkl", ".tsv", ".txt")


def refuse_to_replace(output: Path, force: bool, *inputs: str | None) -> None:
    """Check that a command may write a file.

    Args:
        output: the file to write.
        force: whether an existing file may be replaced.
        inputs: the files that the command reads, as ``FILE`` or ``FILE:NAME``; None stands for no
            file.

    Raises:
        RecipeError: if the file exists and ``force`` is False, is an input, is no regular file, or
            its folder does not exist.
    """
    try:
        _refuse_to_replace(output, force, *inputs)
    except RecipeError:
        raise
    # The name may be too long, or the disk may not answer.
    except (OSError, ValueError) as error:
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
            f"{output} exists already; choose another name, or add --force to replace it"
        )
    if not output.parent.is_dir():
        raise RecipeError(f"the folder {output.parent} of {output} does not exist")


def exists(path: Path) -> bool:
    """Return True if a file or folder with this path exists.

    Raises:
        RecipeError: if the path cannot be followed, as with symbolic links in a circle.
    """
    try:
        path.stat()
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ENOTDIR}:
            return False
        raise RecipeError(f"{path} cannot be used: {error.strerror}; choose another name") from None
    return True


def resolved(path: Path | None) -> Path | None:
    """Return the path without symbolic links; None for None.

    Links in a circle stay in the path: the error is reported when the path is used.
    """
    return None if path is None else Path(os.path.realpath(path))


def text_of(file: Path, longest: int) -> str:
    """Return the text of a regular file.

    Args:
        file: its path.
        longest: the largest size in bytes.

    Raises:
        RecipeError: if the file is larger, no regular file, no UTF-8, or cannot be read.
    """
    try:
        # Reading a pipe would wait for a writer, and a device may have no end.
        if exists(file) and not file.is_file():
            raise RecipeError(f"{file} is not a regular file; give a text file")
        with file.open("rb") as opened:
            content = opened.read(longest + 1)
        if len(content) > longest:
            raise RecipeError(f"{file} is longer than {longest} bytes; give another file")
        return content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecipeError(
            f"{file} cannot be read: {getattr(error, 'strerror', None) or error}; give another file"
        ) from None


def require_netcdf_name(output: Path) -> None:
    """Raise RecipeError for a file of draws whose name is that of another format."""
    if output.suffix.lower() in OTHER_FORMATS:
        raise RecipeError(
            f"{output} would hold NetCDF, in which draws are written; call it"
            f" {output.with_suffix('.nc').name}. A table of the draws, for a CSV file, is"
            " codegen.read_draws(FILE).to_arviz().posterior.to_dataframe()"
        )
