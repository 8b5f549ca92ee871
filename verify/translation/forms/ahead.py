"""Coordinates in pairs: the numbers of those that fill vectors are drawn in blocks, of the rest for several steps at once.

::

    pairs = n >> 1
    half = n - pairs
    fused = in_vectors(pairs)
    for first in range(np.uint64(0), fused, BLOCK):
        last = min(first + BLOCK, fused)
        draw_words(state.numbers, seed, lane, t, first, last)
        for i in range(first, last):
            a, b = pair_of_words(state.numbers, i - first)
            f(i, ..., a)
            f(half + i, ..., b)
    draw_ahead(state.numbers, seed, lane, t, fused, half, begin, end)
    for i in range(fused, pairs):
        a, b = pair_ahead(state.numbers, t, i - fused)
        f(i, ..., a)
        f(half + i, ..., b)
    if pairs < half:
        a = pair_ahead(state.numbers, t, pairs - fused)[0]
        f(pairs, ..., a)

The blocks cut 0 .. fused - 1 into pieces of at most ``BLOCK``, for which there is room. ``in_vectors`` is at most its argument, and
at most seven less; so the loops go through 0 .. pairs - 1 as the one of ``pairs`` does, and at most eight counters are left over.
``pair_of_words(numbers, k - first)`` after ``draw_words`` of its block, and ``pair_ahead(numbers, t, k - fused)``, are
``normal_pair(seed, lane, t, k)``: every counter of the loop around, from ``begin`` to ``end``, passes through ``draw_ahead`` in its
order, under no condition, and nothing else writes the array, which has a lane of its own and a part for each of the two.

Read at the generic coordinate, as one of each part of each loop; all must do the same.
"""

from __future__ import annotations

import ast

from verify.translation.forms.pairs import LABEL, visited
from verify.translation.memory import Frame, Memory
from verify.translation.problems import unread, wrong
from verify.translation.reader import Reader
from verify.translation.values import BlockEnd, Flag, Fused, Half, Pairs, Place


def in_pairs(reader: Reader, statements: list[ast.stmt], frame: Frame) -> int:
    """All loops, and what is left over."""
    match statements:
        case [
            ast.For(
                target=ast.Name(id=first),
                iter=ast.Call(func=ast.Name(id="range"), args=[_, ast.Name(id=end), ast.Name(id="BLOCK")], keywords=[]),
                body=[ast.Assign(targets=[ast.Name(id=last)]) as cut, *words, ast.For(orelse=[]) as fused],
                orelse=[],
            ) as in_blocks,
            *rest,
        ] if isinstance(size := frame.names.get(end), Fused):
            pass
        case _:
            return 0
    _cut(in_blocks, cut, fused, (first, last, end))
    if {first, last} & frame.names.keys():
        raise unread(in_blocks, f"{first} or {last} is the name of something else")
    draws = []
    while rest and ast.unparse(rest[0]).startswith("draw_ahead("):
        draws.append(rest.pop(0))
    match rest:
        case [ast.For(orelse=[]) as ahead, ast.If(orelse=[]) as middle, *_]:
            pass
        case _:
            raise wrong(in_blocks, "the coordinates that fill no vector are not visited")
    bound = _ends(ahead, middle, end, frame, size)
    for statement in draws:
        reader.one(statement, frame)
    block = Frame({**frame.names, first: BlockEnd(size.length, False), last: BlockEnd(size.length, True)}, dict(frame.lines))
    for statement in words:
        _only_words(statement)
        reader.one(statement, block)
    results = [*_both(reader, fused, block, size, rest=False), *_both(reader, ahead, frame, size, rest=True)]
    reader.words = {}
    *drawn, call = middle.body
    here = {bound: Place(size.length, LABEL, "middle")}
    results.append((call, visited(reader, drawn, call, frame, here, "middle", rest=True)))
    memory, flags = results[0][1]
    for call, (other, names) in results[1:]:
        if other.contents != memory.contents or names != flags:
            raise wrong(call, f"{ast.unparse(call)} does something else than {ast.unparse(results[0][0])}")
    reader.memory = memory
    frame.names |= flags
    return 3 + len(draws)


def _cut(in_blocks: ast.For, cut: ast.stmt, fused: ast.For, names: tuple[str, str, str]) -> None:
    """Require blocks that go through all pairs once, each by the loop in it."""
    first, last, end = names
    wanted = (f"range(np.uint64(0), {end}, BLOCK)", f"{last} = min({first} + BLOCK, {end})", f"range({first}, {last})")
    if tuple(map(ast.unparse, (in_blocks.iter, cut, fused.iter))) != wanted or len({*names, "BLOCK"}) < 4:
        raise wrong(in_blocks, "the blocks do not go through all pairs once")


def _only_words(statement: ast.stmt) -> None:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id="draw_words"))):
            return
        case _:
            raise unread(statement, "a block of pairs draws its words, and does nothing else before its loop")


Visit = tuple[ast.stmt, tuple[Memory, dict[str, Flag]]]


def _both(reader: Reader, loop: ast.For, frame: Frame, size: Fused, *, rest: bool) -> list[Visit]:
    """A loop that calls one function at two coordinates, at each of the two."""
    if not isinstance(loop.target, ast.Name) or loop.target.id in frame.names or len(loop.body) < 2:
        raise unread(loop, "a loop over pairs calls one function at two coordinates")
    *drawn, first, second = loop.body
    here = {loop.target.id: Place(size.length, LABEL, "first")}
    return [
        (first, visited(reader, drawn, first, frame, here, rest=rest)),
        (second, visited(reader, drawn, second, frame, here, "second", rest=rest)),
    ]


def _ends(ahead: ast.For, last: ast.If, end: str, frame: Frame, size: Fused) -> str:
    """What the number of pairs is called."""
    match ahead.iter, last.test:
        case (
            ast.Call(func=ast.Name(id="range"), args=[ast.Name(id=begin), ast.Name(id=bound)], keywords=[]),
            ast.Compare(left=ast.Name(id=left), ops=[ast.Lt()], comparators=[ast.Name(id=half)]),
        ) if begin == end and frame.names.get(bound) == Pairs(size.length):
            pass
        case _:
            raise wrong(ahead, "the coordinates that fill no vector are not visited")
    if left != bound or frame.names.get(half) != Half(size.length):
        raise wrong(last, "the coordinate that an odd number leaves over is visited under another condition")
    return bound
