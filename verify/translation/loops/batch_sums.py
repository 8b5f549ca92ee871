"""Sums in ``run_many``: eight running sums for each chain, and at the end the sum of the eight.

::

    for place in range(EIGHT):
        for c in range(chains):
            state.total_by_eight[place, c] = 0.0
    for i in range(n):
        place = i % EIGHT if n >= EIGHT else np.uint64(0)
        for c in range(chains):
            total = state.total_by_eight[place, c]
            state.total_by_eight[place, c] = add_sums_many(i, c, total, ...)
    ...
    total = pairwise_many(state.total_by_eight, c)

All eight are 0 before the loop. Every coordinate adds to one of them (``place`` is one of 0 .. 7) a
number that does not depend on any of them, which ``one_by_one`` requires. Nothing else reads or
writes them, and ``pairwise_many`` adds all eight. So, in real arithmetic, they stand for one number
to which every coordinate is added.
"""

from __future__ import annotations

import ast

from sympy import Expr

from verify.translation.loops.batch_column import COLUMN, name_at, running_sum_name
from verify.translation.loops.calls import under_condition
from verify.translation.loops.one_by_one import assigned_in
from verify.translation.parse.problems import unread, wrong
from verify.translation.reading.reader import Reader
from verify.translation.state.store import Frame
from verify.translation.state.values import Size


def zeros(loop: ast.For, eights: frozenset[str]) -> list[ast.stmt]:
    """Return the loop that sets running sums to 0 as assignments for one chain."""
    match loop.body:
        case [ast.For(target=ast.Name(id="c"), body=body, orelse=[]) as inner] if (
            ast.unparse(inner.iter) == "range(chains)"
        ):
            pass
        case _:
            raise unread(loop, "this loop may only set running sums to zero")
    return [_zero(s, eights) for s in body]


def _zero(statement: ast.stmt, eights: frozenset[str]) -> ast.stmt:
    match statement:
        case ast.Assign(
            targets=[
                ast.Subscript(
                    value=ast.Attribute(value=ast.Name(id="state"), attr=field), slice=at
                ) as cell
            ]
        ) if (
            field in eights
            and ast.unparse(at) == f"(place, {COLUMN})"
            and ast.unparse(statement.value) == "0.0"
        ):
            return ast.copy_location(
                ast.Assign([name_at(running_sum_name(field), ast.Store(), cell)], statement.value),
                statement,
            )
    raise unread(statement, f"{ast.unparse(statement)} sets no running sum of this column to zero")


def check_place(loop: ast.For, place: ast.stmt) -> None:
    """Require that the index of a coordinate's running sum is one of eight."""
    match loop:
        case ast.For(target=ast.Name(id=i), iter=ast.Call(args=[ast.Name(id=n)])):
            if ast.unparse(place) == f"place = {i} % EIGHT if {n} >= EIGHT else np.uint64(0)":
                return
    raise wrong(
        place,
        "the running sum of coordinate i must have the index i % EIGHT, or 0 if there are fewer"
        " than eight coordinates",
    )


def read_few_or_many(reader: Reader, statements: list[ast.stmt], frame: Frame) -> int:
    """Read ``if n < EIGHT:`` and ``if n >= EIGHT:``, which must give the same numbers and write no
    array.

    Returns the number of statements that were read, 0 if they do not have this form.
    """
    match statements:
        case [
            ast.If(
                test=ast.Compare(
                    left=ast.Name(id=few), ops=[ast.Lt()], comparators=[ast.Name(id="EIGHT")]
                ),
                body=one,
                orelse=[],
            ),
            ast.If(
                test=ast.Compare(
                    left=ast.Name(id=many), ops=[ast.GtE()], comparators=[ast.Name(id="EIGHT")]
                ),
                body=other,
                orelse=[],
            ),
            *_,
        ] if few == many and isinstance(frame.names.get(few), Size):
            pass
        case _:
            return 0
    before = dict(frame.names)
    changed = {n for s in statements[:2] for n in assigned_in(s)} & before.keys()
    if any(not isinstance(before[n], Expr) for n in changed):
        raise unread(
            statements[0],
            "a value that is no number is changed in a branch on the number of coordinates",
        )
    with under_condition(reader, statements[0]):
        first = _numbers(reader, one, frame, before)
        second = _numbers(reader, other, frame, before)
    if first.keys() != second.keys():
        raise wrong(statements[1], "the two branches do not give the same numbers")
    for name, value in first.items():
        reader.judge.require(
            second[name],
            value,
            statements[1].lineno,
            f"{name.removesuffix('@sum')} of eight and more",
        )
    frame.names = before | first
    return 2


def _numbers(
    reader: Reader, body: list[ast.stmt], frame: Frame, before: dict[str, object]
) -> dict[str, Expr]:
    """Return the numbers that a body changes."""
    frame.names, writes = dict(before), len(reader.memory.writes)
    reader.read(body, frame)
    if len(reader.memory.writes) != writes:
        raise unread(body[0], "a branch on the number of coordinates may not write into an array")
    return {
        n: v
        for n, v in frame.names.items()
        if isinstance(v, Expr) and before.get(n) is not v and before.get(n) != v
    }
