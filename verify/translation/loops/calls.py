"""The calls of driver functions: random numbers, evaluations of potentials, and their
estimators.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sympy import Expr

from recipe.language.abstract import Potential
from recipe.language.symbols import GENERIC, Indexed
from recipe.language.total import relabel
from verify.translation.loops.pairs import number_of
from verify.translation.parse.problems import unread, wrong
from verify.translation.reading.reader import Reader
from verify.translation.state.store import Frame
from verify.translation.state.values import (
    Array,
    Clock,
    CounterAhead,
    Drawn,
    Half,
    Pairs,
    PairsInVectors,
    Place,
    Repetitions,
    Rows,
    StreamKey,
    Token,
)

BEFORE_FIRST_STEP = Clock("before")  # the counter of the step before the first one
MAX_PURPOSES = 2**31  # larger purposes are those of the random numbers of initial states


def stream_key(reader: Reader, node: ast.Call, frame: Frame) -> StreamKey:
    """Read ``stream_key(seed, 3, chain)``."""
    seed, purpose, chain = (reader.value(a, frame) for a in node.args)
    ours = (seed, chain) == (Token("seed"), Token("chain"))
    if not isinstance(purpose, int) or not 0 <= purpose < MAX_PURPOSES or not ours:
        raise unread(node, f"{ast.unparse(node)} is not a key of the random numbers of this chain")
    return StreamKey(purpose)


def checked_key(
    reader: Reader, node: ast.Call, arguments: list[Any], use: str
) -> tuple[StreamKey, Clock]:
    """Return key and clock, and require that no other use has the same ones.

    The random numbers of a step must have the counter of that step.
    """
    key, clock = arguments
    if not isinstance(key, StreamKey) or not isinstance(clock, Clock):
        raise unread(node, f"{ast.unparse(node)}: key and counter are not those of this step")
    if clock != reader.clock:
        raise wrong(node, f"{ast.unparse(node)}: the counter is not that of the loop around")
    if reader.around.call_depth:
        raise unread(node, "random numbers are drawn in a function that is called")
    if clock == BEFORE_FIRST_STEP:  # ``drivers.check_run`` checks these numbers at the end
        return key, clock
    known = reader.random.keys.setdefault(key.purpose, (use, clock))
    if known != (use, clock):
        raise wrong(
            node, f"two uses of random numbers share the key {key.purpose}: {known[0]} and {use}"
        )
    return key, clock


def normal_pair(reader: Reader, node: ast.Call, frame: Frame) -> Any:
    """Read the two normal numbers of a counter: for two coordinates, or for no coordinate."""
    *arguments, counter = (reader.value(a, frame) for a in node.args)
    length = counter.length if isinstance(counter, Place) else None
    key, clock = checked_key(reader, node, arguments, f"normal numbers for {length or 'a number'}")
    if counter == 0:
        first = number_of(reader, key, clock, Place(None, GENERIC))
        return first, reader.judge.white(f"{first}@second", None)
    if not isinstance(counter, Place) or counter.part not in ("first", "middle"):
        raise wrong(
            node, f"{ast.unparse(node.args[-1])} is not the counter of a pair of coordinates"
        )
    return Drawn(key, clock, counter.part, 0), Drawn(key, clock, counter.part, 1)


def in_vectors(reader: Reader, node: ast.Call, frame: Frame) -> PairsInVectors:
    """Read the number of pairs of a length that are drawn where they are used."""
    (pairs,) = (reader.value(a, frame) for a in node.args)
    if not isinstance(pairs, Pairs):
        raise unread(node, f"{ast.unparse(node)} is not read")
    return PairsInVectors(pairs.length)


def draw_ahead(reader: Reader, node: ast.Call, frame: Frame) -> None:
    """Read the call that stores the numbers of a step where ``pair_ahead`` reads them.

    ``verify.translation.loops.draws_ahead`` has the whole pattern.
    """
    numbers, *keying, first, half = (reader.value(a, frame) for a in node.args[:5])
    if not isinstance(numbers, Token) or numbers.name not in reader.module.integers - {
        "rows",
        "table",
    }:
        raise unread(
            node, f"{ast.unparse(node.args[0])} is not an array for the numbers of several steps"
        )
    begin_and_end = ", ".join(map(ast.unparse, node.args[5:]))
    if begin_and_end != reader.around.counter_range or keying[-1] != reader.clock:
        raise wrong(node, f"{begin_and_end} are not the counters of the loop around")
    length = first.length if isinstance(first, PairsInVectors) else None
    if half != Half(length) if length else (first, half) != (0, 1):
        raise wrong(node, "these are not the pairs that fill no vector")
    key, clock = checked_key(reader, node, keying, f"normal numbers for {length or 'a number'}")
    if reader.random.ever_ahead.setdefault(numbers.name, (key, length)) != (key, length):
        raise wrong(node, f"two uses of random numbers share {numbers.name}")
    reader.random.ahead[numbers.name] = (key, clock, length)


def pair_ahead(reader: Reader, node: ast.Call, frame: Frame) -> Any:
    """Read a pair that was drawn ahead: the numbers that ``normal_pair`` gives at its counter."""
    numbers, clock, counter = (reader.value(a, frame) for a in node.args)
    known = reader.random.ahead.get(numbers.name) if isinstance(numbers, Token) else None
    if known is None or known[1] != clock:
        raise wrong(node, f"{ast.unparse(node.args[0])} does not hold the numbers of this step")
    key, _, length = known
    if counter == 0 and length is None:
        first = number_of(reader, key, clock, Place(None, GENERIC))
        return first, reader.judge.white(f"{first}@second", None)
    if not isinstance(counter, CounterAhead) or counter.place.length != length:
        raise wrong(
            node, f"{ast.unparse(node.args[-1])} is not the counter of a pair that was drawn ahead"
        )
    return Drawn(key, clock, counter.place.part, 0), Drawn(key, clock, counter.place.part, 1)


def fill_normals(reader: Reader, node: ast.Call, frame: Frame) -> None:
    """Read the call that fills an array with the normal numbers of a block."""
    array, *arguments = (reader.value(a, frame) for a in node.args)
    if not isinstance(array, Array) or array.length is None:
        raise unread(node, f"{ast.unparse(node)} fills no array of a block")
    key, clock = checked_key(reader, node, arguments, f"normal numbers for {array.length}")
    reader.put(
        array,
        Place(array.length, GENERIC),
        number_of(reader, key, clock, Place(array.length, GENERIC)),
        node.lineno,
    )


def random_row(reader: Reader, node: ast.Call, frame: Frame) -> Repetitions:
    """Read a random integer, uniform on 0 .. n - 1: only as a number of repetitions."""
    *arguments, counter, most = (reader.value(a, frame) for a in node.args)
    key, clock = checked_key(
        reader, node, arguments, f"a number of repetitions of line {node.lineno}"
    )
    if counter != 0 or not isinstance(most, int):
        raise unread(node, f"{ast.unparse(node)} is not read")
    return Repetitions(0, most - 1, key, clock)


def log_uniform(reader: Reader, node: ast.Call, frame: Frame) -> tuple[StreamKey, Clock]:
    """Read the logarithm of a uniform number; each test has a key of its own."""
    return checked_key(
        reader, node, [reader.value(a, frame) for a in node.args], f"the test of line {node.lineno}"
    )


def draw_rows(reader: Reader, node: ast.Call, frame: Frame) -> None:
    """Read the call that draws the rows of the next minibatch."""
    rows, table, count, *arguments = node.args
    given = [reader.value(a, frame) for a in arguments]
    key, clock = checked_key(reader, node, given, f"rows of line {node.lineno}")
    if reader.value(rows, frame) != Rows() or reader.value(table, frame) != Token("table"):
        raise unread(node, f"{ast.unparse(node)} does not fill the rows of the state")
    reader.random.minibatch_drawn = (key.purpose, clock.name, ast.unparse(count))


def noncentral_chi_squared(reader: Reader, node: ast.Call, frame: Frame) -> Expr:
    """Read a noncentral chi-squared draw with the parameters of its coordinate."""
    df, nonc, *arguments, counter = (reader.value(a, frame) for a in node.args)
    key, clock = checked_key(reader, node, arguments, f"draws of line {node.lineno}")
    if not isinstance(counter, Place):
        raise unread(node, f"{ast.unparse(node.args[-1])} is not the coordinate of the loop")
    label = counter.label
    draw = reader.judge.square(
        relabel(df, label, GENERIC),
        relabel(nonc, label, GENERIC),
        counter.length,
        key=(key.purpose, clock.name),
    )
    reader.random.parameters_of_draw[draw] = _fields_of_law(node)
    return draw.at(label) if isinstance(draw, Indexed) else draw


def _fields_of_law(node: ast.Call) -> tuple[str, str]:
    """Return the fields with the parameters of a draw's law."""
    match node.args:
        case [
            ast.Subscript(value=ast.Attribute(attr=df)),
            ast.Subscript(value=ast.Attribute(attr=nonc)),
            *_,
        ]:
            return df, nonc
    raise unread(node, "the two parameters of this law must be read from two arrays")


@contextmanager
def under_condition(reader: Reader, at: ast.AST) -> Iterator[None]:
    """Read statements that are not always executed, and refuse random numbers in them."""
    before = dict(reader.random.ahead), reader.random.minibatch_drawn, dict(reader.random.estimates)
    yield
    if before != (reader.random.ahead, reader.random.minibatch_drawn, reader.random.estimates):
        raise unread(at, "random numbers are drawn under a condition")


def evaluated(
    reader: Reader, U: Potential, results: list[Any], places: list[Any], draw: Any, node: ast.Call
) -> Any:
    """Read the evaluation of a gradient at the present contents of its arguments."""
    for array, block in zip([*results, *places], [*U.blocks, *U.blocks], strict=True):
        if not isinstance(array, Array) or array.length != block.length:
            raise wrong(node, f"{ast.unparse(node)}: an argument is not an array like {block}")
    if len(set(results)) != len(results) or set(results) & set(places):
        raise wrong(node, f"{ast.unparse(node)}: two arguments are one array")
    held = tuple(reader.fetch(p, _all(p), node) for p in places)
    found = reader.judge.evaluate("gradient", U, held, draw)
    for array, result in zip(results, found.atoms, strict=True):
        reader.put(array, _all(array), result, node.lineno)
    return found


def _all(array: Array) -> Place | None:
    return None if array.length is None else Place(array.length, GENERIC)


CALLS = {
    "stream_key": stream_key,
    "normal_pair": normal_pair,
    "in_vectors": in_vectors,
    "draw_ahead": draw_ahead,
    "pair_ahead": pair_ahead,
    "fill_normals": fill_normals,
    "random_row": random_row,
    "log_uniform": log_uniform,
    "draw_rows": draw_rows,
    "noncentral_chi_squared": noncentral_chi_squared,
}
