"""Loops over chunks of all coordinates, and loops through one chunk.

::

    for first in range(np.uint64(0), n, np.uint64(64)):
        size = min(np.uint64(64), n - first)
        for k in range(size):
            i = first + k
            total_terms[k] = add_sums(i, 0.0, ...)
        for k in range(np.uint64(0), size - size % EIGHT, EIGHT):
            at = whole(k)
            total_by_eight = inside(at, total_by_eight + total_terms[at], total_by_eight)
        if size % EIGHT > 0: ...  # the same for the rest (loops/eights.py)

``first`` is 0, 64, 128, ... below n, and k runs through 0 .. size - 1 with ``first + k < n``: every
coordinate is ``first + k`` for exactly one turn of the outer loop and one turn of each inner loop.
So all inner loops are read at one generic coordinate. A chunk adds to a running sum the sum over
its coordinates, which is an atom with its summand; all chunks together add the sum over all
coordinates. Arrays on the stack hold the numbers that were written in this chunk; at its beginning
their content is unknown.

The rows of a tile (``loops/rows.py``) are a chunk as well. There, a loop may take several rows at a
time:

::

    for k in range(np.uint64(0), tile, np.uint64(4)):

It writes at ``k``, ``k + 1``, ``k + 2`` and ``k + 3``, and must write the same expression for each
row. If the number of rows is no multiple of 4 the last ones lie beyond the tile, within the room of
the arrays; these numbers are never added to a sum.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sympy import Expr

from recipe.language.symbols import GENERIC, Indexed
from recipe.language.total import free_indexed, labels, relabel, sum_over
from verify.translation.loops.one_by_one import (
    assigned_in,
    fresh_label,
    read_body,
    require_unchanged,
)
from verify.translation.parse.problems import unread, wrong
from verify.translation.reading.reader import Reader
from verify.translation.state.indexing import MAX_ROWS_AT_ONCE, moved_to_row
from verify.translation.state.store import Frame
from verify.translation.state.values import Chunk, ChunkFirst, ChunkSize, Eights, Offset, Size


@contextmanager
def passing_through(reader: Reader, chunk: Chunk, at: ast.AST) -> Iterator[None]:
    """Yield while a loop through a chunk is read; a second loop through the same chunk inside of
    the first is refused.
    """
    if chunk in reader.around.current_chunks:
        raise unread(at, "a loop over a chunk is inside of another loop over the same chunk")
    reader.around.current_chunks.add(chunk)
    try:
        yield
    finally:
        reader.around.current_chunks.discard(chunk)


def blocks(reader: Reader, statements: list[ast.stmt], frame: Frame) -> int:
    """Read a loop over chunks of all coordinates; returns 1, or 0 if it is no such loop."""
    match statements[0]:
        case (
            ast.For(
                target=ast.Name(id=first),
                iter=ast.Call(
                    func=ast.Name(id="range"), args=[start, ast.Name(id=bound), step], keywords=[]
                ),
                body=[ast.Assign(targets=[ast.Name(id=size)], value=how_many), *body],
                orelse=[],
            ) as loop
        ) if (
            isinstance(all_of := frame.names.get(bound), Size)
            and ast.unparse(start) == "np.uint64(0)"
        ):
            pass
        case _:
            return 0
    room = _literal(step)
    if room is None or ast.unparse(how_many) != f"min({ast.unparse(step)}, {bound} - {first})":
        return 0
    require_unchanged((bound, first, size), body, loop)
    label, length = fresh_label(reader, frame), all_of.length
    totals = [n for n in assigned_in(loop) if isinstance(frame.names.get(n), Eights)]
    if any(isinstance(frame.names.get(n), Expr) for n in assigned_in(loop)):
        raise unread(loop, "a loop over chunks may only change eight running sums")
    frame.names |= {n: frame.names[n].total for n in totals}

    def once() -> None:
        chunk = Chunk(next(iter(reader.judge.counter)), room, length, label)
        written = len(reader.memory.writes)
        frame.names |= {first: ChunkFirst(chunk), size: ChunkSize(chunk)}
        frame.names |= {n: Eights(frame.names[n]) for n in totals}
        reader.read(body, frame)
        frame.names |= {
            n: now.total if isinstance(now := frame.names.get(n), Eights) else now for n in totals
        }
        if len(reader.memory.writes) > written:
            raise unread(loop, "a loop over chunks may not write into an array")
        frame.names.pop(first, None)
        frame.names.pop(size, None)

    read_body(reader, frame, once, lambda e: _over_all(reader, e, label, length, loop), label, loop)
    frame.names |= {n: Eights(frame.names[n]) for n in totals}
    return 1


def _literal(step: ast.expr) -> int | None:
    """Return the number in ``np.uint64(64)``; None for another expression."""
    match step:
        case ast.Call(args=[ast.Constant(value=int(number))], keywords=[]) if (
            ast.unparse(step.func) == "np.uint64" and number > 0
        ):
            return number
    return None


def sum_over_chunk(reader: Reader, e: Expr) -> Expr:
    """Return the sum over a chunk: an atom, whose summand is remembered."""
    if e == 0:
        return e
    found = reader.judge.fresh("sum over a chunk", None)
    reader.sums.by_chunk[found] = e
    return found


def _over_all(reader: Reader, e: Expr, label: int, length: object, at: ast.AST) -> Expr:
    """Return the sum over all coordinates, from the sum over one chunk."""
    if e == 0:
        return e
    if e not in reader.sums.by_chunk:
        raise unread(at, "a chunk may only add sums over its coordinates")
    return sum_over(reader.sums.by_chunk[e], label, length)  # type: ignore[index, arg-type]


# -- through one chunk
# --------------------------------------------------------------------------------------------------


def through_chunk(reader: Reader, statements: list[ast.stmt], frame: Frame) -> int:
    """Read a loop through one chunk, one or several at a time; returns 1, or 0 if it is no such
    loop.
    """
    match statements[0]:
        case (
            ast.For(
                target=ast.Name(id=index),
                iter=ast.Call(func=ast.Name(id="range"), args=[ast.Name(id=bound)], keywords=[]),
                body=body,
                orelse=[],
            ) as loop
        ):
            step: int | None = 1
        case (
            ast.For(
                target=ast.Name(id=index),
                iter=ast.Call(
                    func=ast.Name(id="range"), args=[start, ast.Name(id=bound), by], keywords=[]
                ),
                body=body,
                orelse=[],
            ) as loop
        ) if ast.unparse(start) == "np.uint64(0)":
            step = _literal(by)
        case _:
            return 0
    size = frame.names.get(bound)
    if not isinstance(size, ChunkSize) or step is None:
        return 0
    chunk = size.of
    if step > 1 and (chunk.length is not None or chunk.room % step or step > MAX_ROWS_AT_ONCE):
        raise unread(loop, f"a loop that takes {step} at a time is not read here")

    def once() -> None:
        frame.names[index] = Offset(chunk, 0, step)
        reader.read(body, frame)
        frame.names.pop(index, None)

    with passing_through(reader, chunk, loop):
        read_body(reader, frame, once, _summed(reader, chunk, step, loop), chunk.label, loop)
    if step > 1:
        _put_together(reader, chunk, step, loop)
    return 1


def _summed(reader: Reader, chunk: Chunk, step: int, at: ast.AST) -> Callable[[Expr], Expr]:
    """Return the function that sums what one turn of the loop adds."""

    def several(e: Expr) -> Expr:
        raise unread(at, "a loop that takes several rows at a time may not have running sums")

    if step > 1:
        return several
    return (
        (lambda e: sum_over_rows(reader, e, at))
        if chunk.length is None
        else (lambda e: sum_over_chunk(reader, e))
    )


def sum_over_rows(reader: Reader, e: Expr, at: ast.AST) -> Expr:
    """Return the sum over rows: an atom, whose summand is remembered.

    The atom has a coordinate if the summand has one.
    """
    free = labels(e)
    if e == 0:
        return e
    if len(free) > 1:
        raise unread(at, "a row adds a number that belongs to several coordinates")
    label = next(iter(free), GENERIC)
    length = next((s.length for s in free_indexed(e) if s.label == label), None) if free else None
    found = reader.judge.fresh("sum over rows", length)
    reader.sums.by_row[found] = relabel(e, label, GENERIC)
    return found.at(label) if isinstance(found, Indexed) else found


def _put_together(reader: Reader, chunk: Chunk, step: int, at: ast.AST) -> None:
    """Store the content of arrays on the stack after a loop that takes several rows at a time.

    Each row must hold the same expression of its own data.
    """
    memory = reader.memory
    for local in {of for of, _ in memory.by_row}:
        held = [memory.by_row.get((local, shift)) for shift in range(step)]
        if any(e is None for e in held):
            raise wrong(
                at,
                f"{step} at a time are taken, and only {sum(e is not None for e in held)} are"
                " written",
            )
        try:
            own = [moved_to_row(reader, e, shift, 0) for shift, e in enumerate(held)]
        except ValueError as error:
            raise wrong(at, str(error)) from None
        if any(e != own[0] for e in own):
            raise wrong(at, "one row gets other numbers than the next one")
        memory.locals[local] = chunk, own[0]
    memory.by_row.clear()
