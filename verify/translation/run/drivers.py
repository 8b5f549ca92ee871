"""The drivers of a module beside the rule: ``step``, and the body of the loop over steps in
``run``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from sympy import Expr, Symbol

from recipe.declare.update import Update
from recipe.kernel import Kernel
from recipe.language.abstract import Potential
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.symbols import Block, Noise, ScalarNoise, generic
from verify.translation.loops.batch_sums import either
from verify.translation.loops.calls import CALLS, evaluated
from verify.translation.loops.chunks import blocks, through_piece
from verify.translation.loops.draws_ahead import drawn_ahead
from verify.translation.loops.eights import EIGHTS, by_eight
from verify.translation.loops.metropolis_test import decision
from verify.translation.loops.one_by_one import one_by_one
from verify.translation.loops.pairs import pairs
from verify.translation.loops.repetition import number
from verify.translation.parse.interface import Legend
from verify.translation.parse.module import ParsedModule, plain_body
from verify.translation.parse.problems import unread, wrong
from verify.translation.reading.reader import Call, Reader
from verify.translation.reading.state_invariants import array_of, checked_state, left, results_held
from verify.translation.reference.equality import Looks
from verify.translation.reference.matcher import Judge, length_of
from verify.translation.reference.program import Operation, operations
from verify.translation.reference.rule import RuleExecution, variance_before
from verify.translation.state.noise_arguments import NoiseArguments
from verify.translation.state.store import Frame
from verify.translation.state.values import (
    Array,
    Clock,
    Flag,
    Fused,
    Half,
    Pairs,
    Record,
    Size,
    StreamKey,
    Token,
)

What = Update | Kernel

STEP = "out, state, gradient, step_size, params, noise"
RUN = "state, draws, gradient, data, step_size, params, seed, chain, start, steps, warmup, thin"
STEP_SIZE = Symbol("step_size", positive=True)


def reader_for(
    module: ParsedModule,
    legend: Legend,
    beside: tuple[Operation, ...],
    calls: Mapping[str, Call],
    *,
    estimated: bool,
) -> Reader:
    """A reader beside the rule, at its first state."""
    lengths = {length_of(b) for b in legend.fields} | set(module.arrays.values())
    judge = Judge(Looks(n for n in lengths if n is not None))
    forms = (
        pairs,
        drawn_ahead,
        number,
        decision,
        either,
        through_piece,
        by_eight,
        blocks,
        one_by_one,
    )
    reader = Reader(module, legend, judge, forms, {**CALLS, **EIGHTS, **calls})
    state: dict[Block, Expr] = {b: b for b in legend.fields}
    reader.rule = RuleExecution(judge, beside, state, estimated)
    for b in legend.fields:
        reader.memory.contents[array_of(reader, b)] = b
    for U, fields in legend.variances.items():
        for block, field in zip(U.blocks, fields, strict=True):
            reader.memory.contents[Array("state", field, length_of(block))] = variance_before(
                U, block
            )
    return reader


def check_step(
    module: ParsedModule, legend: Legend, what: Update, laws: Mapping[str, tuple[str, str]]
) -> None:
    """Require that ``step`` is the rule; ``laws`` are those of the draws of ``run``."""
    reader, noise = read_step(module, legend, what, operations(what), laws)
    end = module.functions["step"].body[-1].lineno
    for block, value in reader.rule.state.items():
        if value == block and array_of(reader, block, "out") not in reader.memory.contents:
            raise wrong(end, f"step does not write {block} into out")
    checked_state(reader, end, "after the step", "out")
    if noise.used != set(range(len(noise.used))):
        raise wrong(end, "not all arrays of the noise are used")
    reader.judge.defined.require()


def read_step(
    module: ParsedModule,
    legend: Legend,
    what: Update,
    beside: tuple[Operation, ...],
    laws: Mapping[str, tuple[str, str]],
) -> tuple[Reader, NoiseArguments]:
    """Read ``step`` beside the operations of a rule; beside none, its arrays hold in the end all
    that was read.
    """
    function = _function(module, "step", STEP)
    reader = reader_for(module, legend, beside, _given_gradients(legend), estimated=False)
    reader.only_out, reader.laws = True, dict(laws)
    noise = NoiseArguments(_normals(what))
    frame = Frame(
        {
            "out": Record("out"),
            "state": Record("state"),
            "params": Record("params"),
            "step_size": step_symbol(what),
        }
        | {"noise": noise, "gradient": Token("gradient")}
    )
    reader.rule.open()
    reader.read(function.body, frame)
    return reader, noise


def _normals(what: Update) -> int:
    """How many noises of the rule are normal."""
    drawn = {generic(x.noise) for _, e in what.rule for x in e.atoms(NoncentralChiSquared)}
    noises = {generic(s) for _, e in what.rule for s in e.atoms(Noise, ScalarNoise)}
    return len(noises - drawn)


def step_symbol(what: What) -> Symbol:
    """The symbol of the step size."""
    return what.step if what.step is not None else STEP_SIZE


def _given_gradients(legend: Legend) -> dict[str, Call]:
    """Gradients that are passed as arguments."""

    def call(U: Potential) -> Call:
        def gradient(reader: Reader, node: ast.Call, frame: Frame) -> None:
            arrays = [reader.value(a, frame) for a in node.args]
            if len(arrays) != 2 * len(U.blocks):
                raise wrong(
                    node,
                    f"the gradient of {U} takes one result and one array for each of its blocks",
                )
            evaluated(reader, U, arrays[: len(U.blocks)], arrays[len(U.blocks) :], None, node)

        return gradient

    if len(legend.potentials) == 1:
        return {"gradient": call(legend.potentials[0])}
    return {f"gradient[{n}]": call(U) for n, U in enumerate(legend.potentials)}


def _function(module: ParsedModule, name: str, arguments: str) -> ast.FunctionDef:
    function = module.functions.get(name)
    if function is None:
        raise unread(None, f"the module has no function {name}")
    if ", ".join(a.arg for a in function.args.args) != arguments:
        raise unread(function, f"the arguments of {name} are not {arguments}")
    return function


def check_run(
    module: ParsedModule,
    legend: Legend,
    what: What,
    calls: Mapping[str, Call],
    end: Callable[..., None],
) -> Reader:
    """Require that the loop over steps carries out the rule; ``end`` looks at what comes after it
    in the loop.
    """
    function = _function(module, "run", RUN)
    reader = reader_for(
        module, legend, operations(what), {**_given_gradients(legend), **calls}, estimated=True
    )
    names = {n: Token(n) for n in ("gradient", "seed", "chain", "start", "steps", "warmup", "thin")}
    frame = Frame(
        {
            **names,
            **{n: Record(n) for n in ("state", "draws", "data", "params")},
            "step_size": step_symbol(what),
        }
    )
    before, loop = _loop_over_steps(function)
    _check_row(function, before)
    _check_fixed_names(function)
    opened = _read_before(reader, before, frame)
    moves, tail = _entered_step(reader, loop, frame, opened)
    reader.rule.open()
    reader.read(moves, frame)
    if reader.rule.advance() is not None:
        raise wrong(loop, "the step ends before the rule does")
    checked_state(reader, moves[-1].lineno if moves else loop.lineno, "after the step")
    _check_finite(reader, frame)
    for array, held in opened.items():
        if not left(reader, array, held, reader.rule.state):
            raise wrong(
                reader.memory.written.get(array, loop.lineno),
                f"{array.field} is not right for the next step",
            )
    _check_drawn_again(reader, loop)
    _check_variances(reader, loop)
    end(reader, frame, tail, frozenset(opened))
    reader.judge.defined.require()
    return reader


def _check_row(function: ast.FunctionDef, before: list[ast.stmt]) -> None:
    """The next row of draws is set before the loop and, where a state is kept, counted: nowhere
    else (``check_end``).
    """
    begun, all_of_them = (
        sum(
            isinstance(n, ast.Name) and n.id == "row" and isinstance(n.ctx, ast.Store)
            for s in body
            for n in ast.walk(s)
        )
        for body in (before, [function])
    )
    if (begun, all_of_them) != (1, 2):
        raise wrong(
            function, "the next row of draws is set once before the loop, and counted once in it"
        )


FIXED = {
    "done": ("for done in range(start, start + steps):",),
    "t": ("t = np.uint64(done)", "t = np.uint64(start) - np.uint64(1)"),
    "invalid": ("invalid = invalid_block(state)",),
    "accepted": ("accepted = tests = 0.0", "accepted += 1.0"),
    "tests": ("accepted = tests = 0.0", "tests += 1.0"),
}


def _check_fixed_names(function: ast.FunctionDef) -> None:
    """What is compared as a text names the arguments and these; so none of them is given another
    value.
    """
    arguments = {a.arg for a in function.args.args}
    begun = 0
    for s in ast.walk(function):
        match s:
            case ast.Assign(targets=targets):
                pass
            case ast.AugAssign(target=target) | ast.For(target=target):
                targets = [target]
            case _:
                continue
        text = ast.unparse(s).splitlines()[0]
        begun += text == "accepted = tests = 0.0"
        for name in {
            n.id
            for t in targets
            for n in ast.walk(t)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }:
            if name in arguments or (name in FIXED and text not in FIXED[name]) or begun > 1:
                raise unread(s, f"{name} is given another value")


def _loop_over_steps(function: ast.FunctionDef) -> tuple[list[ast.stmt], ast.For]:
    """What stands before the loop over steps, and the loop."""
    match plain_body(function):
        case [
            *before,
            ast.For(target=ast.Name(id="done"), iter=steps, orelse=[]) as loop,
            ast.Return() as last,
        ]:
            pass
        case _:
            raise unread(
                function, "run must be a loop over steps, with nothing but a return after it"
            )
    if ast.unparse(steps) != "range(start, start + steps)":
        raise wrong(steps, "the steps must be start .. start + steps - 1")
    if ast.unparse(last) != "return (start + steps, -1)":
        raise wrong(last, "run must return the step that it stands at, and -1")
    return before, loop


def _entered_step(
    reader: Reader, loop: ast.For, frame: Frame, opened: Mapping[Array, Any]
) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """The statements of a step that move the state, and those after them; nothing is known of what
    an earlier step has left.
    """
    body = loop.body
    if [ast.unparse(s) for s in body[:2]] != ["t = np.uint64(done)", "finite = True"]:
        raise unread(body[0], "a step must begin with t = np.uint64(done) and finite = True")
    assigned = {
        n.id for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    frame.names = {n: v for n, v in frame.names.items() if n not in assigned}
    frame.names |= {"t": Clock("t"), "finite": Flag(), "done": Token("done")}
    reader.clock, reader.ticks = Clock("t"), "np.uint64(start), np.uint64(start + steps)"
    _scratch_holds_anything(reader, opened)
    rest = body[2:]
    if any(f not in reader.legend.fields.values() for f in reader.module.draws):
        if ast.unparse(rest[0]) != "accepted = tests = 0.0":
            raise wrong(rest[0], "a step must begin by counting no test: accepted = tests = 0.0")
        rest = rest[1:]
    return _split(rest, loop)


def _split(body: list[ast.stmt], loop: ast.stmt) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """The statements that move the state, and those that look at it, stop and record."""
    for n, s in enumerate(body):
        if ast.unparse(s).splitlines()[0] in ("invalid = invalid_block(state)", "if not finite:"):
            begin = n - (n > 0 and ast.unparse(body[n - 1]).endswith("[0] = done + 2"))
            return body[:begin], body[begin:]
    raise wrong(loop, "a step that is not finite does not stop the run")


def _read_before(reader: Reader, statements: list[ast.stmt], frame: Frame) -> dict[Array, Any]:
    """What stands before the loop over steps: what no step changes, and what the step before has
    left.

    A number that is computed here and read in the loop must hold the same in all steps: so nothing
    of the state may be in it.
    """
    opened: dict[Array, Any] = {}
    for n, statement in enumerate(statements):
        match statement:
            case ast.If(test=test, body=[first, *rest], orelse=[]):
                if (
                    n != len(statements) - 1
                    or ast.unparse(first) != "t = np.uint64(start) - np.uint64(1)"
                ):
                    raise unread(
                        statement, "what the step before has left is evaluated just before the loop"
                    )
                opened = _read_left(reader, test, rest, frame)
            case ast.Assign(targets=[ast.Name(id="row")]):
                if ast.unparse(statement.value) != "max(0, (start - warmup) // thin)":
                    raise wrong(
                        statement, "the first row to be filled is max(0, (start - warmup) // thin)"
                    )
            case ast.Assign(targets=[ast.Name(id=name)]):
                reader.one(statement, frame)
                _check_constant(reader, frame.names[name], statement)
            case _:
                raise unread(
                    statement,
                    f"this may not stand before the loop over steps: {ast.unparse(statement)}",
                )
    return opened


def _check_constant(reader: Reader, value: Any, at: ast.stmt) -> None:
    if not isinstance(value, Expr | int | Size | Pairs | Half | Fused | StreamKey):
        raise unread(at, f"this may not stand before the loop over steps: {ast.unparse(at)}")
    variances = {variance_before(U, b) for U in reader.legend.variances for b in U.blocks}
    changing = set(reader.rule.state) | reader.judge.whites | variances
    if isinstance(value, Expr) and {generic(s) for s in value.atoms(Symbol)} & changing:
        raise wrong(at, "this changes from step to step, and is computed once")


def _read_left(
    reader: Reader, test: ast.expr, statements: list[ast.stmt], frame: Frame
) -> dict[Array, Any]:
    text = ast.unparse(test)
    mark = text.removeprefix("steps > 0 and state.").removesuffix("[0] != start + 1")
    own = reader.module.arrays.keys() - {
        *reader.legend.fields.values(),
        *reader.variances,
        *reader.private,
    }
    if (
        text != f"steps > 0 and state.{mark}[0] != start + 1"
        or mark not in own
        or reader.module.arrays[mark] is not None
    ):
        raise wrong(test, "what is evaluated before the loop must be what no step before has left")
    reader.mark = mark
    reader.private.add(mark)
    reader.clock = frame.names["t"] = Clock("before")
    first = len(reader.memory.writes)
    reader.read(statements, frame)
    reader.estimates_before, reader.estimates, reader.uses = reader.estimates, {}, {}
    written = list(dict.fromkeys(array for array, _ in reader.memory.writes[first:]))
    return results_held(reader, written, reader.rule.state)


def _check_drawn_again(reader: Reader, at: ast.stmt) -> None:
    """The minibatch that was there before the loop is that of the end of a step, or has random
    numbers of its own.
    """
    for U, (purpose, _) in reader.estimates_before.items():
        last = reader.estimates.get(U)
        if last is not None and last[1] == "t" and last[0] != purpose:
            raise wrong(
                at, f"the minibatch of the step before is another one than that of its end, for {U}"
            )
        if (
            (last is None or last[1] != "t")
            and purpose in reader.keys
            and reader.uses.get(purpose) != U
        ):
            raise wrong(at, f"the minibatch of the step before shares its random numbers, for {U}")


def _check_variances(reader: Reader, at: ast.AST) -> None:
    """The running variances are those after the last estimate of the rule, and no other estimate
    has joined them.
    """
    for U, fields in reader.legend.variances.items():
        last = reader.rule.last.get(U)
        for n, (block, field) in enumerate(zip(U.blocks, fields, strict=True)):
            held = reader.memory.contents[Array("state", field, length_of(block))]
            if held != (variance_before(U, block) if last is None else last.variances[n]):
                raise wrong(at, f"state.{field} is not what the last estimate of the rule leaves")


def _scratch_holds_anything(reader: Reader, opened: Mapping[Array, Any]) -> None:
    blocks = {array_of(reader, b) for b in reader.rule.state}
    variances = {
        Array("state", f, length_of(b))
        for U, fs in reader.legend.variances.items()
        for b, f in zip(U.blocks, fs, strict=True)
    }
    for field, length in reader.module.arrays.items():
        array = Array("state", field, length)
        if array not in {*blocks, *opened, *variances}:
            reader.memory.contents[array] = reader.judge.fresh(field, length)


def _check_finite(reader: Reader, frame: Frame) -> None:
    flag = frame.names.get("finite")
    if reader.rule.domains_checked:
        return
    for asked, line in reader.memory.needed:
        if not isinstance(flag, Flag) or asked not in flag.of:
            value, condition = asked if isinstance(asked, tuple) else (asked, "")
            reason = (
                f"{condition} is not asked"
                if condition
                else "a step that is not finite would go on"
            )
            raise wrong(line, f"{value} is not looked at: {reason}")
