"""Normal numbers in pairs, some of them drawn ahead for several steps.

::

    fused = in_vectors(pairs)
    for i in range(fused):
        a, b = normal_pair(key, t, i)
        f(i, ..., a)
        f(half + i, ..., b)
    draw_ahead(state.numbers, key, t, fused, half, begin, end)
    for i in range(fused, pairs):
        a, b = pair_ahead(state.numbers, t, i - fused)
        f(i, ..., a)
        f(half + i, ..., b)
    if pairs < half:
        a = pair_ahead(state.numbers, t, pairs - fused)[0]
        f(pairs, ..., a)

Pairs that fill vectors are drawn in their loop, the others for several steps at once.
``in_vectors`` is at most its argument, and at most seven less; so the two loops together visit 0 ..
pairs - 1, as a loop over ``pairs`` does, and at most eight counters remain. ``pair_ahead(numbers,
t, k - fused)`` is ``normal_pair(key, t, k)``: every counter of the loop around, from ``begin`` to
``end``, passes through ``draw_ahead`` in its order, under no condition, and nothing else writes the
array, which has a key of its own.
"""

from __future__ import annotations

import ast

from verify.translation.loops.one_by_one import require_unchanged
from verify.translation.loops.pairs import PAIR_LABEL, visited
from verify.translation.parse.problems import unread, wrong
from verify.translation.reading.reader import Reader
from verify.translation.state.store import Frame
from verify.translation.state.values import Half, Pairs, PairsInVectors, Place


def read_draws_ahead(reader: Reader, statements: list[ast.stmt], frame: Frame) -> int:
    """Read both loops and the middle coordinate; returns the number of statements, 0 if they are no
    such loops.
    """
    match statements:
        case [
            ast.For(iter=ast.Call(func=ast.Name(id="range"), args=[ast.Name(id=end)])) as fused,
            *rest,
        ] if isinstance(frame.names.get(end), PairsInVectors):
            size = frame.names[end]
        case _:
            return 0
    draws = []
    while rest and ast.unparse(rest[0]).startswith("draw_ahead("):
        draws.append(rest.pop(0))
    match rest:
        case [ast.For(orelse=[]) as ahead, ast.If(orelse=[]) as last, *_]:
            pass
        case _:
            raise wrong(fused, "the coordinates that fill no vector are not visited")
    bound, half = _ends(ahead, last, end, frame, size)
    for statement in draws:
        reader.execute_statement(statement, frame)
    results = []
    for loop, left_over in ((fused, False), (ahead, True)):
        if not isinstance(loop.target, ast.Name) or loop.orelse or len(loop.body) < 2:
            raise unread(loop, "a loop over pairs calls one function at two coordinates")
        require_unchanged(
            (end, bound, half, loop.target.id), [*fused.body, *ahead.body, *last.body], loop
        )
        *drawn, first, second = loop.body
        here = {loop.target.id: Place(size.length, PAIR_LABEL, "first")}
        results.append((first, visited(reader, drawn, first, frame, here, rest=left_over)))
        results.append(
            (second, visited(reader, drawn, second, frame, here, "second", rest=left_over))
        )
    *drawn, middle = last.body
    here = {bound: Place(size.length, PAIR_LABEL, "middle")}
    results.append((middle, visited(reader, drawn, middle, frame, here, "middle", rest=True)))
    memory, flags = results[0][1]
    for call, (other, names) in results[1:]:
        if other.contents != memory.contents or names != flags:
            raise wrong(
                call, f"{ast.unparse(call)} does something else than {ast.unparse(results[0][0])}"
            )
    reader.memory = memory
    frame.names |= flags
    return 3 + len(draws)


def _ends(
    ahead: ast.For, last: ast.If, end: str, frame: Frame, size: PairsInVectors
) -> tuple[str, str]:
    """Return the names of the number of pairs and of the number in the first half."""
    match ahead.iter, last.test:
        case (
            ast.Call(
                func=ast.Name(id="range"),
                args=[ast.Name(id=begin), ast.Name(id=bound)],
                keywords=[],
            ),
            ast.Compare(left=ast.Name(id=left), ops=[ast.Lt()], comparators=[ast.Name(id=half)]),
        ) if begin == end and frame.names.get(bound) == Pairs(size.length):
            pass
        case _:
            raise wrong(ahead, "the coordinates that fill no vector are not visited")
    if left != bound or frame.names.get(half) != Half(size.length):
        raise wrong(last, "the middle coordinate of an odd number has a wrong condition")
    return bound, half
