"""The data of a posterior with other arrays in the place of some of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sympy import Add, Expr, Integer, Symbol

from recipe.declare.derived_quantities import data_in
from recipe.language.did_you_mean import did_you_mean
from recipe.language.errors import RecipeError
from recipe.language.symbols import GENERIC, name_of
from recipe.language.total import labels, total

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
        RecipeError: for data that the posterior does not have, for other numbers of rows, and for
            some of the data of a log likelihood that is no law by name.
    """
    if not isinstance(given, Mapping) or not given:
        raise RecipeError(
            "with_data() takes a dict of new arrays by Data symbol, such as {x: X}, with at least"
            " one of them"
        )
    before = posterior.declared.data
    here = (*before, *posterior.missing)
    by_name = {name_of(s): s for s in posterior.declared.order or here}
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
    _require_known_laws(posterior, fitted, set(new))
    unknown = _unknown(posterior, fitted, set(new))
    arrays = {s: new.get(s, before.get(s)) for s in by_name.values() if s not in unknown}
    _require_rows({s: a for s, a in arrays.items() if s in fitted}, set(new))
    return arrays, tuple(s for s in by_name.values() if s in unknown)


def _unknown(posterior: Posterior, fitted: set[Symbol], new: set[Symbol]) -> set[Symbol]:
    """The data that are drawn, are not given, and depend on data that are given or unknown."""
    laws = {law.variable: _in(posterior, law.expression) for law in posterior.laws}
    unknown = set(posterior.missing) - new
    if (new & fitted) - set(laws):
        unknown |= set(laws) - new
    while True:
        moved = new | unknown
        more = {s for s, its in laws.items() if s not in moved and (its - {s}) & moved}
        if not more:
            return unknown
        unknown |= more


def _require_known_laws(posterior: Posterior, fitted: set[Symbol], new: set[Symbol]) -> None:
    """Require all data that no law by name is about where some of the covariates are given, as
    nothing says which of them are drawn and would be out of date. So it is for data of terms that
    are no law by name, such as a law with a factor, although another law has them as arguments.
    """
    drawn = {law.variable for law in posterior.laws}
    known = drawn.union(*(_in(posterior, law.expression) for law in posterior.laws))
    together = fitted - known if (new & fitted) - drawn else set()
    rest = _in(posterior, terms_without_law(posterior)) - drawn
    if new & rest:
        together |= rest
    if kept := together - new:
        terms = "the log likelihood is" if not posterior.laws else "a term of the log likelihood is"
        raise RecipeError(
            f"with_data() gives {', '.join(sorted(map(name_of, new & fitted)))}, and the old"
            f" {', '.join(sorted(map(name_of, kept)))} would stay beside: {terms} no law by name,"
            " so nothing says what depends on what; give all of"
            f" {', '.join(sorted(map(name_of, together)))}"
        )


def terms_without_law(posterior: Posterior) -> Expr:
    """Return the terms of the log likelihood that are no laws by name, such as a scaled one.

    Args:
        posterior: the posterior.
    """
    likelihood = posterior.declared.log_likelihood
    if likelihood is None:
        return Integer(0)
    laws = (
        total(law.expression) if GENERIC in labels(law.expression) else law.expression
        for law in likelihood.laws
    )
    return likelihood.expression - Add(*laws)


def _in_log_likelihood(posterior: Posterior) -> set[Symbol]:
    """The data of the log likelihood, with the labels that others are made of."""
    likelihood = posterior.declared.log_likelihood
    if likelihood is None:
        return set(posterior.declared.data) - data_in(posterior.derived.values())
    return _in(posterior, likelihood.expression)


def _in(posterior: Posterior, expression: Any) -> set[Symbol]:
    """The data of a part of the log likelihood, with the labels that others are made of."""
    found, likelihood = data_in([expression]), posterior.declared.log_likelihood
    labels = {i.data: i.label for i in likelihood.indicators} if likelihood is not None else {}
    return {labels.get(s, s) for s in found}


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
