"""Functions with a branch for fewer than eight coordinates.

::

    if n < EIGHT:
        ...
        return total
    ...
    return pairwise(total_by_eight)

Both branches are read, each as if there were no other, and must give the same result for every n.
Eight running sums are read only in the second branch: so the order of a sum is the same in every
module.
"""

from __future__ import annotations

import ast
from typing import Any

from sympy import Expr

from verify.translation.parse.problems import unread, wrong
from verify.translation.state.values import Size


def find_few_branch(statements: list[ast.stmt]) -> int | None:
    """Return the index of the statement ``if n < EIGHT``; None if there is none."""
    for n, s in enumerate(statements):
        match s:
            case ast.If(
                test=ast.Compare(
                    left=ast.Name(), ops=[ast.Lt()], comparators=[ast.Name(id="EIGHT")]
                ),
                body=[*_, ast.Return()],
                orelse=[],
            ):
                return n
    return None


def read_both_branches(reader: Any, statements: list[ast.stmt], at: int, frame: Any) -> Any:
    """Return the result of the two branches.

    Raises:
        TranslationError: where the branches differ in their results or in their effect on arrays.
    """
    test = statements[at]
    assert isinstance(test, ast.If)
    assert isinstance(test.test, ast.Compare)
    reader.read(statements[:at], frame)
    if not isinstance(reader.value(test.test.left, frame), Size):
        raise unread(test, f"{ast.unparse(test.test)} does not test a number of coordinates")
    before, names, results = reader.memory, frame.names, []
    apart = reader.around.has_few_branch
    for way in (test.body, statements[at + 1 :]):
        if not way:
            raise unread(test, "there is no branch for more than seven coordinates")
        reader.around.has_few_branch = way is not test.body
        reader.memory, frame.names = before.copy(), dict(names)
        results.append((reader.result(way, frame), reader.memory))
    reader.around.has_few_branch = apart
    (few, first), (many, second) = results
    if not _same(reader, few, many) or not _same_memory(reader, first, second):
        raise wrong(test, "fewer than eight coordinates do not give the result of eight and more")
    for field in ("reads", "writes", "required_checks", "unnamed_stores"):
        second_list, known = getattr(second, field), getattr(before, field)
        second_list.extend(getattr(first, field)[len(known) :])
    second.locals = {k: held for k, held in second.locals.items() if k in first.locals}
    return many


def _same_memory(reader: Any, one: Any, other: Any) -> bool:
    """Return True if two memories have the same contents in all arrays that both know."""
    kept = {k: held for k, held in one.locals.items() if k in other.locals}
    return (
        one.contents.keys() == other.contents.keys()
        and all(_same(reader, e, other.contents[a]) for a, e in one.contents.items())
        and all(
            chunk == other.locals[k][0] and _same(reader, held, other.locals[k][1])
            for k, (chunk, held) in kept.items()
        )
        and one.by_row == other.by_row
    )


def _same(reader: Any, a: Any, b: Any) -> bool:
    """Return True if two values are equal; numbers must be proved to be."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(_same(reader, x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, Expr) and isinstance(b, Expr):
        return bool(reader.judge.equality.equal(a, b))
    return bool(a == b)
