"""Columns of a table: are they there, and does float64 hold their numbers?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from recipe.language.did_you_mean import did_you_mean
from recipe.language.errors import RecipeError
from recipe.language.numbers import MAX_EXACT_INTEGER, rounded_text


def require_columns(path: Path, wanted: Iterable[str], there: Sequence[str]) -> None:
    """Require that every requested column is in the file exactly once."""
    for name in wanted:
        if there.count(name) > 1:
            raise RecipeError(
                f"{path} has {there.count(name)} columns with the name {name!r}; rename all but one"
            )
        if name not in there:
            more = f" and {len(there) - 10} more" if len(there) > 10 else ""
            raise RecipeError(
                f"{path} has no column {name!r}; {did_you_mean(repr(name), map(repr, there))}it has"
                f" {', '.join(map(repr, there[:10]))}{more}"
            )


def refuse_rounded(
    path: Path, name: str, named_row: Callable[[int], str], row: int, values: np.ndarray, exact: Any
) -> None:
    """Refuse whole numbers that float64 rounds.

    Args:
        path: the file.
        name: the name of the column.
        named_row: how messages call a row of this number, counted from 0.
        row: the number of the first of the rows.
        values: the numbers.
        exact: the values as the file writes them.
    """
    for k in np.flatnonzero(np.abs(values) >= MAX_EXACT_INTEGER):
        fault = rounded_text(str(exact[int(k)].as_py()))
        if fault is not None:
            raise RecipeError(f"{path}: the column {name!r} {fault}, in {named_row(row + int(k))}")
