"""Check what the laws of a posterior demand of its data."""

from __future__ import annotations

from typing import Any

import numpy as np

from recipe.declare.posterior import Posterior
from recipe.language.errors import RecipeError
from recipe.language.log_density import Demand
from recipe.language.numbers import array_of_numbers, first_row
from recipe.language.symbols import name_of


def require_demands(posterior: Posterior) -> None:
    """Check every number of the data that a law of the posterior makes a demand on.

    Raises:
        RecipeError: naming the array, the first row at fault, its value and the law.
    """
    for demand in posterior.demands:
        array = _array(posterior, demand.data)
        upper = _upper(posterior, demand)
        faulty = _first_faulty(array, demand, upper)
        if faulty is not None:
            row, value = faulty
            most = upper if upper is None or np.ndim(upper) == 0 else upper[row]
            raise RecipeError(
                f"row {row} of the data of {name_of(demand.data)} is {value}, and {demand.role}"
                f" must be {_range_text(demand, most)}; correct it, or leave the row out"
            )


def _array(posterior: Posterior, s: Any) -> np.ndarray:
    return array_of_numbers(f"the data of {name_of(s)}", posterior.given[s], "an array of numbers")


def _upper(posterior: Posterior, demand: Demand) -> Any:
    """Return the upper bound, a number or one for each row; None where there is none."""
    if demand.upper is None or demand.upper.is_number:
        return None if demand.upper is None else float(demand.upper)
    return _array(posterior, demand.upper)


def _first_faulty(array: np.ndarray, demand: Demand, upper: Any) -> tuple[int, Any] | None:
    """Return the first row that does not meet a demand, and the value there; None where all do."""
    strict = demand.open

    def bad(rows: np.ndarray) -> np.ndarray:
        found = ~np.isfinite(rows)
        if demand.lower is not None:
            lower = float(demand.lower)
            found |= rows <= lower if strict else rows < lower
        if upper is not None and np.ndim(upper) == 0:
            found |= rows >= upper if strict else rows > upper
        if demand.whole:
            found |= rows != np.floor(rows)
        return found

    row = first_row(array, bad)
    if upper is not None and np.ndim(upper) == 1 and array.shape == upper.shape:
        above = np.flatnonzero(array > upper)
        row = min((r for r in (row, *above[:1]) if r is not None), default=None)
    if row is None:
        return None
    values = np.atleast_1d(array[row])
    at = np.flatnonzero(bad(values))
    return int(row), values[at[0] if at.size else 0]


def _range_text(demand: Demand, upper: Any) -> str:
    kind = "a whole number" if demand.whole else "a number"
    lower = demand.lower
    if lower == 0 and demand.upper == 1 and demand.whole:
        return "0 or 1"
    if lower is not None and upper is not None:
        shown = f"{upper:g}"
        return (
            f"{kind} between {lower} and {shown}"
            if demand.open
            else (f"{kind} from {lower} to {shown}")
        )
    if lower is not None:
        return f"{kind} above {lower}" if demand.open else f"{kind}, {lower} or more"
    return kind
