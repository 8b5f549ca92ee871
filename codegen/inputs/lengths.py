"""Which number each symbolic length stands for, and where that was learned, so that a contradiction
can be named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from codegen.check_arguments import checked_integer, checked_mapping
from recipe.language.errors import RecipeError
from recipe.language.symbols import Block, Length, Vector, name_of


class Lengths:
    """The lengths known so far."""

    def __init__(self) -> None:
        self._known: dict[Length, tuple[int, str]] = {}

    def learn(self, length: Length, value: int, source: str) -> None:
        """Take note of a length; RecipeError if another source said otherwise."""
        known, before = self._known.setdefault(length, (value, source))
        if known != value:
            raise RecipeError(f"{source} makes {length} = {value}, but {before} makes it {known}")

    def known(self, length: Length) -> int | None:
        """The number behind a length, if something told it."""
        return self._known[length][0] if length in self._known else None

    def of(self, block: Vector) -> int:
        """The length of a block; RecipeError if nothing told."""
        if block.length not in self._known:
            raise RecipeError(
                f"the length of {block} is not known; give it as lengths={{'{block}': ...}} or"
                f" initial={{'{block}': ...}}"
            )
        return self._known[block.length][0]


def learn_given(lengths: Lengths, given: Mapping[Any, Any] | None, state: Iterable[Block]) -> None:
    """Take note of ``lengths=``, by block or by its name."""
    by_name = {b.name: b for b in state if isinstance(b, Vector)}
    by_name |= {b.length.name: b for b in by_name.values()}
    for key, value in checked_mapping("lengths", given).items():
        name = name_of(key)
        if name not in by_name:
            raise RecipeError(
                f"lengths= names {name}, which is no vector block; the vector blocks are"
                f" {', '.join(by_name) or 'none'}"
            )
        lengths.learn(
            by_name[name].length, checked_integer(f"lengths[{name}]", value, 1), "lengths="
        )
