"""Labels of a posterior: numbers in the place of names, and the data that are made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sympy import Basic, Expr, Integer, Symbol

from recipe.declare.categories import categories_of, names_in, numbered
from recipe.declare.coordinate_names import Names
from recipe.declare.derived_data import CoordinateAt, LabelAt, LabelIs, LabelIsLast
from recipe.language.data import VectorData
from recipe.language.errors import RecipeError
from recipe.language.log_density import Demand, Indicator, LogDensity, NamedLaw
from recipe.language.symbols import Length, generic


def numbered_labels(
    given: Mapping[Symbol, Any],
    log_likelihood: Expr,
    derived: Iterable[Expr],
    names: Mapping[Length, Names],
    remembered: Mapping[Symbol, Names],
) -> tuple[dict[Symbol, Any], dict[Symbol, Names], dict[Length, Names]]:
    """Number the labels that are categories, or text with names, by the names of the coordinates.

    All labels of the coordinates of one block are numbered alike: by the names that the user gives,
    otherwise by those that are remembered where they suffice, otherwise by the categories of the
    labels in the log likelihood.

    Args:
        given: the arrays by symbol.
        log_likelihood: the log likelihood of one datum.
        derived: the expressions of derived quantities.
        names: the names that the user gives, by length.
        remembered: the names of the labels of other data of the same model, by symbol.

    Returns:
        The arrays, with numbers; the names of labels, by symbol; and the names of the coordinates
        that labels name, by length.

    Raises:
        RecipeError: for labels that have no place among the names.
    """
    fitted = [s for s in one_hots([log_likelihood]) if s.labels in given]
    others = [s for s in one_hots(derived) if s.labels in given and s not in fitted]
    found, labels, coordinates = dict(given), {}, {}
    for s in [*fitted, *others]:
        where, value = f"the data of {s.labels}", given[s.labels]
        known, source = _names_for(s, value, fitted, given, names, remembered)
        if known is None and s in others and categories_of(value) is not None:
            raise RecipeError(
                f"{where} are categories, and those of {s.length.owner} in the log likelihood are"
                " numbers; give both as categories, or the names in coords="
            )
        numbers = numbered(where, value, known, source)
        if numbers is not None:
            found[s.labels], labels[s.labels] = numbers
            coordinates[s.length] = numbers[1][: len(numbers[1]) - s.but_last]
    return found, labels, coordinates


def _names_for(
    s: VectorData,
    value: Any,
    fitted: Sequence[VectorData],
    given: Mapping[Symbol, Any],
    names: Mapping[Length, Names],
    remembered: Mapping[Symbol, Names],
) -> tuple[Names | None, str]:
    """Return the names of all labels of a block, in order, and what gives them; None where only
    the labels themselves do.
    """
    own = categories_of(value)
    if s.length in names:
        listed = names[s.length]
        left = [n for n in own or () if n not in listed]
        # the last label of a law on a simplex is of no coordinate
        return ((*listed, *left) if s.but_last and len(left) == 1 else listed), "coords="
    known = remembered.get(s.labels, ())
    if known and (own is None or names_in(value) <= set(known)):
        return known, "the data before"
    found: Names | None = None
    source = ""
    for other in fitted:
        theirs = categories_of(given[other.labels]) if other.length == s.length else None
        if theirs is not None and (found is None or set(theirs) > set(found)):
            found, source = theirs, f"the categories of {other.labels}"
    return found, source


def one_hots(expressions: Iterable[Basic]) -> list[VectorData]:
    """The data in expressions that are made of labels or of a coordinate, by name."""
    found = {generic(s) for e in expressions for s in e.atoms(VectorData) if s.labels is not None}
    return sorted(found, key=str)


def label_data(
    given: Mapping[Symbol, Any], log_likelihood: Expr, indicators: Iterable[Indicator]
) -> tuple[dict[Symbol, Any], dict[Symbol, Symbol], tuple[Demand, ...]]:
    """Return the data that are made of labels: indicators, and coordinates that labels name.

    Args:
        given: the arrays by symbol, with numbers as labels.
        log_likelihood: the log likelihood of one datum.
        indicators: those of its laws.

    Returns:
        The data by symbol; the labels that each is made of, by symbol; and what is demanded of
        these labels.

    Raises:
        RecipeError: where an array has the name of such data. Labels without an array have none of
            them.
    """
    named = one_hots([log_likelihood])
    labels = {i.data: i.label for i in indicators}
    labels |= {s: s.labels for s in named if s.coordinate is None}
    for s, label in labels.items():
        if s in given:
            raise RecipeError(
                f"data= has an array for {s}, and a law makes numbers of that name from"
                f" {label}; give the array another name"
            )
    made = {i.data: _indicator(given[i.label], i.value) for i in indicators if i.label in given}
    for s in named:
        if s.coordinate is not None:
            made[s] = CoordinateAt(s.coordinate)
        elif s.labels in given:
            made[s] = LabelAt(given[s.labels], s.but_last)
    demands = [
        Demand(
            label, f"a label that names a coordinate of {s.length.owner}", Integer(0), whole=True
        )
        for s, label in labels.items()
        if isinstance(s, VectorData)
    ]
    return made, labels, tuple(dict.fromkeys(demands))


def indicators_of(derived: Any, given: Mapping[Symbol, Any]) -> dict[Symbol, Any]:
    """Return the indicators that densities among derived quantities are made of, by symbol.

    Args:
        derived: the quantities as they were given.
        given: the arrays by symbol.
    """
    return {
        i.data: LabelIs(given[i.label], i.value)
        for i in _indicators(derived)
        if i.label in given and i.data not in given and not isinstance(i.value, Length)
    }


def labels_of(derived: Any) -> set[Symbol]:
    """Return the labels that densities among derived quantities are of."""
    return {i.label for i in _indicators(derived)}


def laws_of(derived: Any) -> list[NamedLaw]:
    """Return the laws by name among derived quantities, as they were given."""
    values = derived.values() if isinstance(derived, Mapping) else ()
    return [law for value in values if isinstance(value, LogDensity) for law in value.laws]


def _indicators(derived: Any) -> list[Indicator]:
    values = derived.values() if isinstance(derived, Mapping) else ()
    return [i for value in values if isinstance(value, LogDensity) for i in value.indicators]


def _indicator(labels: Any, value: int | Length) -> Any:
    """Return the numbers of an indicator, from its labels."""
    return LabelIsLast(labels, value) if isinstance(value, Length) else LabelIs(labels, value)
