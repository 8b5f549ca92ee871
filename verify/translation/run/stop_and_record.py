"""Check the statements that follow a step in the loop over steps: they stop the run if a block is
not finite or outside of its domain, and record the draws that are kept.
"""

from __future__ import annotations

import ast

from recipe.declare.update import Update
from recipe.kernel import Kernel
from recipe.language.blocks import Block
from verify.translation.parse.module import ParsedModule
from verify.translation.parse.problems import unread, wrong
from verify.translation.reading.reader import Reader
from verify.translation.reading.state_invariants import array_of
from verify.translation.reference.matcher import length_of
from verify.translation.state.store import Frame
from verify.translation.state.values import Array, Flag

STOP = ["invalid = invalid_block(state)", "if invalid >= 0:\n    return (done, invalid)"]


def check_end(
    module: ParsedModule,
    what: Update | Kernel,
    reader: Reader,
    frame: Frame,
    tail: list[ast.stmt],
    opened: frozenset[Array],
) -> None:
    """Require that exactly these statements follow a step.

    Args:
        module: the parsed module.
        what: the rule or the kernel.
        reader: the reader, after the step.
        frame: its names.
        tail: the statements.
        opened: the arrays that hold results of evaluations for the next step.
    """
    expected = [f"state.{reader.fields.valid_step_field}[0] = done + 2"] if opened else []
    expected += (
        STOP
        if reader.rule.domains_checked
        else ["if not finite:\n    " + "\n    ".join("\n".join(STOP).split("\n"))]
    )
    *before, last = tail
    for text, statement in zip(expected, before, strict=False):
        if ast.unparse(statement) != text:
            raise wrong(statement, f"here must stand: {text.splitlines()[0]}")
    if len(before) != len(expected) or not isinstance(last, ast.If) or last.orelse:
        raise unread(last, "a step must stop where it is not finite, and then record what is kept")
    if ast.unparse(last.test) != "done + 1 == warmup + (row + 1) * thin":
        raise wrong(
            last,
            "every thin-th state after the warmup is kept: done + 1 == warmup + (row + 1) * thin",
        )
    *body, following = last.body
    if ast.unparse(following) != "row += 1":
        raise wrong(following, "the next state that is kept goes into the next row: row += 1")
    if not body:
        raise wrong(following, "of a state that is kept, its blocks are kept")
    _check_kept(module, what, reader, frame, body, opened)


def _check_kept(
    module: ParsedModule,
    what: Update | Kernel,
    reader: Reader,
    frame: Frame,
    body: list[ast.stmt],
    opened: frozenset[Array],
) -> None:
    """Require that a row of draws is filled for every block, with its recorded value, and for every
    statistic.
    """
    statistics = [f for f in module.draws if f not in reader.legend.fields.values()]
    kept = len(reader.legend.fields) + len(statistics)
    if len(body) < kept:
        raise wrong(body[0], f"{kept} rows are kept of a state, and not {len(body)}")
    recorded, copies = body[: len(body) - kept], body[len(body) - kept :]
    images = [b for b in reader.legend.fields if b.image is not None]
    if images:
        stop = f"if not finite:\n    return (done, {list(reader.legend.fields).index(images[0])})"
        if (
            not recorded
            or ast.unparse(recorded[0]) != "finite = True"
            or ast.unparse(recorded[-1]) != stop
        ):
            raise unread(body[0], "an image that is not finite must stop the run")
        recorded = recorded[1:-1]
    frame.names["finite"] = Flag()
    state = {array_of(reader, b) for b in reader.legend.fields} | opened
    first = len(reader.memory.writes)
    reader.around.counter_range = "t, t + np.uint64(1)"  # not every step is recorded
    reader.read(recorded, frame)
    for array, _ in reader.memory.writes[first:]:
        if array in state or array.field in reader.fields.variances:
            raise wrong(
                reader.memory.written[array],
                "what is recorded changes what the next step begins with",
            )
    for block, statement in zip(reader.legend.fields, copies, strict=False):
        _check_copy(reader, what, block, statement, frame)
    for field, statement in zip(statistics, copies[len(reader.legend.fields) :], strict=True):
        text = f"if draws.{field}.shape[0] > 0:\n    draws.{field}[row, 0] = accepted / tests"
        if ast.unparse(statement) != text:
            raise wrong(statement, "the rate of acceptance is accepted / tests")


def _check_copy(
    reader: Reader, what: Update | Kernel, block: Block, statement: ast.stmt, frame: Frame
) -> None:
    """Require that a statement copies the recorded value of a block into its row of draws."""
    field = reader.legend.fields[block]
    match statement:
        case ast.Expr(
            value=ast.Call(
                func=ast.Name(id="keep"),
                args=[draws, row, ast.Attribute(value=ast.Name(id="state"), attr=of)],
            )
        ):
            if (ast.unparse(draws), ast.unparse(row)) != (f"draws.{field}", "row"):
                raise wrong(statement, f"the row of draws.{field} must be filled here")
        case _:
            raise unread(statement, "a row of draws is filled by keep")
    observed = dict(getattr(what, "observe", ()))
    e = observed.get(block, block)
    e = block.forward(e) if block.forward is not None else e  # type: ignore[misc]
    array = Array("state", of, reader.module.arrays.get(of, length_of(block)))
    held = reader.memory.contents.get(array)
    if held is None or array.length != length_of(block):
        raise wrong(statement, f"state.{of} is not what is recorded of {block}")
    if block.image is not None and (
        not isinstance(flag := frame.names.get("finite"), Flag) or held not in flag.of
    ):
        raise wrong(
            reader.memory.written.get(array, statement.lineno),
            f"{held} is not looked at: an image may be infinite",
        )
    if isinstance(reader.legend.fields.get(block), str) and e == block and of != field:
        raise wrong(statement, f"of {block} state.{field} is recorded, and not state.{of}")
    wanted = reader.rule.taken(e, reader.rule.state, reader.rule.state, OBSERVED)
    reader.judge.require(
        held,
        wanted,
        reader.memory.written.get(array, statement.lineno),
        f"what is recorded of {block}",
    )


OBSERVED = -1  # the noise of what is recorded, apart from that of every rule
