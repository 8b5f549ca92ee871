"""The coordinates at which a condition between parameters must hold, and the parameters in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sympy import Expr, Symbol

from recipe.language.assumed import ParameterCondition
from recipe.language.symbols import GENERIC, Index, Indexed, Length
from recipe.language.total import free_indexed
from verify.decide.points.keys import key_of

Places = Mapping[int, int]  # the coordinate that each free label stands for, counted from 0


def lengths_of(condition: ParameterCondition) -> set[Length]:
    """The lengths that must have a number for a condition to be checked."""
    indexed: set[Length] = {s.length for s in condition.e.atoms(Indexed)}
    return indexed | condition.e.atoms(Length)


def places_of(condition: ParameterCondition, sizes: Mapping[Length, int]) -> list[Places]:
    """The coordinates at which a condition must hold."""
    lengths = {s.length for s in free_indexed(condition.e)}
    if not lengths:
        return [{}]
    (length,) = lengths  # a condition is between vectors of one length
    return [{GENERIC: k} for k in range(sizes[length])]


def keys_of(e: Expr, places: Places, sizes: Mapping[Length, int]) -> Iterator[Any]:
    """The keys of all parameters in a condition, those in its totals at every coordinate."""
    for s in sorted(e.atoms(Symbol) - e.atoms(Length, Index), key=str):
        if not isinstance(s, Indexed):
            yield s
        elif s.label in places:
            yield key_of(s.at(GENERIC), places[s.label])
        else:
            for k in range(sizes[s.length]):
                yield key_of(s.at(GENERIC), k)
