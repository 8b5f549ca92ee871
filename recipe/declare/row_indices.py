"""The indices of tables of pandas: rows are taken by place, so two indices of the same rows in two
orders would join rows that do not belong together.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from recipe.language.errors import RecipeError
from recipe.language.symbols import name_of

if TYPE_CHECKING:
    from recipe.declare.posterior import Posterior


def require_one_order_of_rows(posterior: Posterior) -> None:
    """Require that the tables and columns behind a log likelihood have their rows in one order.

    Args:
        posterior: the posterior with its data as they were given. Other indices, such as those of
            tables that were numbered anew, say nothing.

    Raises:
        RecipeError: where two have the same index in two orders.
    """
    seen: list[tuple[str, Any]] = []
    for name, index in _indices(posterior):
        if any(_is_same(index, other) for _, other in seen):
            continue
        moved = next((before for before, other in seen if _is_moved(index, other)), None)
        if moved is not None:
            raise RecipeError(
                f"the data of {name} have the index of {moved} in another order, and rows are"
                f" taken by place; give both in one order, {name}.loc[{moved}.index], or without"
                " index, .to_numpy()"
            )
        seen.append((name, index))


def _indices(posterior: Posterior) -> list[tuple[str, Any]]:
    likelihood = posterior.declared.log_likelihood
    used = {getattr(s, "labels", None) or s for s, _ in posterior.data}
    used |= set() if likelihood is None else {i.label for i in likelihood.indicators}
    given = ((name_of(s), v) for s, v in posterior.declared.data.items() if s in used)
    return [(name, v.index) for name, v in given if hasattr(v, "iloc") and hasattr(v, "index")]


def _is_same(index: Any, other: Any) -> bool:
    """Return True if two indices are known to be the same rows in one order."""
    try:
        return index is other or bool(index.equals(other))
    except (TypeError, ValueError):
        return False


def _is_moved(index: Any, other: Any) -> bool:
    """Return True if two indices are the same rows in two orders; False where labels cannot be
    compared, as those of one level with those of several.
    """
    if len(index) != len(other) or index.nlevels != other.nlevels:
        return False
    try:
        ours, theirs = _labels(index), _labels(other)
        return ours != theirs and len(set(ours)) == len(ours) and set(ours) == set(theirs)
    except (TypeError, ValueError):
        return False


def _labels(index: Any) -> list[Any]:
    """Return the labels of an index, those of several levels as tuples."""
    if index.nlevels == 1:
        return [_comparable(label) for label in index]
    return [tuple(_comparable(v) for v in label) for label in index]


def _comparable(label: Any) -> Any:
    """Return None for NaN, which is not equal to itself."""
    return None if isinstance(label, float) and math.isnan(label) else label
