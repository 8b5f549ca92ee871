"""Schedules as they are typed: ``polynomial:0.1,1000,0.55``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from codegen.inputs.schedule import Cyclical, Geometric, Polynomial, Schedule
from recipe import RecipeError
from recipe.language.did_you_mean import did_you_mean

KINDS = {
    "polynomial": (Polynomial, ("A", "B", "C"), ()),
    "cyclical": (Cyclical, ("A", "LENGTH"), ()),
    "geometric": (Geometric, ("A", "LAST", "STEPS"), ("EVERY",)),
}
WHOLE = {"LENGTH", "STEPS", "EVERY"}


def is_schedule(typed: str) -> bool:
    """Return True if a text is meant as a schedule."""
    return ":" in typed


def schedule_typed(typed: str, option: str) -> Schedule:
    """Return the schedule of a text such as ``geometric:4,0.05,20000``.

    Args:
        typed: the kind, a colon, and its numbers.
        option: the option with the name of what gets the schedule, for messages.

    Raises:
        RecipeError: for another text, with the form of the kind that is meant.
    """
    kind, _, numbers = (part.strip() for part in typed.partition(":"))
    if kind not in KINDS:
        raise RecipeError(
            f"{option}: {kind!r} is no kind of schedule; {did_you_mean(kind, KINDS)}the kinds are"
            f" {', '.join(map(form, KINDS))}"
        )
    made, needed, optional = KINDS[kind]
    given, names = numbers.split(","), (*needed, *optional)
    if len(given) < len(needed):
        lacking = ", ".join(needed[len(given) :])
        raise RecipeError(f"{option}: {typed!r} has no {lacking}; write {form(kind)}")
    if len(given) > len(names):
        raise RecipeError(f"{option}: {typed!r} has more numbers than {form(kind)}")
    values = [
        _number(text, name, f"{option}: {typed!r}")
        for text, name in zip(given, names, strict=False)
    ]
    return made_of(made, values, names, f"{option}: {typed!r}")


def made_of(made: Any, values: Sequence[Any], names: Sequence[str], where: str) -> Schedule:
    """Return a schedule, whose faults have the names of what is typed.

    Args:
        made: its class.
        values: its fields, in their order.
        names: what these are called where they are typed.
        where: what is typed, as messages name it.

    Raises:
        RecipeError: where a number does not fit, naming it.
    """
    try:
        return made(*values)  # type: ignore[no-any-return]
    except RecipeError as error:
        said = re.sub(r"^\w+: ", "", str(error))
        for field, name in zip(fields(made), names, strict=False):
            said = re.sub(rf"\b{field.name}=", f"{name}=", said)
        raise RecipeError(f"{where}: {said}") from None


def form(kind: str) -> str:
    """Return how a kind of schedule is typed."""
    _, needed, optional = KINDS[kind]
    return f"{kind}:{','.join(needed)}" + "".join(f"[,{name}]" for name in optional)


def _number(text: str, name: str, where: str) -> float | int:
    try:
        value = float(text)
    except ValueError:
        raise RecipeError(f"{where}: {name} is {text.strip()!r}, which is not a number") from None
    return int(value) if name in WHOLE and value.is_integer() else value
