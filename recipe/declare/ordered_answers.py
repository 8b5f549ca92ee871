"""Answers that are words with an order, the data of ordered logistic laws: their numbers, and the
order as it is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sympy import Symbol

from recipe.declare.categories import categories_of, have_an_order, names_in, numbered, some
from recipe.declare.coordinate_names import Names
from recipe.language.errors import RecipeError
from recipe.language.log_density import NamedLaw
from recipe.language.symbols import generic

LAW = "ordered_logistic"


def ordered_answers(
    given: Mapping[Symbol, Any], laws: Iterable[NamedLaw], remembered: Mapping[Symbol, Names]
) -> tuple[dict[Symbol, Any], dict[Symbol, Names]]:
    """Number the answers of ordered logistic laws that are words, by the order of their categories.

    Args:
        given: the arrays by symbol.
        laws: the laws by name.
        remembered: the names of the answers of other data of the same model, by symbol. Numbers,
            and answers that are not given, keep them.

    Returns:
        The numbers of those answers that are words, and the names that numbers stand for in their
        order, both by symbol.

    Raises:
        RecipeError: for words without an order, or with another one than the answers before, more
            or less of them than the law has labels, and a missing one.
    """
    found, names = {}, {}
    for law in laws:
        y = generic(law.variable)
        if law.name != LAW:
            continue
        where, known = f"the data of {y}", remembered.get(y)
        if known is not None:
            names[y] = known
        if y not in given or _are_numbers(given[y]):
            continue
        own, words = categories_of(given[y]), names_in(given[y])
        if not have_an_order(given[y]):
            if known is None and words:
                raise RecipeError(_without_order(where, given[y]))
        elif known is not None and own is not None:
            _require_order_before(where, own, known)
        numbers = numbered(where, given[y], known or own, "the data before")
        if numbers is None:
            continue
        labels = len(law.arguments["cutpoints"]) + 1
        if len(numbers[1]) != labels:
            raise RecipeError(
                f"{where} have {len(numbers[1])} categories, {in_order(numbers[1])}, and"
                f" ordered_logistic with {labels - 1} cutpoint{'s' * (labels > 2)} has {labels};"
                f" give it {len(numbers[1]) - 1}, or other categories"
            )
        found[y], names[y] = numbers
    return found, names


def answers_in_order(
    laws: Iterable[NamedLaw], categories: Mapping[Symbol, Names]
) -> dict[Symbol, str]:
    """Return how answers that are words are ordered, ``low < medium < high``, by symbol.

    Args:
        laws: the laws by name of a posterior.
        categories: the names of its labels, by symbol.
    """
    answers = dict.fromkeys(generic(w.variable) for w in laws if w.name == LAW)
    return {y: in_order(categories[y]) for y in answers if y in categories}


def in_order(names: Names) -> str:
    """Return names in their order, ``low < medium < high``."""
    return " < ".join(names)


def is_of_the_alphabet(names: Names) -> bool:
    """Return whether three words or more stand in the order of the alphabet; numbers that increase
    have an order of their own.
    """
    if len(names) < 3 or list(names) != sorted(names):
        return False
    try:
        numbers = [float(name) for name in names]
    except ValueError:
        return True
    return numbers != sorted(numbers)


def _require_order_before(where: str, own: Names, known: Names) -> None:
    """Require the categories of the answers before, in their order; some may be left out."""
    rest = iter(known)
    if not all(name in rest for name in own):
        raise RecipeError(
            f"{where} have the categories {in_order(own)}, and those of the data before are"
            f" {in_order(known)}; name the answers as before and in this order, or sample a"
            " posterior of the new ones"
        )


def _are_numbers(value: Any) -> bool:
    """Return whether an array says by its type that it holds numbers: large ones are not read."""
    return getattr(getattr(value, "dtype", None), "kind", "O") in "biuf"


def _without_order(where: str, value: Any) -> str:
    """What is said of answers that are words without an order."""
    words = sorted(names_in(value))
    what = "text" if categories_of(value) is None else "categories without an order"
    return (
        f"{where} are {what} ({some(words, 5)}), and the labels of ordered_logistic go from the"
        " lowest to the highest; give their order, pandas.Categorical(column, categories=[the"
        " lowest, ..., the highest], ordered=True)"
    )
