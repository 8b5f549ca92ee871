"""Schedules as they are typed: ``polynomial:0.1,1000,0.55``."""

from __future__ import annotations

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
    given = numbers.split(",")
    if not len(needed) <= len(given) <= len(needed) + len(optional):
        raise RecipeError(f"{option}: {typed!r} has other numbers than {form(kind)}")
    values = [
        _number(text, name in WHOLE, option)
        for text, name in zip(given, (*needed, *optional), strict=False)
    ]
    return made(*values)  # type: ignore[operator,no-any-return]


def form(kind: str) -> str:
    """Return how a kind of schedule is typed."""
    _, needed, optional = KINDS[kind]
    return f"{kind}:{','.join(needed)}" + "".join(f"[,{name}]" for name in optional)


def _number(text: str, whole: bool, option: str) -> float | int:
    try:
        value = float(text)
    except ValueError:
        raise RecipeError(f"{option}: {text.strip()!r} is not a number") from None
    return int(value) if whole and value.is_integer() else value
