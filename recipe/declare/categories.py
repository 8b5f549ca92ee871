"""Labels that a table gives as categories, or as text: their numbers from 0, and their names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from recipe.language.did_you_mean import did_you_mean
from recipe.language.errors import RecipeError

if TYPE_CHECKING:
    import numpy as np


def numbered(
    where: str, value: Any, names: Sequence[str] | None, source: str = "coords="
) -> tuple[np.ndarray, tuple[str, ...]] | None:
    """Return labels as numbers from 0, with the names that the numbers stand for.

    A column of categories of pandas, polars or pyarrow has its own names, in its order. Text is
    numbered only by names that are given.

    Args:
        where: how messages call the labels.
        value: the labels of all rows.
        names: the names of the coordinates, in order, where something else gives them.
        source: what gives them, as messages name it.

    Returns:
        The numbers and the names; None where the labels are numbers.

    Raises:
        RecipeError: for a missing label, one that is none of the names, and text without names.
    """
    import numpy as np  # proofs alone do not need it

    own = categories_of(value)
    if own is None and not _is_text(value):
        return None
    if own is None and names is None:
        raise RecipeError(
            f"{where} are text, and nothing says which label is the first; give them as categories,"
            " for instance with pandas' .astype('category'), or their names in coords="
        )
    listed = tuple(names if names is not None else own or ())
    number = {name: k for k, name in enumerate(listed)}
    found = np.empty(len(value), dtype=np.int64)
    for row, label in enumerate(_plain(value)):
        if is_missing(label):
            raise RecipeError(
                f"{where} has a missing value in row {row}; fill it in, or leave the row out"
            )
        if str(label) not in number:
            verb = "do" if source.startswith("the ") else "does"
            raise RecipeError(
                f"row {row} of {where} is {str(label)!r}, which {source} {verb} not name;"
                f" {did_you_mean(str(label), number)}the names are {some(listed)}"
            )
        found[row] = number[str(label)]
    return found, listed


def is_missing(label: Any) -> bool:
    """Whether a label is none."""
    if label is None or (isinstance(label, float) and math.isnan(label)):
        return True
    return type(label).__name__ == "NAType"  # pandas.NA, of its columns of strings


def names_in(value: Any) -> set[str]:
    """The names that labels have in some row; empty for numbers."""
    if categories_of(value) is None and not _is_text(value):
        return set()
    return {str(label) for label in _plain(value) if not is_missing(label)}


def some(names: Sequence[str], most: int = 20) -> str:
    """The names in one line, at most some of them."""
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def categories_of(value: Any) -> tuple[str, ...] | None:
    """The categories of a column in their order, as text; None for any other value."""
    found = _categories(value)
    return None if found is None else tuple(map(str, found))


def have_an_order(value: Any) -> bool:
    """Return whether a column of categories says itself that their order is meant, as an ordered
    one of pandas or pyarrow and an ``Enum`` of polars do.
    """
    for kind in (getattr(value, "dtype", None), getattr(value, "type", None)):
        if bool(getattr(kind, "ordered", False)) or str(kind).startswith("Enum"):
            return True
    return False


def _categories(value: Any) -> list[Any] | None:
    dtype: Any = getattr(value, "dtype", None)
    if hasattr(dtype, "categories") and hasattr(value, "cat") and hasattr(dtype, "ordered"):
        return list(dtype.categories)  # pandas.Series
    if hasattr(value, "categories") and hasattr(value, "codes"):
        return list(value.categories)  # pandas.Categorical
    if str(dtype).startswith(("Categorical", "Enum")) and hasattr(value, "cat"):
        return list(value.cat.get_categories().to_list())  # polars
    if hasattr(getattr(value, "type", None), "index_type"):  # pyarrow
        whole = value.combine_chunks() if hasattr(value, "combine_chunks") else value
        return list(whole.dictionary.to_pylist())
    return None


def _is_text(value: Any) -> bool:
    """Return whether labels are text; some may be missing, which ``numbered`` says."""
    texts = False
    for label in _plain(value):
        if isinstance(label, str):
            texts = True
        elif not is_missing(label):
            return False
    return texts


def _plain(value: Any) -> list[Any]:
    """The labels as objects of Python."""
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(value, name):
            return list(getattr(value, name)())
    return list(value)
