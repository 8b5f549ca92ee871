"""Loops that take eight coordinates at a time, with eight running sums.

::

    total_by_eight = eight(0.0)
    for i in range(np.uint64(0), n - n % EIGHT, EIGHT):
        at = whole(i)
        total_by_eight = inside(at, add_sums(at, total_by_eight, ...), total_by_eight)
    if n % EIGHT > 0:
        at = lanes(n - n % EIGHT, n)
        total_by_eight = inside(at, add_sums(at, total_by_eight, ...), total_by_eight)
    return pairwise(total_by_eight)

``EIGHT`` is 8. i is 0, 8, 16, ...; ``whole(i)`` are the coordinates i .. i + 7, and ``lanes(i, n)``
those of them that are less than n. So every coordinate below n is one of the eight in exactly one
turn, for every n, if the same text treats the rest. Every operation on eight numbers is the same
operation on each of them, and an array is read and written only at coordinates that exist. So the
body is read at one generic coordinate, like a loop over all coordinates.

A running sum may only change by ``inside(at, new, old)``, which keeps the old number where there is
no coordinate; the new number must be the old one plus a term of its coordinate. At the end each of
the eight has grown by the terms of its own coordinates, and ``pairwise`` adds the eight: the result
is the sum over all coordinates, if the eight were 0 at first.

The same pattern goes through a chunk of the coordinates (``loops/chunks.py``). A loop by eights
inside of another one is not read: each of eight coordinates would meet one of the other eight, and
not all of them.
"""

from __future__ import annotations

import ast
from typing import Any

from sympy import Expr

from recipe.language.total import sum_over
from verify.translation.loops.chunks import passing_through, sum_over_chunk
from verify.translation.loops.one_by_one import (
    assigned_in,
    fresh_label,
    read_body,
    require_unchanged,
)
from verify.translation.parse.problems import unread, wrong
from verify.translation.reading.reader import Call, Reader
from verify.translation.state.store import Frame
from verify.translation.state.values import (
    ChunkSize,
    Eights,
    Local,
    MaskedEights,
    Offset,
    Place,
    Size,
)

NEEDED_FUNCTIONS = {"whole", "lanes", "eight", "inside", "pairwise"}


def loop_by_eights(reader: Reader, statements: list[ast.stmt], frame: Frame) -> int:
    """Read a loop over all coordinates, or those of a chunk, eight at a time.

    Returns the number of statements that were read, 0 if they do not have this form.
    """
    match statements[:2]:
        case [
            ast.For(
                target=ast.Name(id=index),
                iter=ast.Call(args=[_, ast.BinOp(left=ast.Name(id=bound)), _]),
                body=[ast.Assign(targets=[ast.Name(id=at)]), *body],
                orelse=[],
            ) as loop,
            ast.If(body=[ast.Assign(), *last], orelse=[]) as rest,
        ] if (
            _heads(loop, rest) == _expected_heads(index, bound, at)
            and reader.module.trusted >= NEEDED_FUNCTIONS
        ):
            pass
        case _:
            return 0
    if [ast.dump(s) for s in body] != [ast.dump(s) for s in last]:
        raise wrong(rest, "the last coordinates are not treated like the others")
    require_unchanged((bound, index, at), body, loop)
    if reader.around.in_loop_of_eights:
        raise unread(loop, "a loop by eights is inside of another one")
    size = frame.names.get(bound)
    match size:
        case Size(length=length):
            label = fresh_label(reader, frame)
            _read_eights(
                reader,
                loop,
                frame,
                (at, Place(length, label, "eight"), body),
                lambda e: sum_over(e, label, length),
            )
        case ChunkSize(of=chunk) if chunk.length is not None:
            with passing_through(reader, chunk, loop):
                here = Offset(chunk, part="eight")
                _read_eights(
                    reader, loop, frame, (at, here, body), lambda e: sum_over_chunk(reader, e)
                )
        case _:
            return 0
    return 2


def _heads(loop: ast.For, rest: ast.If) -> list[str]:
    return [ast.unparse(part) for part in (loop.iter, loop.body[0], rest.test, rest.body[0])]


def _expected_heads(index: str, bound: str, at: str) -> list[str]:
    rest = f"{bound} % EIGHT"
    whole = f"{bound} - {rest}"
    return [
        f"range(np.uint64(0), {whole}, EIGHT)",
        f"{at} = whole({index})",
        f"{rest} > 0",
        f"{at} = lanes({whole}, {bound})",
    ]


def _read_eights(
    reader: Reader, loop: ast.For, frame: Frame, inner: tuple[str, Any, list[ast.stmt]], summed: Any
) -> None:
    """Read the body of a loop by eights, at the generic coordinate.

    Args:
        reader: the reader.
        loop: the loop.
        frame: the names.
        inner: the name of the eight coordinates, their value, and the statements of the body.
        summed: returns the sum over all coordinates of the summand of a running sum.
    """
    at, here, body = inner
    label = here.label if isinstance(here, Place) else here.of.label
    totals = [n for n in assigned_in(loop) if isinstance(frame.names.get(n), Eights)]
    if any(isinstance(frame.names.get(n), Expr) for n in assigned_in(loop)):
        raise unread(loop, "a loop by eights may only change eight running sums")
    if totals and not reader.around.has_few_branch:
        raise unread(loop, "fewer than eight coordinates must be summed in their order")
    frame.names |= {n: frame.names[n].total for n in totals}

    def once() -> None:
        before, first = {n: frame.names[n] for n in totals}, len(reader.memory.writes)
        frame.names.pop(loop.target.id, None)  # type: ignore[attr-defined]
        frame.names[at] = here
        reader.around.in_loop_of_eights = True
        reader.read(body, frame)
        reader.around.in_loop_of_eights = False
        for n in totals:
            frame.names[n] = _running(frame.names.get(n), before[n], n, loop)
        if any(place != label for _, place in reader.memory.writes[first:]):
            raise unread(loop, "eight numbers must be written at their own coordinates")
        frame.names.pop(at, None)

    read_body(reader, frame, once, summed, label, loop)
    frame.names |= {n: Eights(frame.names[n]) for n in totals}


def _running(now: Any, before: Expr, name: str, loop: ast.For) -> Expr:
    """Return a running sum after one turn."""
    if isinstance(now, MaskedEights) and now.old == before:
        return now.new
    if isinstance(now, Expr) and now == before:
        return now
    raise unread(loop, f"{name} does not keep its value where there is no coordinate")


# -- calls
# --------------------------------------------------------------------------------------------------


def _checked(reader: Reader, node: ast.Call, frame: Frame, count: int) -> list[Any]:
    name = ast.unparse(node.func)
    if name not in reader.module.trusted or len(node.args) != count:
        raise unread(node, f"{ast.unparse(node)} is not read")
    return [reader.value(a, frame) for a in node.args]


def eight(reader: Reader, node: ast.Call, frame: Frame) -> Eights:
    """Read the beginning of eight running sums."""
    (x,) = _checked(reader, node, frame, 1)
    if x != 0 or not isinstance(x, Expr):
        raise wrong(node, "running sums must begin at 0.0")
    return Eights(x)


def inside(reader: Reader, node: ast.Call, frame: Frame) -> MaskedEights:
    """Read eight numbers that are new where there are coordinates."""
    at, new, old = _checked(reader, node, frame, 3)
    if (
        not isinstance(at, Place | Offset)
        or at.part != "eight"
        or not isinstance(new, Expr)
        or not isinstance(old, Expr)
    ):
        raise unread(node, f"{ast.unparse(node)} is not read")
    return MaskedEights(new, old)


def pairwise(reader: Reader, node: ast.Call, frame: Frame) -> Expr:
    """Read the sum of eight running sums."""
    (x,) = _checked(reader, node, frame, 1)
    if not isinstance(x, Eights):
        raise unread(node, f"{ast.unparse(node.args[0])} is not eight running sums")
    return x.total


def local_array(reader: Reader, node: ast.Call, frame: Frame) -> Local:
    """Read an array on the stack; its content is unknown."""
    (room,) = _checked(reader, node, frame, 1)
    if not isinstance(node.args[0], ast.Constant) or not isinstance(room, int):
        raise unread(node, f"{ast.unparse(node)} is not read")
    return Local(next(iter(reader.judge.counter)), room, ast.unparse(node.func) == "local_rows")


EIGHTS: dict[str, Call] = {
    "eight": eight,
    "inside": inside,
    "pairwise": pairwise,
    "local_numbers": local_array,
    "local_rows": local_array,
}
