"""The tree of operations on single numbers that every front end fills.

A node is one number. Arrays are arrays of nodes. Equal nodes of one trace are the same object.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from sympy import Expr, Rational

from recipe.lifting.tree.place import Place, here, refuse

# What an operation does is said in ``expression.MEANINGS``; these are the leaves.
NUMBER, SIZE, LEAF, NOISE, GIVEN, TOTAL, SUM = (
    "number", "size", "leaf", "noise", "given", "total", "sum",
)  # fmt: skip
MAX_NODES = 400_000


@dataclass(frozen=True, eq=False)
class Node:
    """A number that code computes.

    Attributes:
        op: the operation. ``number`` is a number in the code; ``leaf`` an argument, or one
            coordinate of it; ``noise`` a standard normal number; ``given`` the value of a function
            that is given, such as a gradient; ``sum`` a sum of any number of terms. In the rule of
            a generic coordinate ``total`` is a sum over coordinates, and ``size`` a number that
            depends on a length.
        args: what it is computed of. Those of ``given`` are the numbers of its point.
        data: of a number its value; of a leaf its name and index; of noise its number among all
            draws; of a given value the name of the function and the index.
        place: the line of the code that computes it first.
    """

    op: str
    args: tuple[Node, ...] = ()
    data: Any = None
    place: Place | None = field(default=None, repr=False)

    def walk(self) -> Iterator[Node]:
        """Yield every node of the tree once, parents first."""
        met, todo = {self}, [self]
        while todo:
            node = todo.pop()
            yield node
            new = [a for a in dict.fromkeys(node.args) if a not in met]
            met.update(new)
            todo += reversed(new)


_table: ContextVar[dict[Hashable, Node] | None] = ContextVar("_table", default=None)


@contextmanager
def one_tree() -> Iterator[None]:
    """Within this context equal nodes are the same object."""
    token = _table.set({})
    try:
        yield
    finally:
        _table.reset(token)


def node(op: str, *args: Node, data: Any = None, place: Place | None = None) -> Node:
    """Return the node of an operation, simplified where a number makes it nothing."""
    simple = _simplified(op, args)
    return simple if simple is not None else made(op, args, data, place)


def made(op: str, args: tuple[Node, ...], data: Any = None, place: Place | None = None) -> Node:
    """Return the node of an operation as it stands."""
    table = _table.get()
    assert table is not None, "nodes are made within one_tree()"
    key = (op, args, data)
    found = table.get(key)
    if found is None:
        if len(table) >= MAX_NODES:
            refuse(f"the function does more than {MAX_NODES} operations; lift one step of it")
        found = table[key] = Node(op, args, data, place or here())
    return found


def number(value: Rational, place: Place | None = None) -> Node:
    """Return the node of an exact number."""
    return made(NUMBER, (), value, place)


def value_of(n: Node) -> Expr | None:
    """The value of a number; None for any other node."""
    return n.data if n.op == NUMBER else None


def _simplified(op: str, args: tuple[Node, ...]) -> Node | None:
    """Numbers are computed, and what a number leaves unchanged is left."""
    if op in ("add", "sub", "mul", "div", "neg") and all(a.op == NUMBER for a in args):
        return _computed(op, [a.data for a in args])
    match op, args:
        case "add", (a, b):
            return b if value_of(a) == 0 else a if value_of(b) == 0 else None
        case "sub", (a, b):
            return a if value_of(b) == 0 else None
        case "mul", (a, b):
            zero = next((x for x in args if value_of(x) == 0), None)
            return zero or (b if value_of(a) == 1 else a if value_of(b) == 1 else None)
        case "div", (a, b):
            return a if value_of(b) == 1 else None
        case "pow", (a, b):
            return a if value_of(b) == 1 else None
    return None


def _computed(op: str, values: list[Any]) -> Node:
    match op, values:
        case "add", [a, b]:
            return number(a + b)
        case "sub", [a, b]:
            return number(a - b)
        case "mul", [a, b]:
            return number(a * b)
        case "div", [a, b]:
            return number(a / b) if b != 0 else refuse(f"{a}/{b} has no value")
        case _:
            return number(-values[0])
