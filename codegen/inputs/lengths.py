"""The number behind each symbolic length, the argument that it was learned from, so that a message
can name two arguments that contradict each other, and the names of the coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from codegen.check_arguments import checked_integer, checked_mapping, short_text
from recipe.declare.categories import some
from recipe.declare.coordinate_names import Names
from recipe.language.blocks import Block, Vector
from recipe.language.did_you_mean import did_you_mean
from recipe.language.errors import RecipeError
from recipe.language.symbols import Indexed, Length, name_of


class Lengths:
    """The lengths that are known so far."""

    def __init__(self) -> None:
        self._known: dict[Length, tuple[int, str]] = {}
        self._columns: dict[Length, tuple[Names, str]] = {}
        self._numbered: dict[Length, tuple[Names, str]] = {}
        self._given: dict[Length, Names] = {}

    def learn(self, length: Length, value: int, source: str) -> None:
        """Take note of a length.

        Args:
            length: the symbol.
            value: its number.
            source: the argument that determines it, as messages name it.

        Raises:
            RecipeError: where another argument has determined another number.
        """
        known, before = self._known.setdefault(length, (value, source))
        if known != value:
            raise RecipeError(
                f"{source} makes the length of {length.owner} {value}, but {before} makes it"
                f" {known}; correct one of them"
            )

    def known(self, length: Length) -> int | None:
        """Return the number behind a length; None where no argument has determined it."""
        return self._known[length][0] if length in self._known else None

    def of(self, block: Indexed) -> int:
        """Return the number of coordinates of a block.

        Raises:
            RecipeError: where no argument has determined it.
        """
        if block.length not in self._known:
            name = block.length.owner
            raise RecipeError(
                f"the length of {name} is not known; give it as lengths={{'{name}': ...}}, by"
                f" initial={{'{name}': [...]}} (--initial {name}=0,0,...), or in a Posterior as"
                f" coords={{{name}: range(...)}}"
            )
        return self._known[block.length][0]

    def note_columns(self, length: Length, names: Names, source: str) -> None:
        """Take note of the columns of a table, which name coordinates unless a user gives other
        names. The first of two tables names them.

        Args:
            length: the symbol of their number.
            names: their names.
            source: the table, as messages name it.

        Raises:
            RecipeError: where another table, or the user, has one of these names at another place,
                so that one of them would belong to the wrong coordinates.
        """
        known, before = self._columns.setdefault(length, (names, source))
        self._require_one_numbering(length)
        _require_order(names, source, known, f"the columns of {before}")
        if length in self._given:
            _require_order(
                names, source, self._given[length], f"the names in coords[{length.owner}]"
            )

    def note_numbered_columns(self, length: Length, names: Names, source: str) -> None:
        """Take note of a table whose columns are numbered from 0 in order, which names nothing.

        Args:
            length: the symbol of their number.
            names: these numbers.
            source: the table, as messages name it.

        Raises:
            RecipeError: where another table has the same numbers in another order.
        """
        self._numbered.setdefault(length, (names, source))
        self._require_one_numbering(length)

    def _require_one_numbering(self, length: Length) -> None:
        numbers, source = self._numbered.get(length, ((), ""))
        names, other = self._columns.get(length, ((), ""))
        if set(names) == set(numbers):
            _require_order(names, other, numbers, f"the columns of {source}")

    def learn_names(self, given: Mapping[Vector, Names]) -> None:
        """Take note of the names that a user gives to coordinates, and of their number.

        Raises:
            RecipeError: where there are more or fewer names than coordinates, or a table has some
                of them in another order.
        """
        for block, names in given.items():
            self.learn(block.length, len(names), f"coords[{block}]")
            columns, source = self._columns.get(block.length, (names, ""))
            _require_order(columns, source, names, f"the names in coords[{block}]")
            self._given[block.length] = names

    def names_of(self, block: Block) -> Names | None:
        """Return the names of the coordinates of a block; None where they have none."""
        return self.names_along(block.length) if isinstance(block, Vector) else None

    def names_along(self, length: Length) -> Names | None:
        """Return the names of the coordinates that a length counts; None where they have none."""
        columns, _ = self._columns.get(length, (None, ""))
        return self._given.get(length, columns)


def numbers_as_names(names: Names) -> Names:
    """Return the names of as many coordinates that are numbered from 0."""
    return tuple(map(str, range(len(names))))


def _require_order(names: Names, source: str, others: Names, theirs: str) -> None:
    """Require that a name that both have is at the same place."""
    place = {name: k for k, name in enumerate(others)}
    moved = any(place.get(name, k) != k for k, name in enumerate(names))
    if moved and set(names) == set(others):
        raise RecipeError(
            f"{source} has {theirs} in another order, {some(names)}; give both in one order"
        )
    if moved:
        raise RecipeError(
            f"{source} has the names {some(names)}, and {theirs} are {some(others)}: one of these"
            " is at another place; give both in one order"
        )


def repeated(where: str, value: Any, s: Indexed, lengths: Lengths) -> Any:
    """Return one number for all coordinates as an array, where their number is known.

    Args:
        where: the number, as messages name it.
        value: the number.
        s: the block or parameter that it is given for.
        lengths: the lengths that are known so far.

    Raises:
        RecipeError: where no argument has determined the length.
    """
    if lengths.known(s.length) is None:
        raise RecipeError(
            f"{where} is one number for all coordinates, and the length of {s.length.owner} is not"
            f" known yet; give one number for each, or lengths={{'{s.length.owner}': ...}}"
        )
    return np.repeat(value, lengths.of(s))


def learn_given(lengths: Lengths, given: Mapping[Any, Any] | None, state: Iterable[Block]) -> None:
    """Take note of the argument ``lengths=``.

    Args:
        lengths: the lengths that are known so far.
        given: numbers by block, by its name, or by the name of its length.
        state: the blocks that may be named.

    Raises:
        RecipeError: for a name that is no vector block, and for a number that is no length or
            contradicts another argument.
    """
    by_name = {b.name: b for b in state if isinstance(b, Vector)}
    by_name |= {b.length.name: b for b in by_name.values()}
    for key, value in checked_mapping("lengths", given).items():
        name = name_of(key)
        if name not in by_name:
            raise RecipeError(
                f"lengths= names {name}, which is no vector block; {did_you_mean(name, by_name)}the"
                f" vector blocks are {', '.join(by_name) or 'none'}"
            )
        if isinstance(value, tuple | list):
            raise RecipeError(
                f"lengths[{name}]={short_text(value)} is a shape, and {name} is a vector: give the"
                f" number of its coordinates, {_product(value)}; a gradient of your own reshapes"
                " its argument, and returns .ravel() of its result"
            )
        lengths.learn(
            by_name[name].length, checked_integer(f"lengths[{name}]", value, 1), "lengths="
        )


def _product(shape: Any) -> str:
    numbers = all(isinstance(n, int) for n in shape)
    return str(math.prod(shape)) if numbers else "a whole number"
