"""What a text asks of the numbers that it stores: whether they are finite, and between the ends of
their domains.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from sympy import Expr, Rational

from recipe.language.symbols import GENERIC
from recipe.language.total import labels, relabel
from verify.translation.parse.domain import edges
from verify.translation.parse.problems import unread
from verify.translation.state.store import Frame
from verify.translation.state.values import Array, Flag

if TYPE_CHECKING:
    from verify.translation.reading.reader import Reader


def question(reader: Reader, node: ast.Compare, frame: Frame) -> Flag:
    """``abs(x) <= LARGEST``, or x compared with a number."""
    match node:
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="abs"), args=[x]),
            ops=[ast.LtE()],
            comparators=[ast.Name(id="LARGEST")],
        ):
            of = reader.value(x, frame)
            if isinstance(of, Expr):
                return Flag(_named(reader, of))
        case ast.Compare(
            left=ast.Name() as x,
            ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()],
            comparators=[end],
        ):
            of = reader.value(x, frame)
            if isinstance(of, Expr) and isinstance(reader.value(end, frame), Rational):
                condition = f"x {ast.unparse(node).removeprefix(x.id).strip()}"
                return Flag(frozenset((e, condition) for e in _named(reader, of)))
    raise unread(node, f"{ast.unparse(node)} is not read")


def must_be_right(reader: Reader, array: Array, line: int) -> None:
    """What was stored into a block must be looked at: whether it is finite, and between the ends of
    the domain.
    """
    value = reader.memory.contents[array]
    block = next(b for b, field in reader.legend.fields.items() if field == array.field)
    reader.memory.needed += [(value, line), *(((value, edge), line) for edge in edges(block))]


def _named(reader: Reader, e: Expr) -> frozenset[Expr]:
    """A number by its name, at the generic coordinate for every one that it stands at."""
    named = reader.judge_named(e)
    return frozenset(relabel(named, k, GENERIC) for k in labels(named) or {GENERIC})
