"""Which output of a function is the new value of which block."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from recipe.language.blocks import Scalar, Vector
from recipe.language.symbols import name_of
from recipe.lifting.claims.claim import Claim
from recipe.lifting.tree.place import refuse


def outputs_of(
    claim: Claim, result: Any, changed: Mapping[str, Any], read: Callable[[Any], Any]
) -> dict[str, Any]:
    """Return the new value of each block, by its name.

    Args:
        claim: the claim, whose ``returns`` says what each output is.
        result: what the function has returned; None where it changes its arguments in place.
        changed: the arguments that are blocks, as they are after the call, by name of the argument.
        read: what turns an output into an array.

    Raises:
        CannotLiftError: where an output is missing, or has another form than ``returns`` says.
    """
    place = claim.place
    if result is None:
        return {name_of(claim.state[n]): read(v) for n, v in changed.items()}
    found: dict[str, Any] = {}

    def collect(expected: Any, value: Any, where: str) -> None:
        if expected is None:
            return
        if isinstance(expected, Vector | Scalar):
            found[name_of(expected)] = read(value)
        elif isinstance(expected, Mapping):
            for key, part in expected.items():
                collect(part, _part(value, key, where, place), f"{where}.{key}")
        else:
            parts = list(value) if isinstance(value, tuple | list) else [value]
            if len(parts) != len(expected):
                refuse(
                    f"{claim.name} returns {len(parts)} values, and {len(expected)} are"
                    " expected; say what they are, returns=(theta, None, ...)",
                    place,
                )
            for k, (inner, part) in enumerate(zip(expected, parts, strict=True)):
                collect(inner, part, f"{where}[{k}]")

    collect(claim.returns, result, "the result")
    missing = next((b for b in claim.blocks if name_of(b) not in found), None)
    if missing is not None:
        refuse(f"returns= does not say which output of {claim.name} is {missing}", place)
    return found


def check_in_place(claim: Claim, before: Any, state: Any, outputs: Any, returns_none: bool) -> None:
    """Refuse a function that changes its argument and returns another value for it, and one that
    returns nothing and changes nothing.
    """
    if returns_none and all(
        a is b for n, x in state.items() for a, b in zip(before[n].flat, x.nodes.flat, strict=True)
    ):
        refuse(
            f"{claim.name} returns None and changes none of its arguments; a return may be missing",
            claim.place,
        )
    for n, x in state.items():
        out = outputs[name_of(claim.state[n])]
        changed = any(a is not b for a, b in zip(before[n].flat, x.nodes.flat, strict=True))
        if changed and any(a is not b for a, b in zip(out.flat, x.nodes.flat, strict=False)):
            refuse(
                f"{claim.name} changes its argument {n} in place and returns another value for it,"
                " so that the next step begins elsewhere; work on a copy of it",
                claim.place,
            )


def _part(value: Any, key: Any, where: str, place: Any) -> Any:
    if isinstance(value, Mapping) and key in value:
        return value[key]
    if isinstance(key, str) and hasattr(value, key):
        return getattr(value, key)
    if isinstance(key, int) and isinstance(value, Sequence) and key < len(value):
        return value[key]
    return refuse(f"{where} has no part {key!r}", place)
