"""The program tree: the closed set of instructions that every function of a module is made of.

The builders in ``codegen.printing`` make the functions ``run``, ``run_many``, ``step`` and the loop
functions as such trees, ``codegen.printing.python_text`` prints them. A pass over a tree, such as
the one that turns one chain into many, is a call of ``rewritten``.

A value is a sympy expression, one of the classes below, or a string: a name or a literal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeAlias, TypeVar

from sympy import Expr, Symbol

from codegen.lowering.places import Array


@dataclass(frozen=True)
class Call:
    """``function(arguments)``."""

    function: str
    arguments: tuple[Value, ...]


@dataclass(frozen=True)
class Item:
    """``value[index]``, a member of a pair."""

    value: Value
    index: str


@dataclass(frozen=True)
class Infix:
    """``left operator right``, printed without parentheses."""

    left: Value
    operator: str
    right: Value


@dataclass(frozen=True)
class Not:
    """``not value``."""

    value: Value


Value: TypeAlias = "Expr | Array | Call | Item | Infix | Not | str"
Place: TypeAlias = "Symbol | str"


@dataclass(frozen=True)
class Assign:
    """``a, b = value``; with another operator, ``a += value``."""

    targets: tuple[Place, ...]
    value: Value
    operator: str = "="


@dataclass(frozen=True)
class AssignAll:
    """``a = b = value``: every target gets the same value."""

    targets: tuple[Place, ...]
    value: Value


@dataclass(frozen=True)
class Do:
    """A call for its effect."""

    call: Call


@dataclass(frozen=True)
class For:
    """``for index in range(ends): body``; the note is a comment on the same line."""

    index: str
    ends: tuple[Value, ...]
    body: tuple[Instruction, ...]
    note: str = ""


@dataclass(frozen=True)
class If:
    """``if condition: body``, and else the other branch, which may be empty."""

    condition: Value
    body: tuple[Instruction, ...]
    otherwise: tuple[Instruction, ...] = ()


@dataclass(frozen=True)
class Chains:
    """Statements for every chain of many: a loop over chains that ``with_loops`` writes out."""

    body: tuple[Instruction, ...]


@dataclass(frozen=True)
class Return:
    """``return values``."""

    values: tuple[Value, ...]


@dataclass(frozen=True)
class Comment:
    """A comment, of any length."""

    text: str


@dataclass(frozen=True)
class Function:
    """A function of a module; ``meaning`` is its docstring, empty where it has none."""

    decorator: str
    name: str
    arguments: tuple[str, ...]
    meaning: str
    body: tuple[Instruction, ...]


Instruction = Assign | AssignAll | Do | For | If | Chains | Return | Comment
Node = TypeVar("Node")


def call(function: str, *arguments: Value) -> Call:
    """The call of a function."""
    return Call(function, arguments)


def assign(target: Place, value: Value, operator: str = "=") -> Assign:
    """The assignment of one target."""
    return Assign((target,), value, operator)


def rewritten(node: Node, change: Callable[[Any], Any]) -> Node:
    """The tree with its nodes replaced, from the top down.

    ``change`` gives what stands for a node, a cell or a string, or None to keep it and look at its
    parts.
    """
    new = change(node)
    if new is not None:
        return new  # type: ignore[no-any-return]
    if isinstance(node, Expr):
        cells = {s: change(s) for s in node.free_symbols}
        return node.xreplace({s: new for s, new in cells.items() if new is not None})  # type: ignore[return-value]
    if isinstance(node, tuple):
        return tuple(rewritten(part, change) for part in node)  # type: ignore[return-value]
    if is_dataclass(node) and not isinstance(node, type):
        parts = {f.name: rewritten(getattr(node, f.name), change) for f in fields(node)}
        return replace(node, **parts)
    return node


def nodes(node: Any) -> Iterator[Any]:
    """Every node of a tree, expressions and strings included."""
    yield node
    if isinstance(node, tuple):
        for part in node:
            yield from nodes(part)
    elif is_dataclass(node):
        for f in fields(node):
            yield from nodes(getattr(node, f.name))
