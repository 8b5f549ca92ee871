"""The values that an index selects: from an array, a matrix, the data, the noise, or the stack.

An array on the stack holds one number for each coordinate or row of a chunk (``values.Chunk``),
while the loop is in that chunk. Its content is known as an expression of the generic coordinate or
row. A loop that takes several rows at a time reads and writes numbers of neighbouring rows. The
data of those rows get symbols of their own, until the number is stored.
"""

from __future__ import annotations

import ast
from functools import lru_cache, singledispatch
from typing import Any

from sympy import Expr, Symbol

from recipe.language.data import VectorData
from recipe.language.derivatives import symbols_in
from recipe.language.symbols import GENERIC, Indexed, generic
from recipe.language.total import labels, sum_over
from verify.translation.parse.problems import unread, wrong
from verify.translation.reference.matcher import atom, length_of
from verify.translation.state.noise_arguments import NoiseArguments, NoiseArray, noise_at
from verify.translation.state.values import (
    Array,
    DataColumn,
    LabelledCoordinate,
    Local,
    Matrix,
    MatrixRow,
    Offset,
    Place,
    RowNumber,
    RowOf,
    Rows,
)


@singledispatch
def read_cell(of: Any, reader: Any, node: ast.Subscript, frame: Any) -> Any:
    """Return the value in ``of`` at the index of the node."""
    raise unread(node, f"{ast.unparse(node)} is not read")


@read_cell.register
def _(of: Rows, reader: Any, node: ast.Subscript, frame: Any) -> Any:
    if ast.unparse(node.slice) != ":0":
        raise unread(node, f"{ast.unparse(node)} is not read")
    return Rows(none=True)


@read_cell.register
def _(of: NoiseArguments | NoiseArray, reader: Any, node: ast.Subscript, frame: Any) -> Any:
    return noise_at(reader.judge, of, reader.value(node.slice, frame))


@read_cell.register
def _(of: tuple, reader: Any, node: ast.Subscript, frame: Any) -> Any:  # type: ignore[type-arg]
    if not isinstance(node.slice, ast.Constant) or not isinstance(node.slice.value, int):
        raise unread(node, f"{ast.unparse(node)} is not read")
    return of[node.slice.value]


@read_cell.register
def _(of: Array, reader: Any, node: ast.Subscript, frame: Any) -> Any:
    at = reader.value(node.slice, frame)
    if isinstance(at, LabelledCoordinate):
        return _at_label(of, reader, at, node)
    return reader.fetch(of, reader.place(node.slice, of, frame), node)


def _at_label(of: Array, reader: Any, at: LabelledCoordinate, node: ast.Subscript) -> Expr:
    """Return the number of a block at the coordinate that a label names: the sum over all
    coordinates of the block times 1 there and 0 elsewhere.
    """
    _require_length(of, at, node)
    if of.owner != "block" or of in reader.memory.written:
        raise unread(node, f"{ast.unparse(node)}: only a block is read at a label")
    content = reader.memory.contents[of]
    return sum_over(at.hot * content, GENERIC, of.length)  # type: ignore[arg-type]


def grow_at_label(
    reader: Any, node: ast.Subscript, at: LabelledCoordinate, value: Any, frame: Any
) -> None:
    """Add a number to an array at the coordinate that a label names: every coordinate grows by it
    times 1 there and 0 elsewhere.
    """
    array = reader.value(node.value, frame)
    if not isinstance(array, Array) or not isinstance(value, Expr) or labels(value):
        raise unread(node, f"an assignment to {ast.unparse(node)} is not read")
    _require_length(array, at, node)
    before = reader.memory.contents.get(array)
    if before is None:
        raise unread(node, f"the value of {ast.unparse(node.value)} is not known here")
    whole = Place(array.length, GENERIC)
    reader.put(array, whole, before + at.hot * value, node.lineno)


def _require_length(of: Array, at: LabelledCoordinate, node: ast.Subscript) -> None:
    if of.length != at.hot.length:
        raise wrong(node, f"{ast.unparse(node.slice)} names no coordinate of {of.field}")


# -- matrices
# --------------------------------------------------------------------------------------------------


@read_cell.register
def _(of: Matrix, reader: Any, node: ast.Subscript, frame: Any) -> Any:
    match node.slice:
        case ast.Tuple(elts=[row, column]):
            return _entry(
                of.of, _coordinate(reader, row, frame), _coordinate(reader, column, frame), node
            )
    return MatrixRow(of.of, _coordinate(reader, node.slice, frame))


@read_cell.register
def _(of: MatrixRow, reader: Any, node: ast.Subscript, frame: Any) -> Any:
    return _entry(of.of, of.place, _coordinate(reader, node.slice, frame), node)


def _coordinate(reader: Any, index: ast.expr, frame: Any) -> Place:
    """Return the coordinate of a loop that an index of a matrix stands for."""
    found = reader.value(index, frame)
    if not isinstance(found, Place):
        raise unread(index, f"{ast.unparse(index)} is not the coordinate of a loop")
    return reader.require_own_coordinate(found, index)  # type: ignore[no-any-return]


def _entry(of: Any, i: Place, j: Place, node: ast.Subscript) -> Expr:
    """Return an entry of a matrix, and require that rows and columns are not exchanged."""
    if (i.length, j.length) != (of.row.length, of.column.length):
        raise wrong(node, f"{ast.unparse(node)}: rows and columns are exchanged")
    return of.entry(i.label, j.label)  # type: ignore[no-any-return]


# -- data
# --------------------------------------------------------------------------------------------------


@read_cell.register
def _(of: DataColumn, reader: Any, node: ast.Subscript, frame: Any) -> Any:
    row = reader.value(node.slice, frame)
    if not isinstance(row, RowNumber):
        raise unread(node, f"{ast.unparse(node)} is not the row of the loop")
    if isinstance(of.symbol, VectorData) and of.symbol.labels is not None:
        if row.shift != 0:
            raise unread(node, f"{ast.unparse(node)} is a label of another row")
        return LabelledCoordinate(generic(of.symbol))
    return RowOf(of, row) if isinstance(of.symbol, Indexed) else datum_of_row(of.symbol, row.shift)


@read_cell.register
def _(of: RowOf, reader: Any, node: ast.Subscript, frame: Any) -> Any:
    place = reader.value(node.slice, frame)
    if not isinstance(place, Place) or place.length != of.column.symbol.length:
        raise wrong(
            node,
            f"{ast.unparse(node.slice)} is not the coordinate of the loop for"
            f" data.{of.column.field}",
        )
    return datum_of_row(
        of.column.symbol.at(reader.require_own_coordinate(place, node.slice).label), of.row.shift
    )


def datum_of_row(s: Symbol, shift: int) -> Symbol:
    """Return the symbol of a datum in the row that is ``shift`` after the generic one."""
    if shift == 0:
        return s
    whole = generic(s)
    other = atom(f"{getattr(whole, 'base', whole.name)}@row+{shift}", length_of(whole))
    return other.at(s.label) if isinstance(s, Indexed) and isinstance(other, Indexed) else other


# -- arrays on the stack
# --------------------------------------------------------------------------------------------------


@read_cell.register
def _(of: Local, reader: Any, node: ast.Subscript, frame: Any) -> Any:
    at = _offset(of, reader, node, frame)
    chunk, held = reader.memory.locals.get(of, (None, None))
    if (of, at.shift) in reader.memory.by_row:
        return reader.memory.by_row[of, at.shift]
    if chunk != at.of:
        raise unread(node, f"the value of {ast.unparse(node)} is not known here")
    return (
        RowNumber(at.shift)
        if isinstance(held, RowNumber)
        else moved_to_row(reader, held, 0, at.shift)
    )


def store_local(reader: Any, of: Local, node: ast.Subscript, value: Any, frame: Any) -> None:
    """Write a number into an array on the stack."""
    at = _offset(of, reader, node, frame)
    if of.rows or not isinstance(value, Expr) or at.part != "all":
        raise unread(node, f"an assignment to {ast.unparse(node)} is not read")
    if at.step == 1:
        reader.memory.locals[of] = at.of, value
    else:
        reader.memory.by_row[of, at.shift] = value


def _offset(of: Local, reader: Any, node: ast.Subscript, frame: Any) -> Offset:
    """Return the position of an index in the chunk of the loop around it."""
    at = reader.value(node.slice, frame)
    if not isinstance(at, Offset) or at.of not in reader.around.current_chunks:
        raise unread(node, f"{ast.unparse(node.slice)} is not the index of the loop")
    if of.room < at.of.room:
        raise wrong(node, f"there is room for {of.room} numbers only, and {at.of.room} are needed")
    return at


def moved_to_row(reader: Any, e: Expr, old: int, new: int) -> Expr:
    """Return an expression of the row ``old`` as the same expression of the row ``new``.

    Rows are numbered from the generic one.

    Raises:
        ValueError: if the expression has data of other rows.
    """
    of = _data_of_rows(tuple(s for s in reader.fields.columns.values() if s is not None))
    found = {s: of[generic(s)] for s in symbols_in(e) if generic(s) in of}
    if any(shift != old for _, shift in found.values()):
        raise ValueError("numbers of several rows are combined")
    if new == old:
        return e
    return e.xreplace(
        {
            s: datum_of_row(d.at(s.label) if isinstance(s, Indexed) else d, new)
            for s, (d, _) in found.items()
        }
    )


@lru_cache(maxsize=64)
def _data_of_rows(data: tuple[Symbol, ...]) -> dict[Symbol, tuple[Symbol, int]]:
    """Return the datum and the number of the row of each symbol of a row."""
    return {
        generic(datum_of_row(s, shift)): (s, shift)
        for s in data
        for shift in range(MAX_ROWS_AT_ONCE)
    }


MAX_ROWS_AT_ONCE = 8
