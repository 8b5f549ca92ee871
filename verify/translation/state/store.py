"""The store while a function is read: the values of its names and the contents of arrays."""

from __future__ import annotations

import ast
from copy import copy
from dataclasses import dataclass, field, fields
from typing import Any

from sympy import Expr, Symbol

from verify.translation.state.values import Array, Chunk, Flag, Local


@dataclass
class Frame:
    """The names of one function that is being read, and the lines where they got their values."""

    names: dict[str, Any]
    lines: dict[str, int] = field(default_factory=dict)


@dataclass
class Memory:
    """The contents of arrays, each as an expression of its generic coordinate.

    Attributes:
        contents: the content of each array.
        written: the line where each array got its content.
        reads: arrays that were read, with the label of the coordinate; None for one number.
        writes: arrays that were written, with the label of the coordinate; None for one number.
        required_checks: checks that the text must make of numbers stored into blocks, in the form
            of ``Flag``, with the lines of the stores.
        unnamed_stores: the arrays, values and lines of stores whose value is equal to no atom.
        locals: the chunk and the content of each array on the stack.
        by_row: the contents by row in a loop that takes several rows at a time.
    """

    contents: dict[Array, Expr] = field(default_factory=dict)
    written: dict[Array, int] = field(default_factory=dict)
    reads: list[tuple[Array, int | None]] = field(default_factory=list)
    writes: list[tuple[Array, int | None]] = field(default_factory=list)
    required_checks: list[tuple[Any, int]] = field(default_factory=list)
    unnamed_stores: list[tuple[Array, Expr, int]] = field(default_factory=list)
    locals: dict[Local, tuple[Chunk, Any]] = field(default_factory=dict)
    by_row: dict[tuple[Local, int], Any] = field(default_factory=dict)

    def copy(self) -> Memory:
        """Return a copy with the same contents."""
        return Memory(*(copy(getattr(self, f.name)) for f in fields(self)))


@dataclass
class Sums:
    """The summand of each sum over the rows of the data, and of each over the coordinates of a
    chunk.
    """

    by_row: dict[Symbol, Expr] = field(default_factory=dict)
    by_chunk: dict[Symbol, Expr] = field(default_factory=dict)


def forget_overwritten(statements: list[ast.stmt], before: dict[str, Any], frame: Frame) -> None:
    """Forget the names that a pattern assigns to without a known value.

    Examples are the index of a loop and a random number that is drawn in it.
    """
    for name in {
        n.id
        for s in statements
        for n in ast.walk(s)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }:
        if (
            name in before
            and name in frame.names
            and frame.names[name] == before[name]
            and not isinstance(before[name], Flag)
        ):
            del frame.names[name]
