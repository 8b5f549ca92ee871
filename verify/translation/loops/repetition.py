"""A repetition inside of a step, compared with a repetition of the rule.

::

    count = np.uint64(low) + random_row(key, t, np.uint64(0), high - low + 1)
    for t_2 in range(t * np.uint64(high), t * np.uint64(high) + count):
        ...

The counters ``t * high + n`` with n < high are different for all steps and repetitions. The body is
read once, at an arbitrary state after earlier repetitions: every block that it moves has an
arbitrary value, the same in text and rule, and every array that it writes has an arbitrary content.
The results of an evaluation are kept in an array only if they are right before the loop, and right
again after the body (they are an invariant): they are then those of the present state in every
repetition. There is at least one repetition, so contents that are right after the body are right
after the loop.
"""

from __future__ import annotations

import ast
from typing import Any

from verify.translation.loops.one_by_one import assigned_in, marked_flags, unmarked_flags
from verify.translation.parse.problems import unread, wrong
from verify.translation.reading.reader import Reader
from verify.translation.reading.state_invariants import (
    forget_arrays,
    holds_result,
    require_state,
    results_held,
)
from verify.translation.reference.program import Repeated
from verify.translation.state.store import Frame
from verify.translation.state.values import Clock, Flag, Repetitions


def read_repetition(reader: Reader, statements: list[ast.stmt], frame: Frame) -> int:
    """Read the number of repetitions and the loop; returns 2, or 0 if it is no repetition."""
    match statements:
        case [
            ast.Assign(targets=[ast.Name(id=count)], value=value),
            ast.For(
                target=ast.Name(id=clock),
                iter=ast.Call(func=ast.Name(id="range"), args=[low, high]),
                body=body,
                orelse=[],
            ),
            *_,
        ]:
            pass
        case _:
            return 0
    times = _times(reader, value, frame)
    outer = next((n for n, v in frame.names.items() if v == reader.clock), "")
    first = f"{outer} * np.uint64({times.high})"
    if (ast.unparse(low), ast.unparse(high)) != (first, f"{first} + {count}"):
        raise wrong(low, f"the counters of the repetitions must be {first} and those that follow")
    if {count, clock, outer} & assigned_in(statements[1]) or clock in (count, outer):
        raise unread(
            statements[1], f"{count} or a counter of the repetitions is assigned to in the loop"
        )
    if times.clock not in (None, reader.clock):
        raise wrong(value, "the number of repetitions has the counter of another step")
    operation = reader.rule.advance()
    if not isinstance(operation, Repeated):
        raise wrong(statements[1], "the rule has no repetition here")
    if (times.low, times.high) != (operation.low, operation.high):
        raise wrong(
            value,
            f"{times.low} to {times.high} repetitions, but there must be {operation.low} to"
            f" {operation.high}",
        )
    require_state(reader, statements[1].lineno, "before the repetitions")
    outer_range, reader.around.counter_range = (
        reader.around.counter_range,
        f"{first}, {first} + {count}",
    )
    _read_body(reader, body, frame, clock, operation)
    reader.around.counter_range = outer_range
    return 2


def _times(reader: Reader, value: ast.expr, frame: Frame) -> Repetitions:
    """Return the number of repetitions."""
    match value:
        case ast.BinOp(left=low, op=ast.Add(), right=right):
            first, drawn = reader.value(low, frame), reader.value(right, frame)
            if isinstance(first, int) and isinstance(drawn, Repetitions):
                return Repetitions(first, first + drawn.high, drawn.key, drawn.clock)
        case ast.Call():
            fixed = reader.value(value, frame)
            if isinstance(fixed, int):
                return Repetitions(fixed, fixed, None, None)
    raise unread(value, f"{ast.unparse(value)} is not a number of repetitions")


def _read_body(
    reader: Reader, body: list[ast.stmt], frame: Frame, clock: str, operation: Repeated
) -> None:
    """Read the body until the arrays that hold results of evaluations are an invariant."""
    assigned = {
        n.id
        for s in body
        for n in ast.walk(s)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    frame.names = {n: v for n, v in frame.names.items() if n not in assigned or isinstance(v, Flag)}
    outer, outer_clock, names = reader.rule, reader.clock, dict(frame.names)
    before = {n: v for n, v in names.items() if n in assigned and isinstance(v, Flag)}
    frame.names |= (marked := marked_flags(reader, before))
    written = _written(reader, body, frame, clock, operation)
    kept = results_held(reader, written, outer.state)
    while True:
        known, memory, flags = reader.judge.snapshot(), reader.memory.copy(), dict(frame.names)
        reader.clock = Clock(clock)
        reader.rule = outer.inside(operation)
        forget_arrays(reader, written, kept, reader.rule.state)
        reader.rule.open()
        _once(reader, body, frame, clock)
        if reader.rule.advance() is not None:
            raise wrong(body[-1], "the body ends before the rule does")
        require_state(reader, body[-1].lineno, "after a repetition")
        right = {a: e for a, e in kept.items() if holds_result(reader, a, e, reader.rule.state)}
        if right == kept:
            break
        kept, reader.memory = right, memory
        frame.names = flags
        reader.judge.restore(known)
    right = results_held(reader, written, reader.rule.state)
    reader.rule, reader.clock = outer, outer_clock
    outer.state = outer.inside(operation).state
    forget_arrays(reader, written, right, outer.state)
    outer.open()
    frame.names = names | unmarked_flags(marked, before, frame, body[0])


def _once(reader: Reader, body: list[ast.stmt], frame: Frame, clock: str) -> None:
    """Read the body once."""
    frame.names[clock] = reader.clock = Clock(clock)
    reader.random.ahead = {}  # these numbers have another counter
    reader.read(body, frame)
    reader.random.ahead = {}


def _written(
    reader: Reader, body: list[ast.stmt], frame: Frame, clock: str, operation: Repeated
) -> list[Any]:
    """Return the arrays that the body writes; it is read once to find them."""
    known, memory, names, rule, outer = (
        reader.judge.snapshot(),
        reader.memory,
        dict(frame.names),
        reader.rule,
        reader.clock,
    )
    reader.memory = memory.copy()
    reader.memory.writes.clear()
    keys = dict(reader.random.keys)
    reader.clock = Clock(clock)
    reader.rule = rule.inside(operation)
    forget_arrays(
        reader, [a for a in reader.memory.contents if a.owner == "state"], {}, reader.rule.state
    )
    reader.rule.open()
    before, reader.around.finding_writes = reader.around.finding_writes, True
    _once(reader, body, frame, clock)
    reader.around.finding_writes = before
    written = list(dict.fromkeys(array for array, _ in reader.memory.writes))
    reader.memory, frame.names, reader.rule, reader.clock = memory, names, rule, outer
    reader.random.keys = keys
    reader.judge.restore(known)
    return written
