"""A Metropolis test.

::

    accepted_2 = invalid_block(state) < 0 and log_uniform(key_test, t) < energy - energy_2
    tests += 1.0
    if accepted_2:
        accepted += 1.0
    else:
        ...

``log u < log ratio`` for uniform u has the probability ``min(1, ratio)``. A state that is not
finite or not in its domain is rejected; so is a ratio that is NaN, as no comparison with it holds.
After a rejection every block must have the value that the rule gives it then. After the test a
block has one of two values, which are the same in the text and in the rule, so it gets one new
atom. An array that holds the results of an evaluation in both cases, each at its own state, holds
those at the new state.
"""

from __future__ import annotations

import ast

from verify.translation.loops.calls import under_condition
from verify.translation.parse.domain import edges
from verify.translation.parse.problems import unread, wrong
from verify.translation.reading.reader import Reader
from verify.translation.reading.state_invariants import (
    array_of,
    is_same_result,
    require_state,
    result_at,
    results_held,
)
from verify.translation.reference.program import MapTest, ProposalTest
from verify.translation.state.store import Frame, Memory
from verify.translation.state.values import Decision


def read_test(reader: Reader, statements: list[ast.stmt], frame: Frame) -> int:
    """Read the test whose result a name holds; returns 2, or 0 if it is no test."""
    match statements:
        case [counted, ast.If(test=ast.Name(id=name), body=[accepted], orelse=rejected), *_] if (
            isinstance(frame.names.get(name), Decision)
        ):
            pass
        case _:
            return 0
    if (ast.unparse(counted), ast.unparse(accepted)) != ("tests += 1.0", "accepted += 1.0"):
        raise unread(counted, "only tests and accepted tests may be counted here")
    test = reader.rule.advance()
    if not isinstance(test, MapTest | ProposalTest):
        raise wrong(statements[1], "the rule has no Metropolis test here")
    found = frame.names.pop(name)
    line = frame.lines[name]
    if found.at != reader.memory.contents:
        raise wrong(line, "the state is changed between the test and its result")
    if found.clock != reader.clock:
        raise wrong(line, "the uniform number belongs to another step")
    require_state(reader, line, "before the test")
    if not reader.around.finding_writes:
        reader.judge.require(
            found.log_ratio, reader.rule.log_ratio(test), line, "the logarithm of the ratio"
        )
    _merge(reader, test, rejected, frame, statements[1])
    reader.rule.marked.pop()
    reader.rule.open()
    return 2


def _merge(
    reader: Reader,
    test: MapTest | ProposalTest,
    rejected: list[ast.stmt],
    frame: Frame,
    at: ast.stmt,
) -> None:
    """Read the rejection, and merge the states after acceptance and rejection."""
    rule, accepted = reader.rule, reader.memory
    if any(edges(b) for b in getattr(test, "flips", ())):
        raise unread(at, "a block is flipped without a check of its domain, which has an edge")
    new, old = rule.state, rule.rejected(test)
    reader.memory, reader.around.restoring = accepted.copy(), True
    looped = {s.target for s in ast.walk(at) if isinstance(s, ast.For)}
    if any(
        isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n not in looped
        for s in rejected
        for n in ast.walk(s)
    ):
        raise unread(at, "no name may get a value where the test rejects")
    with under_condition(reader, at):
        reader.read(rejected, frame)
    reader.around.restoring = False
    rule.state = old
    require_state(reader, at.lineno, "where the test rejects")
    gone_back = reader.memory
    merged = {b: new[b] if new[b] == old[b] else reader.judge.value_of(b) for b in new}
    changed = [a for a, e in accepted.contents.items() if gone_back.contents[a] != e]
    blocks = {array_of(reader, b): e for b, e in merged.items()}
    contents = dict(accepted.contents)
    for array in changed:
        reader.memory = accepted
        there = results_held(reader, [array], new).get(array)
        reader.memory = gone_back
        back = results_held(reader, [array], old).get(array)
        if array in blocks:
            contents[array] = blocks[array]
        elif is_same_result(there, back) and there is not None:
            contents[array] = result_at(reader, there, merged)
        else:
            contents[array] = reader.judge.fresh(array.field, array.length)
    rule.state = merged
    reader.memory = Memory(
        contents=contents,
        written=accepted.written,
        reads=accepted.reads,
        writes=gone_back.writes,
        required_checks=accepted.required_checks,
        unnamed_stores=accepted.unnamed_stores,
    )
