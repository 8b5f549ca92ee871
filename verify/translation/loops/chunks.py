"""All coordinates in pieces, and loops through one piece.

::

    for first in range(np.uint64(0), n, np.uint64(64)):
        size = min(np.uint64(64), n - first)
        for k in range(size):
            i = first + k
            total_terms[k] = add_sums(i, 0.0, ...)
        for k in range(np.uint64(0), size - size % EIGHT, EIGHT):
            at = whole(k)
            total_by_eight = inside(at, total_by_eight + total_terms[at], total_by_eight)
        if size % EIGHT > 0: ...  # the same for the rest (forms/eights.py)

``first`` is 0, 64, 128, ... below n, and k runs through 0 .. size - 1 with ``first + k < n``: every
coordinate is ``first + k`` for exactly one turn of the outer and one of each inner loop. So all
loops of the body are read at one generic coordinate. What a piece adds to a running sum is the sum
over its coordinates: an atom, with its summand; then all pieces add the sum over all coordinates.
Arrays on the stack hold what was written in this piece, and at its beginning nothing.

The rows of a tile (``forms/rows.py``) are a piece, too. There, a loop may take several at a time::

    for k in range(np.uint64(0), tile, np.uint64(4)):

which writes at ``k``, ``k + 1``, ``k + 2``, ``k + 3``: all of them, each what the others are for
their own rows. Where the number of rows is no multiple of 4 the last ones lie beyond the tile,
within the room of the arrays; what stands there joins nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sympy import Expr

from recipe.language.symbols import GENERIC, Indexed
from recipe.language.total import labels, relabel, sum_over
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
def passing_through(reader: Reader, piece: Chunk, at: ast.AST) -> Iterator[None]:
    """While a loop goes through a piece; a second one inside of it would mix up two of them."""
    if piece in reader.going_through:
        raise unread(at, "a loop over a piece inside of another one over it")
    reader.going_through.add(piece)
    try:
        yield
    finally:
        reader.going_through.discard(piece)


def blocks(reader: Reader, statements: list[ast.stmt], frame: Frame) -> int:
    """A loop over pieces of all coordinates."""
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
        raise unread(loop, "a number that is not eight running sums is changed in pieces")
    frame.names |= {n: frame.names[n].total for n in totals}

    def once() -> None:
        piece = Chunk(next(iter(reader.judge.counter)), room, length, label)
        written = len(reader.memory.writes)
        frame.names |= {first: ChunkFirst(piece), size: ChunkSize(piece)}
        frame.names |= {n: Eights(frame.names[n]) for n in totals}
        reader.read(body, frame)
        frame.names |= {
            n: now.total if isinstance(now := frame.names.get(n), Eights) else now for n in totals
        }
        if len(reader.memory.writes) > written:
            raise unread(loop, "a loop over pieces writes into an array")
        frame.names.pop(first, None)
        frame.names.pop(size, None)

    read_body(reader, frame, once, lambda e: _over_all(reader, e, label, length, loop), label, loop)
    frame.names |= {n: Eights(frame.names[n]) for n in totals}
    return 1


def _literal(step: ast.expr) -> int | None:
    """The number in ``np.uint64(64)``."""
    match step:
        case ast.Call(args=[ast.Constant(value=int(number))], keywords=[]) if (
            ast.unparse(step.func) == "np.uint64" and number > 0
        ):
            return number
    return None


def sum_over_piece(reader: Reader, e: Expr) -> Expr:
    """What a piece adds: an atom, whose summand is remembered."""
    if e == 0:
        return e
    found = reader.judge.fresh("sum over a piece", None)
    reader.piece_sums[found] = e
    return found


def _over_all(reader: Reader, e: Expr, label: int, length: object, at: ast.AST) -> Expr:
    if e == 0:
        return e
    if e not in reader.piece_sums:
        raise unread(at, "a piece adds something else than a sum over its coordinates")
    return sum_over(reader.piece_sums[e], label, length)  # type: ignore[index, arg-type]


# -- through one piece
# --------------------------------------------------------------------------------------------------


def through_piece(reader: Reader, statements: list[ast.stmt], frame: Frame) -> int:
    """A loop over one piece, one or several at a time."""
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
    piece = size.of
    if step > 1 and (piece.length is not None or piece.room % step or step > MAX_ROWS_AT_ONCE):
        raise unread(loop, f"{step} at a time are not read here")

    def once() -> None:
        frame.names[index] = Offset(piece, 0, step)
        reader.read(body, frame)
        frame.names.pop(index, None)

    with passing_through(reader, piece, loop):
        read_body(reader, frame, once, _summed(reader, piece, step, loop), piece.label, loop)
    if step > 1:
        _put_together(reader, piece, step, loop)
    return 1


def _summed(reader: Reader, piece: Chunk, step: int, at: ast.AST) -> Callable[[Expr], Expr]:
    def several(e: Expr) -> Expr:
        raise unread(at, "a loop that takes several at a time has running sums")

    if step > 1:
        return several
    return (
        (lambda e: sum_over_rows(reader, e, at))
        if piece.length is None
        else (lambda e: sum_over_piece(reader, e))
    )


def sum_over_rows(reader: Reader, e: Expr, at: ast.AST) -> Expr:
    """What rows add: an atom, with a coordinate where the summand has one, whose summand is
    remembered.
    """
    free = labels(e)
    if e == 0:
        return e
    if len(free) > 1:
        raise unread(at, "a row adds what is no coordinate's own")
    label = next(iter(free), GENERIC)
    length = next((s.length for s in e.atoms(Indexed) if s.label == label), None) if free else None
    found = reader.judge.fresh("sum over rows", length)
    reader.row_sums[found] = relabel(e, label, GENERIC)
    return found.at(label) if isinstance(found, Indexed) else found


def _put_together(reader: Reader, piece: Chunk, step: int, at: ast.AST) -> None:
    """What every one of a piece holds after a loop that takes several at a time."""
    memory = reader.memory
    for local in {of for of, _ in memory.several}:
        held = [memory.several.get((local, shift)) for shift in range(step)]
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
            raise wrong(at, "the numbers of one row are others than those of the next")
        memory.locals[local] = piece, own[0]
    memory.several.clear()
