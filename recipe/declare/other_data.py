"""The data of a posterior with other arrays in the place of some of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sympy import Symbol

from recipe.declare.derived_quantities import data_in
from recipe.language.did_you_mean import did_you_mean
from recipe.language.errors import RecipeError
from recipe.language.symbols import name_of

if TYPE_CHECKING:
    from recipe.declare.posterior import Posterior


def other_data(posterior: Posterior, given: Any) -> tuple[dict[Symbol, Any], tuple[Symbol, ...]]:
    """Return the arrays of a posterior with others in the place of some of them.

    Args:
        posterior: the posterior.
        given: the others, by symbol or name.

    Returns:
        The arrays by symbol, in the order of the posterior's; and the data that are left out: those
        that laws by name are of, where what these depend on is given, and they are not.

    Raises:
        RecipeError: for data that the posterior does not have, and for other numbers of rows.
    """
    if not isinstance(given, Mapping) or not given:
        raise RecipeError(
            "with_data() takes a dict of new arrays by Data symbol, such as {x: X}, with at least"
            " one of them"
        )
    before = posterior.declared.data
    by_name = {name_of(s): s for s in (*before, *posterior.missing)}
    new: dict[Symbol, Any] = {}
    for key, value in given.items():
        name = name_of(key)
        if name not in by_name:
            raise RecipeError(
                f"with_data() has {name}, which is no data of this posterior;"
                f" {did_you_mean(name, by_name)}its data are {', '.join(by_name) or 'none'}"
            )
        new[by_name[name]] = value
    fitted = _in_log_likelihood(posterior)
    drawn = {law.variable for law in posterior.laws}
    unknown = drawn - set(new) if (set(new) & fitted) - drawn else set(posterior.missing) - set(new)
    arrays = {s: new.get(s, before.get(s)) for s in by_name.values() if s not in unknown}
    _require_rows({s: a for s, a in arrays.items() if s in fitted}, set(new))
    return arrays, tuple(s for s in by_name.values() if s in unknown)


def _in_log_likelihood(posterior: Posterior) -> set[Symbol]:
    """The data of the log likelihood, with the labels that others are made of."""
    likelihood = posterior.declared.log_likelihood
    if likelihood is None:
        return set(posterior.declared.data)
    made = {i.data for i in likelihood.indicators}
    return (data_in([likelihood.expression]) - made) | {i.label for i in likelihood.indicators}


def _require_rows(arrays: Mapping[Symbol, Any], new: set[Symbol]) -> None:
    """Require that new data have as many rows as those that stay."""
    rows = {s: len(a) for s, a in arrays.items() if hasattr(a, "__len__")}
    first = next((s for s in rows if s in new), None)
    for s, count in rows.items():
        if first is not None and count != rows[first]:
            said = "is given with" if s in new else "still has"
            repair = "give as many rows of each" if s in new else f"give {name_of(s)} as well"
            raise RecipeError(
                f"with_data() gives {name_of(first)} with {rows[first]} rows, and {name_of(s)}"
                f" {said} {count}; {repair}"
            )


def require_all_data(posterior: Posterior, why: str) -> None:
    """Refuse a posterior whose ``with_data`` left data out, where all of them are needed.

    Args:
        posterior: the posterior.
        why: what needs them, the beginning of a sentence.

    Raises:
        RecipeError: naming the data.
    """
    for s in posterior.missing:
        raise RecipeError(
            f"{why} needs {name_of(s)}, which with_data() was not given; give it beside the others,"
            f" with_data({{..., {name_of(s)}: ...}}). Without it new data can be drawn,"
            " sample_posterior_predictive(draws, posterior)"
        )
