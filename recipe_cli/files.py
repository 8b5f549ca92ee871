"""Files that a command writes."""

from __future__ import annotations

from pathlib import Path

from recipe import RecipeError


def refuse_to_replace(output: Path, force: bool, *inputs: str | None) -> None:
    """Keep what is there, and the inputs, unless ``force`` is said."""
    try:
        _refuse_to_replace(output, force, *inputs)
    except (OSError, ValueError) as error:  # of a name that is too long, or a disk that does not answer
        reason = getattr(error, "strerror", None) or error
        raise RecipeError(f"{output} cannot be written: {reason}; choose another name") from None


def _refuse_to_replace(output: Path, force: bool, *inputs: str | None) -> None:
    if output.exists() and not output.is_file():
        raise RecipeError(f"{output} is not a regular file; choose another name")
    for given in inputs:
        file = None if given is None else Path(given.partition(":")[0])
        if file is not None and file.is_file() and output.exists() and output.samefile(file):
            raise RecipeError(f"{output} is the input; choose another name")
    if output.exists() and not force:
        raise RecipeError(f"{output} is already there; choose another name, or say --force to replace it")
    if not output.parent.is_dir():
        raise RecipeError(f"the folder {output.parent} of {output} does not exist")
