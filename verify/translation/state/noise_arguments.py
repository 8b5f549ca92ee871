"""The argument ``noise`` of ``step``: one array for each draw.

The normal draws come first and then the others, both in the order of the rule.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sympy import Expr

from recipe.language.symbols import Length
from verify.translation.reference.matcher import Judge
from verify.translation.state.values import Place


@dataclass(frozen=True)
class NoiseArguments:
    """The argument ``noise``.

    Attributes:
        normals: the number of arrays that are normal, which come first.
        used: the arrays that were read so far.
        lengths: for each array the length whose coordinates it was read at; None for one number.
    """

    normals: int
    used: set[int] = field(default_factory=set, compare=False)
    lengths: dict[int, Length | None] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class NoiseArray:
    """One array of the argument ``noise``."""

    number: int
    normal: bool
    lengths: dict[int, Length | None] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class GivenDraw:
    """A draw that is not normal, of a law that is known where the draw is stored."""

    number: int
    place: Place


def noise_at(judge: Judge, of: Any, index: Any) -> Any:
    """Return an array of the noise, or the number in it at a coordinate.

    Raises:
        ValueError: if the index is not a number, or an array is read for blocks of two lengths.
        TypeError: if an array is not read at the coordinate of a loop.
    """
    if isinstance(of, NoiseArguments):
        if not isinstance(index, int) or index < 0:
            raise ValueError("noise is read by numbers")
        of.used.add(index)
        return NoiseArray(index, index < of.normals, of.lengths)
    place = Place(None, 0) if index == 0 else index
    if not isinstance(place, Place):
        raise TypeError("noise is read at the coordinate of a loop")
    if of.lengths.setdefault(of.number, place.length) != place.length:
        raise ValueError("one array of noise is read for blocks of two lengths")
    return _white(judge, of, place) if of.normal else GivenDraw(of.number, place)


def _white(judge: Judge, of: NoiseArray, place: Place) -> Expr:
    white = judge.white(f"noise[{of.number}]", place.length)
    return white if place.length is None else white.at(place.label)  # type: ignore[attr-defined, no-any-return]
