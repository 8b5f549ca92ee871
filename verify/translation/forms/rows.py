"""A sum over the rows of the data, or over those of a minibatch.

::

    count = data.x.shape[0]
    used = count if rows.size == 0 else rows.size
    scale = count / used
    for n in range(np.uint64(used)):
        row = n if rows.size == 0 else np.uint64(rows[n])
        ...
    row = np.uint64(0)

Every array and every number that the body changes must grow by what one row says, and by nothing that an earlier row has left.
So what it holds in the end is what it held before, plus the sum over the rows: an atom, whose summand is remembered.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from sympy import Expr, Symbol

from recipe.symbols import GENERIC, Indexed
from recipe.total import labels
from verify.translation.forms.one_by_one import repeated
from verify.translation.problems import unread
from verify.translation.reader import Frame, Reader
from verify.translation.values import Token

USED = "count if rows.size == 0 else rows.size"
ROW = "n if rows.size == 0 else np.uint64(rows[n])"
SCALE = Symbol("scale", positive=True)


@dataclass
class RowSums:
    """The sums over rows that were met: what they are called, and their summands."""

    summands: dict[Symbol, Expr]


def counted(reader: Reader, statements: list[ast.stmt], frame: Frame) -> int:
    """The number of rows, of those that are used, and their ratio; and the row that what comes after the sum reads."""
    match statements[0]:
        case ast.Assign(targets=[ast.Name(id="count")], value=value):
            text = ast.unparse(value)
            fields = [f"data.{field}.shape[0]" for field in reader.columns]
            if text not in (fields or ["1"]):
                raise unread(value, f"{text} is not the number of rows")
            frame.names["count"] = Token("count")
        case ast.Assign(targets=[ast.Name(id="used")], value=value) if ast.unparse(value) == USED and _is_count(frame):
            frame.names["used"] = Token("used")
        case ast.Assign(targets=[ast.Name(id="scale")], value=value) if ast.unparse(value) == "count / used" and _is_used(frame):
            frame.names["scale"] = SCALE
        case ast.Assign(targets=[ast.Name(id="row")], value=value) if ast.unparse(value) == "np.uint64(0)":
            frame.names["row"] = Token("no row")
        case _:
            return 0
    return 1


def _is_count(frame: Frame) -> bool:
    return frame.names.get("count") == Token("count") and frame.names.get("rows") == Token("rows")


def _is_used(frame: Frame) -> bool:
    return _is_count(frame) and frame.names.get("used") == Token("used")


def rows(reader: Reader, statements: list[ast.stmt], frame: Frame) -> int:
    """The loop over rows."""
    match statements[0]:
        case ast.For(target=ast.Name(id="n"), iter=iterable, body=[ast.Assign(targets=[ast.Name(id="row")], value=row), *body]):
            pass
        case _:
            return 0
    if ast.unparse(iterable) != "range(np.uint64(used))" or not _is_used(frame) or ast.unparse(row) != ROW:
        raise unread(statements[0], "the loop over rows is not that over the used ones")

    def once() -> None:
        frame.names["row"] = Token("row")
        reader.read(body, frame)

    def summed(e: Expr) -> Expr:
        if labels(e) - {GENERIC}:
            raise unread(statements[0], "a row adds what is no coordinate's own")
        if e == 0:
            return e
        length = next((s.length for s in e.atoms(Indexed) if s.label == GENERIC), None)
        found = reader.judge.fresh("sum over rows", length)
        reader.row_sums[found] = e
        return found

    repeated(reader, frame, once, summed, None, statements[0])
    frame.names.pop("row", None)
    return 1
