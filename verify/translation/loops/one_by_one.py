"""``for i in range(n)``: a loop that visits every coordinate once.

The body is read at one generic coordinate i. That is correct if an iteration reads the arrays that
the loop writes only at its own coordinate, and a number that changes from iteration to iteration
only grows by terms that do not depend on it: it becomes the sum over i. An array that is written at
another coordinate than that of the loop (in the inner loop of a product with a matrix) must grow in
the same way.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sympy import Add, Expr, Symbol

from recipe.language.symbols import GENERIC
from recipe.language.total import labels, sum_over
from verify.translation.parse.problems import unread, wrong
from verify.translation.reading.reader import Reader
from verify.translation.reference.matcher import generic_symbols
from verify.translation.state.store import Frame, Memory
from verify.translation.state.values import (
    Array,
    ChunkFirst,
    ChunkSize,
    Eights,
    Flag,
    Half,
    Offset,
    Pairs,
    Place,
    Size,
)

Sum = Callable[[Expr], Expr]
# Labels of loops count down from here; 0 and -1 are the generic coordinate and the other one.
FIRST_LABEL = -2


def one_by_one(reader: Reader, statements: list[ast.stmt], frame: Frame) -> int:
    """Read a loop over all coordinates; returns 1, or 0 if it is no such loop."""
    match statements[0]:
        case ast.For(
            target=ast.Name(id=index),
            iter=ast.Call(func=ast.Name(id="range"), args=[bound]),
            body=body,
            orelse=[],
        ):
            pass
        case _:
            return 0
    if not isinstance(bound, ast.Name | ast.Call | ast.Constant) or (
        isinstance(bound, ast.Call) and ast.unparse(bound.func) != "np.uint64"
    ):
        return _refused_range(reader, bound, frame)
    size = reader.value(bound, frame)
    if isinstance(size, Pairs | Half):
        raise wrong(bound, f"the loop visits {ast.unparse(bound)} coordinates, and not all")
    length = size.length if isinstance(size, Size) else None
    if length is None and size != 1:
        return 0
    label = fresh_label(reader, frame)

    def once() -> None:
        frame.names[index] = Place(length, label)
        reader.read(body, frame)
        frame.names.pop(index, None)

    if length is None:  # one number: the body is executed once
        once()
    else:
        read_body(reader, frame, once, lambda e: sum_over(e, label, length), label, statements[0])
    return 1


def fresh_label(reader: Reader, frame: Frame) -> int:
    """Return a new label for the index of a loop.

    No value that is known has this label, and no loop around has it.
    """
    used = {FIRST_LABEL + 1, *reader.around.loop_labels}
    for value in frame.names.values():
        match value:
            case Place(label=label):
                used.add(label)
            case Expr() | Eights(total=Expr()):
                used |= labels(value if isinstance(value, Expr) else value.total)
            case ChunkSize(of=chunk) | ChunkFirst(of=chunk) | Offset(of=chunk) if (
                chunk.label is not None
            ):
                used.add(chunk.label)
    return min(used) - 1


def require_unchanged(names: Sequence[str], bodies: Iterable[ast.stmt], at: ast.AST) -> None:
    """Require that these names are different ones, and that the loop assigns to none of them.

    A pattern reads them by the values that they had at its beginning.
    """
    changed = {
        n.id
        for s in bodies
        for n in ast.walk(s)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    for n, name in enumerate(names):
        if name in changed or name in names[:n]:
            raise unread(at, f"{name} is given another value in this loop")


def _refused_range(reader: Reader, bound: ast.expr, frame: Frame) -> int:
    """Raise an error for a loop over a part of the coordinates; return 0 for any other range."""
    match bound:
        case ast.BinOp(left=left) if isinstance(reader.value(left, frame), Size):
            raise wrong(
                bound,
                f"the loop visits {ast.unparse(bound)} coordinates, and not all",
            )
    return 0


def read_body(
    reader: Reader,
    frame: Frame,
    once: Callable[[], None],
    summed: Sum,
    label: int | None,
    at: ast.AST,
) -> None:
    """Read a body that is executed for every value of an index.

    Args:
        reader: the reader.
        frame: the names of the function.
        once: reads the body once.
        summed: returns the sum over the index of what one iteration adds.
        label: the label of the index if it is a coordinate; else None.
        at: the loop.
    """
    reader.around.loop_labels.append(GENERIC if label is None else label)
    try:
        _repeated(reader, frame, once, summed, label, at)
    finally:
        reader.around.loop_labels.pop()


def _repeated(
    reader: Reader,
    frame: Frame,
    once: Callable[[], None],
    summed: Sum,
    label: int | None,
    at: ast.AST,
) -> None:
    known = reader.around.grown.get(at)
    if known is not None:
        judged, memory, names = reader.judge.snapshot(), reader.memory.copy(), dict(frame.names)
        if _is_read(reader, frame, once, summed, label, at, known):
            return
        # The loop is read in another call of its function, with other arrays.
        reader.memory, frame.names = memory, names
        reader.judge.restore(judged)
    reader.around.grown[at] = grown = _grown_arrays(reader, frame, once, label)
    if not _is_read(reader, frame, once, summed, label, at, grown):
        raise unread(at, "what this loop writes is not the same in each reading")


def _is_read(
    reader: Reader,
    frame: Frame,
    once: Callable[[], None],
    summed: Sum,
    label: int | None,
    at: ast.AST,
    grown: list[Array],
) -> bool:
    """Read a body once, with the arrays that must only grow in it; return False, where nothing is
    concluded, if these are not the arrays that it writes elsewhere than at its coordinate.
    """
    assigned = assigned_in(at)
    before, names = dict(reader.memory.contents), dict(frame.names)
    start: dict[Any, Symbol] = {
        array: reader.judge.fresh("so_far", array.length) for array in grown
    }
    reader.memory.contents |= start  # type: ignore[arg-type]
    counted = {
        name: reader.judge.fresh(f"{name} so far", None)
        for name in assigned
        if isinstance(names.get(name), Expr)
    }
    flags = {n: names[n] for n in assigned if isinstance(names.get(n), Flag)}
    frame.names = (
        {n: v for n, v in names.items() if n not in assigned}
        | counted
        | (marked := marked_flags(reader, flags))
    )
    first_read, first_write = len(reader.memory.reads), len(reader.memory.writes)
    once()
    if _written_elsewhere(reader.memory.writes[first_write:], label) != grown:
        return False
    _check_own_places(reader.memory, first_read, first_write, label, grown, at)
    for array, so_far in start.items():
        reader.memory.contents[array] = before[array] + summed(
            _growth(reader.memory.contents[array], so_far, array.field, at)
        )
    for name in assigned:
        if name in counted:
            frame.names[name] = names[name] + summed(
                _growth(frame.names.get(name), counted[name], name, at)
            )
        elif name not in flags:
            frame.names.pop(name, None)
    frame.names |= unmarked_flags(marked, flags, frame, at)
    return True


def marked_flags(reader: Reader, flags: Mapping[str, Flag]) -> dict[str, Flag]:
    """Return flags as they may be before some turn of a loop: a mark stands for the checks of
    earlier turns.
    """
    return {
        n: Flag(flag.of | {reader.judge.fresh("earlier turns", None)}) for n, flag in flags.items()
    }


def unmarked_flags(
    marked: Mapping[str, Flag], flags: Mapping[str, Flag], frame: Frame, at: ast.AST
) -> dict[str, Flag]:
    """Return the flags after the loop; each must still contain the checks of earlier turns."""
    found = {}
    for name, before in marked.items():
        now = frame.names.get(name)
        if not isinstance(now, Flag) or not before.of <= now.of:
            raise wrong(at, f"{name} forgets the checks of earlier turns of the loop")
        found[name] = Flag(now.of - (before.of - flags[name].of))
    return found


def assigned_in(at: ast.AST) -> set[str]:
    """Return the names that a loop assigns to, except its own index."""
    found = {n.id for n in ast.walk(at) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return found - (
        {at.target.id} if isinstance(at, ast.For) and isinstance(at.target, ast.Name) else set()
    )


def _grown_arrays(
    reader: Reader, frame: Frame, once: Callable[[], None], label: int | None
) -> list[Array]:
    """Return the arrays that the body writes elsewhere than at the coordinate of the loop.

    The body is read once to find them.
    """
    known, memory, names = reader.judge.snapshot(), reader.memory, dict(frame.names)
    reader.memory = memory.copy()
    first = len(memory.writes)
    once()
    written = reader.memory.writes[first:]
    reader.memory, frame.names = memory, names
    reader.judge.restore(known)
    return _written_elsewhere(written, label)


def _written_elsewhere(written: list[tuple[Array, int | None]], label: int | None) -> list[Array]:
    """Return the arrays that are written at another coordinate than that of the loop."""
    return list(dict.fromkeys(array for array, place in written if place != label or label is None))


def _check_own_places(
    memory: Memory,
    first_read: int,
    first_write: int,
    label: int | None,
    grown: list[Array],
    at: ast.AST,
) -> None:
    """Require that an array that the loop writes is read at the coordinate of the loop only."""
    own = {array for array, place in memory.writes[first_write:] if array not in grown}
    for array, place in memory.reads[first_read:]:
        if array in own and place != label:
            raise wrong(
                at,
                f"the loop writes {array.owner}.{array.field}, but reads it at another coordinate",
            )
    # The reads stay: a loop around may write, at other coordinates, the arrays that are read here.
    del memory.writes[first_write:]
    for array in {*own, *grown}:
        memory.writes.append((array, label))


def _growth(now: Any, so_far: Symbol, name: str, at: ast.AST) -> Expr:
    """Return the term that one iteration adds."""
    if not isinstance(now, Expr):
        raise unread(at, f"{name} is not a number after a turn of this loop")
    added = _without(now, so_far) if so_far in generic_symbols(now) else now
    if so_far in generic_symbols(added) or so_far not in generic_symbols(now):
        raise unread(at, f"{name} does not only grow in this loop")
    return added


def _without(now: Expr, so_far: Symbol) -> Expr:
    """Return ``now - so_far``, with its products as they stand where ``so_far`` is a term of it.

    Multiplied out, the derivative of a square of n terms would have n terms for each of n blocks.
    """
    rest = [term for term in Add.make_args(now) if term != so_far]
    plain = Add(*rest)
    if len(rest) < len(Add.make_args(now)) and so_far not in generic_symbols(plain):
        return plain
    return (now - so_far).expand()
