"""Sums of many chains: eight running sums a chain, and in the end the sum of all eight.

::

    for place in range(EIGHT):
        for c in range(chains):
            state.total_by_eight[place, c] = 0.0
    for i in range(n):
        place = i % EIGHT if n >= EIGHT else np.uint64(0)
        for c in range(chains):
            state.total_by_eight[place, c] = add_sums_many(i, c, state.total_by_eight[place, c],
            ...)
    ...
    total = pairwise_many(state.total_by_eight, c)

All eight are 0 before; every coordinate adds to one of them (``place`` is one of 0 .. 7) what does
not depend on any of them, which ``one_by_one`` sees; nothing else reads or writes them, and
``pairwise_many`` adds all eight. So they are, in real arithmetic, one number that every coordinate
is added to, and stand for one.
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
    """The loop that sets running sums to 0, as assignments."""
    match loop.body:
        case [ast.For(target=ast.Name(id="c"), body=body, orelse=[]) as inner] if (
            ast.unparse(inner.iter) == "range(chains)"
        ):
            pass
        case _:
            raise unread(loop, "running sums are set to zero, and nothing else")
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
    """Require that the place of a coordinate is one of eight."""
    match loop:
        case ast.For(target=ast.Name(id=i), iter=ast.Call(args=[ast.Name(id=n)])):
            if ast.unparse(place) == f"place = {i} % EIGHT if {n} >= EIGHT else np.uint64(0)":
                return
    raise wrong(
        place,
        "the place of a coordinate among the running sums is i % EIGHT, and 0 where there are fewer"
        " than eight",
    )


def read_few_or_many(reader: Reader, statements: list[ast.stmt], frame: Frame) -> int:
    """``if n < EIGHT:`` and ``if n >= EIGHT:``, which must give the same numbers, and write no
    array.
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
            "something else than a number is changed where it matters how many coordinates"
            " there are",
        )
    with under_condition(reader, statements[0]):
        first = _numbers(reader, one, frame, before)
        second = _numbers(reader, other, frame, before)
    if first.keys() != second.keys():
        raise wrong(statements[1], "the two ways to add do not give the same numbers")
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
    """The numbers that are others after a body than before it."""
    frame.names, writes = dict(before), len(reader.memory.writes)
    reader.read(body, frame)
    if len(reader.memory.writes) != writes:
        raise unread(
            body[0], "only numbers are added where it matters how many coordinates there are"
        )
    return {
        n: v
        for n, v in frame.names.items()
        if isinstance(v, Expr) and before.get(n) is not v and before.get(n) != v
    }
