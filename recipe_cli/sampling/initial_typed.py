"""The options ``--initial``: first values of blocks, typed or in a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from codegen import read_draws
from codegen.inputs.named_values import NamedValues
from codegen.results.aligned import coordinate_names_in
from recipe import RecipeError

FORMS = "write NAME=1, NAME=0.5,1,2, NAME=FILE.npy, NAME=FILE.csv, or FILE.nc of saved draws"
DRAWS_SUFFIX, ARRAY_SUFFIX = ".nc", ".npy"


def initial_typed(typed: Sequence[str] | None) -> dict[str, Any] | None:
    """Return the first values by the name of a block; None where none are typed.

    Args:
        typed: the options: ``NAME=VALUE`` with numbers that are separated by commas, ``NAME=FILE``
            with an array of numpy or a text of numbers, one row a chain, or the file of draws that
            were saved, whose last draw of each chain is taken.

    Raises:
        RecipeError: for another form, a name that is given twice, and a file that cannot be read.
    """
    values: dict[str, Any] = {}
    for item in typed or ():
        for name, value in _values(item).items():
            if name in values:
                raise RecipeError(f"--initial {item}: {name} is given twice")
            values[name] = value
    return values or None


def _values(item: str) -> dict[str, Any]:
    name, equals, value = item.partition("=")
    if not equals and name.endswith(DRAWS_SUFFIX):
        return _last_draws(Path(name))
    if not equals or not name.strip() or not value.strip():
        raise RecipeError(f"--initial {item}: {FORMS}")
    try:
        numbers = [float(n) for n in value.split(",")]
    except ValueError:
        return {name.strip(): _array(item, Path(value))}
    return {name.strip(): numbers[0] if len(numbers) == 1 else numbers}


def _last_draws(file: Path) -> dict[str, Any]:
    """Return the last draw of each chain, by block, with the names of its coordinates; quantities
    that were computed of the draws are left out.
    """
    group = read_draws(file, groups=[]).posterior
    names, derived = coordinate_names_in(group), str(group.attributes.get("derived", "")).split()
    last = {n: v.values[:, -1] for n, v in group.variables.items() if n not in derived}
    return {n: NamedValues(a, names[n]) if n in names else a for n, a in last.items()}


def _array(item: str, file: Path) -> np.ndarray:
    """Return the numbers in a file."""
    if not file.is_file():
        raise RecipeError(
            f"--initial {item}: {str(file)!r} is neither a number nor a file; {FORMS}"
        )
    try:
        if file.suffix == ARRAY_SUFFIX:
            return np.load(file, allow_pickle=False)  # type: ignore[no-any-return]
        text = file.read_text(encoding="utf-8-sig").replace(",", " ").replace('"', " ")
        rows = [[float(n) for n in line.split()] for line in text.splitlines() if line.strip()]
        return np.squeeze(np.array(rows, dtype=np.float64))
    except (OSError, ValueError) as error:
        raise RecipeError(
            f"--initial {item}: the file holds no array of numbers ({error}); {FORMS}"
        ) from None
