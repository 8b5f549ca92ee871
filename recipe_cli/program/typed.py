"""Options as Python values: the names of blocks, and the values of parameters."""

from __future__ import annotations

from recipe import RecipeError
from recipe.language.numbers import rounded_text


def block_names(typed: str | None) -> list[str] | None:
    """Return the names in a list such as ``r,theta``; None for None."""
    return None if typed is None else [b.strip() for b in typed.split(",")]


def parameters_typed(typed: tuple[str, ...]) -> dict[str, float]:
    """Return the values of the options ``--param NAME=VALUE``, by name.

    Raises:
        RecipeError: if an option has another form, a name is given twice, or a value is no finite
            number.
    """
    values: dict[str, float] = {}
    for item in typed:
        name, equals, number = item.partition("=")
        name = name.strip()
        if not equals or not name:
            raise RecipeError(f"--param {item}: write NAME=VALUE, such as --param C=1")
        if name in values:
            raise RecipeError(f"--param {name} is given twice")
        try:
            values[name] = float(number)
        except ValueError:
            raise RecipeError(f"--param {item}: {number!r} is not a number") from None
        fault = rounded_text(number)
        if fault is not None:
            raise RecipeError(f"--param {name} {fault}")
    return values
