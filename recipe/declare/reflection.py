"""``Reflection``: a block that turns back at the edge of its domain, with the momenta that carry it
there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sympy import S

from recipe.language.blocks import Block
from recipe.language.domain import finite_ends
from recipe.language.errors import RecipeError
from recipe.language.fold import ends_of


@dataclass(frozen=True)
class Reflection:
    """The reflection of a block at every finite end of its domain; ``mirror`` makes it.

    Attributes:
        block: the block that is reflected, coordinate by coordinate.
        flips: the momenta that change their sign with it, in the coordinate that is reflected.
            Empty for a block with noise of its own, whose position alone is put back (the co-normal
            reflection).
    """

    block: Block
    flips: tuple[Block, ...] = ()

    def __str__(self) -> str:
        ends = finite_ends(self.block.domain)
        turned = (
            f", where {' and '.join(map(str, self.flips))} changes its sign" if self.flips else ""
        )
        return f"{self.block} is reflected at {' and '.join(str(end.at) for end in ends)}{turned}"


def checked_reflections(
    reflections: Iterable[Reflection], state: tuple[Block, ...]
) -> tuple[Reflection, ...]:
    """Return the reflections of a state as a tuple.

    Raises:
        RecipeError: where one is of a block without an edge, or a block occurs in two of them.
    """
    found = tuple(reflections)
    named: list[Block] = []
    for reflection in found:
        if not isinstance(reflection, Reflection):
            raise RecipeError(
                f"reflections={reflection!r} is no Reflection(block, flips); mirror(recipe, theta)"
                " makes them"
            )
        named += [reflection.block, *reflection.flips]
        _check_reflection(reflection, state)
    twice = next((b for b in named if named.count(b) > 1), None)
    if twice is not None:
        raise RecipeError(
            f"{twice} stands in two reflections; a block is reflected or flipped once"
        )
    return found


def _check_reflection(reflection: Reflection, state: tuple[Block, ...]) -> None:
    block = reflection.block
    for b in (block, *reflection.flips):
        if b not in state:
            raise RecipeError(
                f"{b} is to be reflected, and is not part of the state"
                f" ({', '.join(map(str, state))})"
            )
        if b.length != block.length:
            raise RecipeError(
                f"{b} has another length than {block}, so none of its coordinates turns with one of"
                f" {block}"
            )
    bounded = next((b for b in reflection.flips if b.domain != S.Reals), None)
    if bounded is not None:
        raise RecipeError(
            f"{bounded} lives on {bounded.domain}, which a change of its sign would leave; a"
            " momentum must live on the real line"
        )
    if ends_of(block) is None:
        raise RecipeError(
            f"{block} lives on {block.domain}, which has no end to reflect it at; declare the block"
            " with an Interval as its domain"
        )
