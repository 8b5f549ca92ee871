"""Invariants of the state between two places of a text.

The blocks have the values of the rule, and scratch arrays may hold results of evaluations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sympy import Expr

from recipe.language.blocks import Block
from verify.translation.parse.problems import TranslationError, wrong
from verify.translation.reading.reader import Reader
from verify.translation.reference.matcher import PotentialEvaluation, length_of
from verify.translation.reference.rule import arguments_of
from verify.translation.state.values import Array

Held = tuple[PotentialEvaluation, int]  # an evaluation, and the index of one of its results


def array_of(reader: Reader, block: Block, owner: str = "state") -> Array:
    """Return the array that holds a block."""
    return Array(owner, reader.legend.fields[block], length_of(block))


def require_state(reader: Reader, line: int, when: str, owner: str = "state") -> None:
    """Require that every array of a block holds the value of the rule, and replace it by
    its atom.
    """
    for block, value in reader.rule.state.items():
        array = array_of(reader, block, owner)
        held = reader.memory.contents.get(array)
        at = reader.memory.written.get(array, line)
        if held is None:
            raise wrong(at, f"{block} is not written {when}")
        if not reader.around.finding_writes:
            try:
                reader.judge.require(held, value, at, f"{block} {when}")
            except TranslationError as error:
                _blame_the_first(reader, owner)
                raise error from None
        reader.memory.contents[array] = value


def _blame_the_first(reader: Reader, owner: str) -> None:
    """Raise an error for the first value in a block that is not the new value of the rule.

    So an error names the statement that causes it, and not a later one that uses the value.
    """
    blocks = {array_of(reader, b, owner): b for b in reader.legend.fields}
    for array, held, line in reader.memory.unnamed_stores:
        wanted = reader.judge.missing(blocks[array]) if array in blocks else None
        if wanted is not None:
            reader.judge.require(held, wanted, line, f"the new value of {blocks[array]}")


def results_held(
    reader: Reader, arrays: Iterable[Array], state: Mapping[Block, Expr]
) -> dict[Array, Held]:
    """Return the arrays that hold results of an evaluation at this state."""
    found = {}
    for array in arrays:
        for e in reader.judge.evaluations:
            for n, result in enumerate(e.atoms):
                if reader.memory.contents.get(array) == result and reader.judge.all_equal(
                    arguments_of(e.potential, dict(state)), e.arguments
                ):
                    found[array] = (e, n)
    return found


def forget_arrays(
    reader: Reader,
    written: Iterable[Array],
    kept: Mapping[Array, Held],
    state: Mapping[Block, Expr],
) -> None:
    """Let every array that is written hold anything, except blocks and the arrays in ``kept``."""
    blocks = {array_of(reader, b): e for b, e in state.items()}
    for array in written:
        if array in blocks:
            reader.memory.contents[array] = blocks[array]
        elif array in kept:
            reader.memory.contents[array] = result_at(reader, kept[array], state)
        else:
            reader.memory.contents[array] = reader.judge.fresh(array.field, array.length)


def result_at(reader: Reader, held: Held, state: Mapping[Block, Expr]) -> Expr:
    """Return the same result of an evaluation at another state."""
    e, n = held
    return reader.judge.evaluate(e.kind, e.potential, arguments_of(e.potential, dict(state))).atoms[
        n
    ]


def holds_result(reader: Reader, array: Array, held: Held, state: Mapping[Block, Expr]) -> bool:
    """Return True if an array holds the result of that evaluation at this state."""
    found = results_held(reader, [array], state).get(array)
    return found is not None and (found[0].kind, found[0].potential, found[1]) == (
        held[0].kind,
        held[0].potential,
        held[1],
    )


def is_same_result(held: Any, other: Any) -> bool:
    """Return True if two results are the same one of two evaluations of one potential."""
    return (
        held is not None
        and other is not None
        and (held[0].kind, held[0].potential, held[1])
        == (
            other[0].kind,
            other[0].potential,
            other[1],
        )
    )
