"""A sum over the rows of the data, or of a minibatch, in tiles.

::

    count = data.x.shape[0]
    used = np.uint64(count if rows.size == 0 else rows.size)
    scale = float(count) / float(used)
    row_of = local_rows(32)
    for first in range(np.uint64(0), used, TILE):
        tile = min(TILE, used - first)
        for k in range(TILE):
            n = min(first + k, used - np.uint64(1))
            row_of[k] = n if rows.size == 0 else np.uint64(rows[n])
        if rows.size > 0 and data.x.shape[1] * data.x.itemsize > LONG:
            for n in range(first + TILE, min(first + TILE + TILE, used)):
                fetch(data.x, np.uint64(rows[n]))
        ...

``TILE`` is 32. ``first`` is 0, 32, ... below ``used``; for k below ``tile``, ``first + k`` is below
``used``, and ``row_of[k]`` is the row of that number: every used row is visited in exactly one turn
of the outer loop and one turn of each inner loop over the tile. (Beyond the tile it is the last row
again, which exists.) So all loops over the tile are read at one generic row (``loops/chunks.py``).
``fetch`` prefetches memory and does nothing else; it is called for rows that exist.

Every array and every number that the body changes must grow by a term of one row, which does not
depend on earlier rows, in one loop over the tile. So its final value is the value before plus the
sum over the rows: an atom, whose summand is remembered.
"""

from __future__ import annotations

import ast

from sympy import Add, Expr, Symbol

from recipe.language.symbols import Indexed
from verify.translation.loops.chunks import passing_through
from verify.translation.loops.one_by_one import read_body, require_unchanged
from verify.translation.parse.problems import unread
from verify.translation.reading.reader import Reader
from verify.translation.state.store import Frame
from verify.translation.state.values import Chunk, ChunkSize, Local, RowNumber, Token

TILE = 32  # rows
ALL_ROWS = Chunk(0, 0)
USED = "np.uint64(count if rows.size == 0 else rows.size)"
LOOP = "range(np.uint64(0), used, TILE)"
SIZE = "tile = min(TILE, used - first)"
ROWS = """\
for k in range(TILE):
    n = min(first + k, used - np.uint64(1))
    {}[k] = n if rows.size == 0 else np.uint64(rows[n])"""
FETCH = """\
if rows.size > 0 and data.{0}.shape[1] * data.{0}.itemsize > LONG:
    for n in range(first + TILE, min(first + TILE + TILE, used)):
        fetch(data.{0}, np.uint64(rows[n]))"""
SCALE = Symbol("scale", positive=True)


def counted(reader: Reader, statements: list[ast.stmt], frame: Frame) -> int:
    """Read the number of rows, the number of used rows, or their ratio; returns 1, or 0 for other
    statements.
    """
    match statements[0]:
        case ast.Assign(targets=[ast.Name(id="count")], value=value):
            text = ast.unparse(value)
            fields = [f"data.{field}.shape[0]" for field in reader.fields.columns]
            if text not in (fields or ["1"]):
                raise unread(value, f"{text} is not the number of rows")
            frame.names["count"] = Token("count")
        case ast.Assign(targets=[ast.Name(id="used")], value=value) if ast.unparse(
            value
        ) == USED and _is_count(frame):
            frame.names["used"] = Token("used")
        case ast.Assign(targets=[ast.Name(id="scale")], value=value) if ast.unparse(
            value
        ) == "float(count) / float(used)" and _is_used(frame):
            frame.names["scale"] = SCALE
        case _:
            return 0
    return 1


def _is_count(frame: Frame) -> bool:
    return frame.names.get("count") == Token("count") and frame.names.get("rows") == Token("rows")


def _is_used(frame: Frame) -> bool:
    return _is_count(frame) and frame.names.get("used") == Token("used")


def rows(reader: Reader, statements: list[ast.stmt], frame: Frame) -> int:
    """Read the loop over tiles of rows; returns 1, or 0 if it is no such loop."""
    match statements[0]:
        case (
            ast.For(
                target=ast.Name(id="first"),
                iter=iterable,
                body=[size, ast.For() as filled, *body],
                orelse=[],
            ) as loop
        ) if ast.unparse(iterable) == LOOP:
            pass
        case _:
            return 0
    row_of = next(
        (n for n, v in frame.names.items() if isinstance(v, Local) and v.rows and v.room >= TILE),
        "",
    )
    if (
        not _is_used(frame)
        or ast.unparse(size) != SIZE
        or ast.unparse(filled) != ROWS.format(row_of)
    ):
        raise unread(loop, "the loop over rows does not visit the used rows")
    fetches = {
        FETCH.format(field) for field, s in reader.fields.columns.items() if isinstance(s, Indexed)
    }
    body = [s for s in body if not (isinstance(s, ast.If) and ast.unparse(s) in fetches)]
    require_unchanged(("first", "tile", "used", "count", "rows"), body, loop)
    before = set(reader.sums.by_row)

    def once() -> None:
        chunk, numbers = Chunk(next(iter(reader.judge.counter)), TILE), frame.names.get(row_of)
        if not _is_used(frame) or not isinstance(numbers, Local):
            raise unread(loop, "the loop over rows changes the rows that it visits")
        frame.names["tile"] = ChunkSize(chunk)
        reader.memory.locals[numbers] = chunk, RowNumber()
        reader.read(body, frame)
        del frame.names["tile"]

    def summed(e: Expr) -> Expr:
        # a label adds one sum to a coordinate, and a loop over coordinates another
        parts = Add.make_args(e) if e != 0 else ()
        if any(part not in reader.sums.by_row or part in before for part in parts):
            raise unread(loop, "a tile may only add sums over its rows")
        return e

    with passing_through(reader, ALL_ROWS, loop):
        read_body(reader, frame, once, summed, None, loop)
    return 1
