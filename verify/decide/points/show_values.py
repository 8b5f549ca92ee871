"""The values of a point as text, for a witness."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from sympy import Rational, Symbol

from recipe.language.abstract import Dense
from recipe.language.symbols import Length
from verify.decide.points.chosen_values import RIDGE
from verify.decide.points.keys import ROOT


def show_values(
    sizes: Mapping[Length, int], values: Mapping[Any, Rational]
) -> dict[str, str | list[str]]:
    """Return lengths and values by printable name; a vector as the list of its coordinates."""
    found: dict[str, str | list[str]] = {str(length): str(n) for length, n in sizes.items()}
    vectors: dict[str, dict[int, Rational]] = {}
    roots: dict[Dense, dict[int, list[Rational]]] = {}
    for key, value in values.items():
        if isinstance(key, tuple) and len(key) == 3 and key[0] == "coordinate":
            vectors.setdefault(key[1].base, {})[key[2]] = value
        elif isinstance(key, tuple) and key[0] == ROOT:
            roots.setdefault(key[1], {}).setdefault(key[2], []).append(value)
        else:
            found[_key_text(key)] = str(value)
    for matrix, rows in roots.items():
        for i, j in itertools.combinations_with_replacement(sorted(rows), 2):
            entry = sum((a * b for a, b in zip(rows[i], rows[j], strict=True)), RIDGE * int(i == j))
            found[_key_text(("entry", matrix, i, j))] = str(entry)
    for base, coordinates in vectors.items():
        found[base] = [str(coordinates.get(k, "any")) for k in range(max(coordinates) + 1)]
    return found


def _key_text(key: Any) -> str:
    if isinstance(key, Symbol):
        return key.name
    kind, head, *rest = key
    if kind == "jet":
        at, wrt = rest
        return quotient(
            f"{head}" + ("" if at is None else f"[{at + 1}]"),
            [b if k < 0 else f"{b}[{k + 1}]" for b, k in wrt],
        )
    if kind == "function":
        orders, written = rest
        primes = (
            chr(39) * orders[0]
            if len(orders) == 1
            else f"^({','.join(map(str, orders))})"
            if any(orders)
            else ""
        )
        return f"{head.__name__}{primes}({', '.join(written)})"
    return f"{head}[{rest[0] + 1}, {rest[1] + 1}]"


def quotient(head: str, wrt: list[str]) -> str:
    """A derivative written as a quotient: ``d^2U/dtheta[1]dtheta[2]`` or ``d^2U/dtheta[1]^2``.

    ``wrt`` names the variables of differentiation; if it is empty, the function itself is returned.
    """
    powers = "".join(
        f"d{x}" + (f"^{wrt.count(x)}" if wrt.count(x) > 1 else "") for x in dict.fromkeys(wrt)
    )
    order = f"^{len(wrt)}" if len(wrt) > 1 else ""
    return f"d{order}{head}/{powers}" if wrt else head
