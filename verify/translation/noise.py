"""The noise that ``step`` is given: one array a draw, first those that are normal, then those that are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import Expr

from verify.translation.judge import Judge, atom
from verify.translation.values import Place


@dataclass(frozen=True)
class NoiseArguments:
    """The argument ``noise``; the first ``normals`` of it are normal."""

    normals: int


@dataclass(frozen=True)
class NoiseArray:
    """One of its arrays."""

    number: int
    normal: bool


def noise_at(judge: Judge, of: Any, index: Any) -> Any:
    """An array of the noise, or the number of a coordinate in it."""
    if isinstance(of, NoiseArguments):
        if not isinstance(index, int) or index < 0:
            raise ValueError("noise is read by numbers")
        return NoiseArray(index, index < of.normals)
    place = Place(None, 0) if index == 0 else index
    if not isinstance(place, Place):
        raise TypeError("noise is read at the coordinate of a loop")
    name = f"noise[{of.number}]"
    white = judge.white(name, place.length) if of.normal else _other(judge, name, place)
    return white if place.length is None else white.at(place.label)  # type: ignore[attr-defined]


def _other(judge: Judge, name: str, place: Place) -> Expr:
    found = atom(name, place.length, positive=True)
    judge.given.add(found)
    return found
