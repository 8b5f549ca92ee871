"""Check what the laws of a posterior demand of its data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from recipe.declare.posterior import Posterior
from recipe.language.errors import RecipeError
from recipe.language.log_density import Demand
from recipe.language.numbers import array_of_numbers, first_row
from recipe.language.symbols import name_of


@dataclass(frozen=True)
class _Fault:
    """A number that does not meet a demand.

    Attributes:
        row: its row.
        value: the number.
        upper: the upper bound at its place; None where there is none.
    """

    row: int
    value: Any
    upper: Any


def require_demands(posterior: Posterior) -> None:
    """Check every number of the data that a law of the posterior makes a demand on.

    Raises:
        RecipeError: naming the array, the first row at fault, its value and the law.
    """
    for demand in posterior.demands:
        if {demand.data, demand.upper} & set(posterior.missing):
            continue
        array, upper = _array(posterior, demand.data), _upper(posterior, demand)
        faults = (_first_outside(array, demand, upper), _first_above(array, upper))
        fault = min((f for f in faults if f is not None), key=lambda f: f.row, default=None)
        if fault is not None:
            raise RecipeError(
                f"row {fault.row} of the data of {name_of(demand.data)} is {fault.value}, and"
                f" {demand.role} must be {_range_text(demand, fault.upper)}; correct it, or leave"
                " the row out"
            )


def _array(posterior: Posterior, s: Any) -> np.ndarray:
    return array_of_numbers(f"the data of {name_of(s)}", posterior.given[s], "an array of numbers")


def _upper(posterior: Posterior, demand: Demand) -> Any:
    """Return the upper bound, a number or an array of them; None where there is none."""
    if demand.upper is None or demand.upper.is_number:
        return None if demand.upper is None else float(demand.upper)
    return _array(posterior, demand.upper)


def _first_outside(array: np.ndarray, demand: Demand, upper: Any) -> _Fault | None:
    """Return the first number that does not meet a demand by itself; None where all do."""
    strict, most = demand.open, upper if np.ndim(upper) == 0 else None

    def bad(rows: np.ndarray) -> np.ndarray:
        found = ~np.isfinite(rows)
        if demand.lower is not None:
            lower = float(demand.lower)
            found |= rows <= lower if strict else rows < lower
        if most is not None:
            found |= rows >= most if strict else rows > most
        if demand.whole:
            found |= rows != np.floor(rows)
        return found

    row = first_row(array, bad)
    if row is None:
        return None
    values = np.atleast_1d(array[row])
    at = np.flatnonzero(bad(values))[0]
    return _Fault(row, values[at], most)


def _first_above(array: np.ndarray, upper: Any) -> _Fault | None:
    """Return the first number above another one of its datum; None where there is none.

    One of the two arrays may have one number for each row where the other has several. None as well
    for arrays of other shapes, which are refused elsewhere.
    """
    if np.ndim(upper) == 0:
        return None
    both = [a if a.ndim == 2 else a[:, np.newaxis] for a in (array, upper)]
    try:
        numbers, bounds = np.broadcast_arrays(*both)
    except ValueError:
        return None
    above = np.argwhere(numbers > bounds)
    return _Fault(int(above[0][0]), numbers[*above[0]], bounds[*above[0]]) if len(above) else None


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
