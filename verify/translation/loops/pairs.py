"""Normal numbers in pairs: one counter gives the numbers of two coordinates.

::

    pairs = n >> 1
    half = n - pairs
    for i in range(pairs):
        a, b = normal_pair(key, t, i)
        f(i, ..., a)
        f(half + i, ..., b)
    if pairs < half:
        a = normal_pair(key, t, pairs)[0]
        f(pairs, ..., a)

With ``pairs = floor(n/2)`` and ``half = n - pairs = ceil(n/2)``, i runs through 0 .. pairs - 1 and
``half + i`` through half .. n - 1. If n is even these are all coordinates, each once; if n is odd
``pairs = half - 1`` is the middle one, and the last lines visit it. So every coordinate is visited
once, with a number of its own: the pair ``(counter, component)`` is ``(i, 0)`` in the first half,
``(i - half, 1)`` in the second half, and ``(pairs, 0)`` in the middle. ``fill_normals`` has the
same order.

The loop is read at the generic coordinate three times, once for each part; all three must have the
same effect.
"""

from __future__ import annotations

import ast

from sympy import Expr

from recipe.language.total import labels
from verify.translation.loops.one_by_one import require_unchanged
from verify.translation.parse.problems import unread, wrong
from verify.translation.reading.reader import Reader
from verify.translation.state.store import Frame, Memory
from verify.translation.state.values import (
    Clock,
    Drawn,
    Flag,
    Half,
    Pairs,
    PairsInVectors,
    Place,
    StreamKey,
)

PAIR_LABEL = -2
# For each part the part whose counter its number has, and the component of the pair.
COUNTERS = {"first": ("first", 0), "second": ("first", 1), "middle": ("middle", 0)}


def read_pairs(reader: Reader, statements: list[ast.stmt], frame: Frame) -> int:
    """Read a loop over pairs, with the middle coordinate; returns 2, or 0 if it is no such loop."""
    match statements:
        case [
            ast.For(
                target=ast.Name(id=index),
                iter=ast.Call(func=ast.Name(id="range"), args=[ast.Name(id=bound)]),
                body=body,
                orelse=[],
            ),
            ast.If(
                test=ast.Compare(
                    left=ast.Name(id=left), ops=[ast.Lt()], comparators=[ast.Name(id=right)]
                ),
                body=rest,
                orelse=[],
            ),
            *_,
        ] if isinstance(frame.names.get(bound), Pairs):
            pass
        case [ast.For(iter=ast.Call(func=ast.Name(id="range"), args=[ast.Name(id=bound)])), *_] if (
            isinstance(frame.names.get(bound), Pairs)
        ):
            raise wrong(statements[0], "the middle coordinate of an odd number is not visited")
        case _:
            return 0
    size, half = frame.names[bound], frame.names.get(right)
    if left != bound or half != Half(size.length):
        raise wrong(
            statements[1],
            "the middle coordinate of an odd number has a wrong condition",
        )
    require_unchanged((bound, right, index), [*body, *rest], statements[0])
    *draws, first, second = body
    *draws_of_rest, middle = rest
    results = [
        visited(reader, draws, first, frame, {index: Place(size.length, PAIR_LABEL, "first")}),
        visited(
            reader, draws, second, frame, {index: Place(size.length, PAIR_LABEL, "first")}, "second"
        ),
        visited(
            reader,
            draws_of_rest,
            middle,
            frame,
            {bound: Place(size.length, PAIR_LABEL, "middle")},
            "middle",
        ),
    ]
    for call, (memory, names) in zip((second, middle), results[1:], strict=True):
        if memory.contents != results[0][0].contents or names != results[0][1]:
            raise wrong(call, f"{ast.unparse(call)} does something else than {ast.unparse(first)}")
    reader.memory, flags = results[0]
    frame.names |= flags
    return 2


def visited(
    reader: Reader,
    draws: list[ast.stmt],
    call: ast.stmt,
    frame: Frame,
    here: dict[str, Place],
    part: str = "first",
    *,
    rest: bool = False,
) -> tuple[Memory, dict[str, Flag]]:
    """Return memory and flags after the call at one part of the coordinates.

    ``rest`` is True if the other pairs were drawn in another loop.
    """
    memory = reader.memory
    if reader.around.loop_labels:
        raise unread(call, "a loop over pairs is inside of another loop over coordinates")
    reader.memory = memory.copy()
    given = {
        *here,
        *(
            n.id
            for s in draws
            for n in ast.walk(s)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        ),
    }
    if any(isinstance(frame.names.get(name), Flag) for name in given):
        raise unread(call, "a loop over pairs overwrites the checks of earlier loops")
    known = {n: v for n, v in frame.names.items() if rest or not isinstance(v, PairsInVectors)}
    inner = Frame({**known, **here}, dict(frame.lines))
    for statement in draws:
        _read_draw(reader, statement, inner)
    _check_call(reader, call, inner, part)
    first = len(memory.reads), len(memory.writes)
    reader.around.pair_part = part
    reader.around.loop_labels.append(PAIR_LABEL)
    reader.execute_statement(call, inner)
    reader.around.loop_labels.pop()
    reader.around.pair_part = ""
    made, reader.memory = reader.memory, memory
    written = {array for array, _ in made.writes[first[1] :]}
    if any(
        array in written and label != PAIR_LABEL for array, label in made.reads[first[0] :]
    ) or any(label != PAIR_LABEL for _, label in made.writes[first[1] :]):
        raise wrong(call, "the loop writes an array, but reads it at another coordinate")
    flags = {k: v for k, v in inner.names.items() if isinstance(v, Flag)}
    return made, flags


def _read_draw(reader: Reader, statement: ast.stmt, frame: Frame) -> None:
    """Read an assignment of random numbers, or of numbers without a coordinate.

    Any other statement would be executed for one coordinate of the pair only, and is refused.
    """
    match statement:
        case ast.Assign(targets=[ast.Name() as only]):
            names = [only]
        case ast.Assign(targets=[ast.Tuple(elts=names)]):
            pass
        case _:
            raise unread(
                statement,
                "a loop over pairs draws numbers, and calls one function at two coordinates",
            )
    writes = len(reader.memory.writes)
    reader.execute_statement(statement, frame)
    given = [frame.names[n.id] if isinstance(n, ast.Name) else None for n in names]
    plain = all(isinstance(v, Drawn) or (isinstance(v, Expr) and not labels(v)) for v in given)
    if not plain or len(reader.memory.writes) != writes:
        raise unread(
            statement, "a loop over pairs draws numbers, and calls one function at two coordinates"
        )


def _check_call(reader: Reader, call: ast.stmt, frame: Frame, part: str) -> None:
    """Require that the call is at this part of the coordinates, and give it the number of its
    coordinate.
    """
    match call:
        case (
            ast.AugAssign(op=ast.BitAnd(), value=ast.Call(args=[at, *_]))
            | ast.Expr(value=ast.Call(args=[at, *_]))
            | ast.Assign(targets=[ast.Subscript(slice=at)], value=ast.Name())
        ):
            place = reader.value(at, frame)
        case _:
            raise unread(call, "a loop over pairs calls one function at two coordinates")
    if not isinstance(place, Place) or place.part != part:
        raise wrong(
            call, f"the call must be at the {part} coordinate of a pair, not at {ast.unparse(at)}"
        )
    for name, value in list(frame.names.items()):
        if isinstance(value, Drawn) and (value.counter, value.component) == COUNTERS[part]:
            frame.names[name] = number_of(reader, value.key, value.clock, place)


def number_of(reader: Reader, key: StreamKey, clock: Clock, place: Place) -> Expr:
    """Return the standard normal number of a coordinate."""
    white = reader.judge.white(f"normal@{key.purpose}@{clock.name}", place.length)
    return white if place.length is None else white.at(place.label)  # type: ignore[attr-defined, no-any-return]
