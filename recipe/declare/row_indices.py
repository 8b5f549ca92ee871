"""The indices of tables of pandas: rows are taken by place, so two indices of the same rows in two
orders would join rows that do not belong together.
"""

from __future__ import annotations

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
    first: tuple[str, Any] | None = None
    for name, index in _indices(posterior):
        if first is None:
            first = name, index
        elif _is_moved(index, first[1]):
            before = first[0]
            raise RecipeError(
                f"the data of {name} have the index of {before} in another order, and rows are"
                f" taken by place; give both in one order, {name}.loc[{before}.index], or without"
                " index, .to_numpy()"
            )


def _indices(posterior: Posterior) -> list[tuple[str, Any]]:
    likelihood = posterior.declared.log_likelihood
    used = {getattr(s, "labels", None) or s for s, _ in posterior.data}
    used |= set() if likelihood is None else {i.label for i in likelihood.indicators}
    given = ((name_of(s), v) for s, v in posterior.declared.data.items() if s in used)
    return [(name, v.index) for name, v in given if hasattr(v, "iloc") and hasattr(v, "index")]


def _is_moved(index: Any, other: Any) -> bool:
    """Return True if two indices are the same rows in two orders."""
    if len(index) != len(other) or index.equals(other):
        return False
    unique = index.is_unique and other.is_unique
    return bool(unique and index.isin(other).all())
