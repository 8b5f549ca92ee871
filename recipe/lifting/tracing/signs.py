"""Comparisons of parameters that their declared signs decide, such as ``if step_size <= 0``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from sympy import Expr

from recipe.lifting.tree.decimals import note
from recipe.lifting.tree.expression import expression
from recipe.lifting.tree.node import LEAF, NUMBER, Node, made
from recipe.lifting.tree.place import here

_parameters: ContextVar[Mapping[str, Expr]] = ContextVar("_parameters", default={})  # noqa: B039
SHOWN = {
    "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "==",
    "not_equal": "!=",
}  # fmt: skip


@contextmanager
def parameters(values: Mapping[str, Expr]) -> Iterator[None]:
    """Within this context arguments that do not change from step to step have these values."""
    token = _parameters.set(values)
    try:
        yield
    finally:
        _parameters.reset(token)


def decided(comparison: str, left: Node, right: Node) -> bool | None:
    """Return the answer to a comparison of numbers and parameters that holds for all their values;
    None if there is none.
    """
    difference = _difference(left, right)
    answer = None if difference is None else _answer(comparison, difference)
    if answer is not None and difference is not None and difference.free_symbols:
        place = here()
        note(
            f"the branch on {difference} {SHOWN[comparison]} 0 is {'' if answer else 'not '}taken"
            f" for every value of {', '.join(sorted(map(str, difference.free_symbols)))}"
            + ("" if place is None else f" ({place})")
        )
    return answer


def _difference(left: Node, right: Node) -> Expr | None:
    known = _parameters.get()
    letters = {("leaf", name): value for name, value in known.items()}
    parts = []
    for n in (left, right):
        leaves = [m for m in n.walk() if not m.args]
        if any(
            m.op not in (NUMBER, LEAF) or (m.op == LEAF and m.data[0] not in known) for m in leaves
        ):
            return None
        parts.append(expression(_plain(n), letters, {}))
    return parts[0] - parts[1]


def _plain(n: Node) -> Node:
    """The tree with its leaves written as those of a generic coordinate."""
    if n.op == LEAF:
        return made(LEAF, (), (n.data[0],), n.place)
    return n if not n.args else made(n.op, tuple(map(_plain, n.args)), n.data, n.place)


def _answer(comparison: str, e: Expr) -> bool | None:
    match comparison:
        case "less":
            return e.is_negative  # type: ignore[no-any-return]
        case "less_equal":
            return e.is_nonpositive  # type: ignore[no-any-return]
        case "greater":
            return e.is_positive  # type: ignore[no-any-return]
        case "greater_equal":
            return e.is_nonnegative  # type: ignore[no-any-return]
        case "equal":
            return e.is_zero  # type: ignore[no-any-return]
        case _:
            return None if e.is_zero is None else not e.is_zero
