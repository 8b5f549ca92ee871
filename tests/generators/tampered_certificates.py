"""Every way to change one field of a certificate: numbers, names, references, entries, facts,
domains, obligations, steps.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from verify.certificate import digest_of

Path = tuple[Any, ...]
Data = dict[str, Any]

FUNCTIONS = ("exp", "sin", "cos", "sinh", "cosh", "tanh", "atan", "erf", "log", "loggamma")
KINDS = (
    "vector",
    "scalar",
    "parameter",
    "vector parameter",
    "scalar noise",
    "vector noise",
    "step",
    "potential",
    "field",
    "dense",
)
WORDS = (
    (FUNCTIONS),
    (KINDS),
    ("+", "*"),
    ("sym", "dim"),
    ("> 0", ">= 0", "!= 0"),
    ("recipe", "claim"),
    ("proved", "undecided"),
    ("oo", "-oo"),
)
FACTS = ("positive", "nonnegative", "negative", "zero", "nonzero", "integer")


def tampered(certificate: Data) -> Iterator[tuple[str, Data]]:
    """Certificates that differ from one in a single change, each with a matching hash, and what was
    changed.
    """
    for path, change, value in changes(certificate):
        altered = copy.deepcopy(certificate)
        place = altered
        for step in path[:-1]:
            place = place[step]
        if change == "drop":
            del place[path[-1]]
        elif change == "insert":
            place.insert(path[-1], value)
        else:
            place[path[-1]] = value
        altered["sha256"] = digest_of(altered)
        yield (
            f"{change} {'/'.join(map(str, path))}{'' if change == 'drop' else f' -> {value!r}'}",
            altered,
        )


def changes(certificate: Data) -> Iterator[tuple[Path, str, Any]]:
    names = sorted({*certificate["lengths"], *certificate["symbols"], *certificate["functions"]})
    for path, value in fields(certificate, ()):
        if path == ("sha256",):
            continue
        if path:
            yield path, "drop", None
            yield path, "set", None if value is not None else 0
        if isinstance(value, dict):
            yield (*path, "more"), "set", 0
        if isinstance(value, list):
            yield from _changes_of_list(path, value)
        for other in _others(value, names, len(certificate["nodes"])):
            yield path, "set", other


def fields(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Every field with its path, containers before what is in them."""
    yield path, value
    inside = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, part in inside:
        yield from fields(part, (*path, key))


def _changes_of_list(path: Path, value: list[Any]) -> Iterator[tuple[Path, str, Any]]:
    for k, part in enumerate(value):
        yield (*path, k), "insert", part
        if k and part != value[k - 1]:
            yield path, "set", [*value[: k - 1], part, value[k - 1], *value[k + 1 :]]
    if path[-1:] == ("facts",):
        for fact in FACTS:
            yield (*path, len(value)), "insert", fact


def _others(value: Any, names: list[str], nodes: int) -> list[Any]:
    """Other values of the same kind."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        near = [value + 1, value - 1, -value, 0, value // 2, (7 * value + 3) % nodes]
        return [n for n in dict.fromkeys(near) if n != value]
    if isinstance(value, str):
        alike = next((words for words in WORDS if value in words), names if value in names else ())
        return [w for w in (*alike, value + "_") if w != value]
    return (
        [["interval", "-oo", "oo", True, True], ["interval", 0, "oo", True, True], ["simplex"]]
        if value is None
        else []
    )
