"""What is known where a function is read: what its names stand for, and what the arrays hold."""

from __future__ import annotations

import ast
from copy import copy
from dataclasses import dataclass, field, fields
from typing import Any

from sympy import Expr

from verify.translation.state.values import Array, Chunk, Flag, Local


@dataclass
class Frame:
    """The names of one function that is being read, and the lines where they got their values."""

    names: dict[str, Any]
    lines: dict[str, int] = field(default_factory=dict)


@dataclass
class Memory:
    """What the arrays hold, each at its generic coordinate; ``written`` are the lines where they
    got it.
    """

    contents: dict[Array, Expr] = field(default_factory=dict)
    written: dict[Array, int] = field(default_factory=dict)
    reads: list[tuple[Array, int | None]] = field(default_factory=list)
    writes: list[tuple[Array, int | None]] = field(default_factory=list)
    needed: list[tuple[Any, int]] = field(
        default_factory=list
    )  # what must be asked of what was stored into blocks, as in ``Flag``
    strange: list[tuple[Array, Expr, int]] = field(
        default_factory=list
    )  # what was stored and has no name
    locals: dict[Local, tuple[Chunk, Any]] = field(
        default_factory=dict
    )  # what arrays on the stack hold, for this piece
    several: dict[tuple[Local, int], Any] = field(
        default_factory=dict
    )  # the same in a loop that takes several at a time, by shift

    def copy(self) -> Memory:
        """The same contents."""
        return Memory(*(copy(getattr(self, f.name)) for f in fields(self)))


def forget_overwritten(statements: list[ast.stmt], before: dict[str, Any], frame: Frame) -> None:
    """Forget the names that a form gives values to which it does not say: the index of a loop, what
    is drawn in it.
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
