"""Checks of numbers in a text: whether they are finite, and between the ends of their domains."""

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


def read_check(reader: Reader, node: ast.Compare, frame: Frame) -> Flag:
    """Return the check that a comparison makes: ``abs(x) <= LARGEST``, or x compared with a number.

    Raises:
        TranslationError: for any other comparison.
    """
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


def require_checks(reader: Reader, array: Array, line: int) -> None:
    """Note that the text must check the number that it has stored into a block: whether it is
    finite, and between the ends of the domain.
    """
    value = reader.memory.contents[array]
    block = next(b for b, field in reader.legend.fields.items() if field == array.field)
    reader.memory.required_checks += [
        (value, line),
        *(((value, edge), line) for edge in edges(block)),
    ]


def _named(reader: Reader, e: Expr) -> frozenset[Expr]:
    """Return the atom of a number at the generic coordinate, once for each coordinate in it."""
    named = reader.as_atom(e)
    return frozenset(relabel(named, k, GENERIC) for k in labels(named) or {GENERIC})
