"""The drivers of a module, compared with the rule: ``step``, and the loop over steps in ``run``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from sympy import Expr, Symbol

from recipe.declare.update import Update
from recipe.kernel import Kernel
from recipe.language.abstract import Potential
from recipe.language.blocks import Block
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import generic
from verify.translation.loops.batch_sums import read_few_or_many
from verify.translation.loops.calls import CALLS, evaluated
from verify.translation.loops.chunks import blocks, through_chunk
from verify.translation.loops.draws_ahead import read_draws_ahead
from verify.translation.loops.eights import EIGHTS, loop_by_eights
from verify.translation.loops.metropolis_test import read_test
from verify.translation.loops.one_by_one import one_by_one
from verify.translation.loops.pairs import read_pairs
from verify.translation.loops.repetition import read_repetition
from verify.translation.parse.interface import Legend
from verify.translation.parse.module import ParsedModule, plain_body
from verify.translation.parse.problems import unread, wrong
from verify.translation.reading.reader import Call, Reader
from verify.translation.reading.state_invariants import (
    array_of,
    holds_result,
    require_state,
    results_held,
)
from verify.translation.reference.equality import EqualityProver
from verify.translation.reference.matcher import Judge, length_of
from verify.translation.reference.program import Operation, operations
from verify.translation.reference.rule import RuleExecution, variance_before
from verify.translation.state.noise_arguments import NoiseArguments
from verify.translation.state.store import Frame
from verify.translation.state.values import (
    Array,
    Clock,
    Flag,
    Half,
    Pairs,
    PairsInVectors,
    Record,
    Size,
    StreamKey,
    Token,
)

Source = Update | Kernel  # what a module is made from

STEP_ARGUMENTS = "out, state, gradient, step_size, params, noise"
RUN_ARGUMENTS = (
    "state, draws, gradient, data, step_size, params, seed, chain, start, steps, warmup, thin"
)
STEP_SIZE = Symbol("step_size", positive=True)


def reader_for(
    module: ParsedModule,
    legend: Legend,
    beside: tuple[Operation, ...],
    calls: Mapping[str, Call],
    *,
    estimated: bool,
) -> Reader:
    """Return a reader that compares a text with the rule, at the first state of the rule."""
    lengths = {length_of(b) for b in legend.fields} | set(module.arrays.values())
    judge = Judge(
        EqualityProver((n for n in lengths if n is not None), numerically=module.numerically)
    )
    forms = (
        read_pairs,
        read_draws_ahead,
        read_repetition,
        read_test,
        read_few_or_many,
        through_chunk,
        loop_by_eights,
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
    module: ParsedModule, legend: Legend, source: Update, laws: Mapping[str, tuple[str, str]]
) -> None:
    """Require that ``step`` computes the rule; ``laws`` are the laws of the draws in ``run``.

    Raises:
        TranslationError: if that is not proved.
    """
    reader, noise = read_step(module, legend, source, operations(source), laws)
    end = module.functions["step"].body[-1].lineno
    for block, value in reader.rule.state.items():
        if value == block and array_of(reader, block, "out") not in reader.memory.contents:
            raise wrong(end, f"step does not write {block} into out")
    require_state(reader, end, "after the step", "out")
    if noise.used != set(range(len(noise.used))):
        raise wrong(end, "not all arrays of the noise are used")
    reader.judge.defined.require()


def read_step(
    module: ParsedModule,
    legend: Legend,
    source: Update,
    beside: tuple[Operation, ...],
    laws: Mapping[str, tuple[str, str]],
) -> tuple[Reader, NoiseArguments]:
    """Read ``step`` and compare it with the operations of a rule.

    Without operations nothing is compared, and at the end the arrays hold the values of the text.
    """
    function = _function(module, "step", STEP_ARGUMENTS)
    reader = reader_for(module, legend, beside, _given_gradients(legend), estimated=False)
    reader.around.writes_only_out, reader.random.law_fields = True, dict(laws)
    noise = NoiseArguments(_normals(source))
    frame = Frame(
        {
            "out": Record("out"),
            "state": Record("state"),
            "params": Record("params"),
            "step_size": step_symbol(source),
        }
        | {"noise": noise, "gradient": Token("gradient")}
    )
    reader.rule.open()
    reader.read(function.body, frame)
    return reader, noise


def _normals(source: Update) -> int:
    """Return the number of normal noises of the rule."""
    drawn = {generic(x.noise) for _, e in source.rule for x in e.atoms(NoncentralChiSquared)}
    noises = {generic(s) for _, e in source.rule for s in e.atoms(Noise, ScalarNoise)}
    return len(noises - drawn)


def step_symbol(source: Source) -> Symbol:
    """Return the symbol of the step size."""
    return source.step if source.step is not None else STEP_SIZE


def _given_gradients(legend: Legend) -> dict[str, Call]:
    """Return the readers of calls of gradients that are arguments of a driver."""

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
    source: Source,
    calls: Mapping[str, Call],
    end: Callable[..., None],
) -> Reader:
    """Require that the loop over steps executes the rule; ``end`` checks the rest of the loop.

    Raises:
        TranslationError: if that is not proved.
    """
    function = _function(module, "run", RUN_ARGUMENTS)
    reader = reader_for(
        module, legend, operations(source), {**_given_gradients(legend), **calls}, estimated=True
    )
    names = {n: Token(n) for n in ("gradient", "seed", "chain", "start", "steps", "warmup", "thin")}
    frame = Frame(
        {
            **names,
            **{n: Record(n) for n in ("state", "draws", "data", "params")},
            "step_size": step_symbol(source),
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
    require_state(reader, moves[-1].lineno if moves else loop.lineno, "after the step")
    _check_finite(reader, frame)
    for array, held in opened.items():
        if not holds_result(reader, array, held, reader.rule.state):
            raise wrong(
                reader.memory.written.get(array, loop.lineno),
                f"{array.field} does not hold the value that the next step needs",
            )
    _check_drawn_again(reader, loop)
    _check_variances(reader, loop)
    end(reader, frame, tail, frozenset(opened))
    reader.judge.defined.require()
    return reader


def _check_row(function: ast.FunctionDef, before: list[ast.stmt]) -> None:
    """Require that the next row of draws is set once before the loop, and counted once in it.

    ``check_end`` requires that it is counted where a state is kept.
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


# Names that texts are compared by, with the only statements that may assign to them.
FIXED_NAMES = {
    "done": ("for done in range(start, start + steps):",),
    "t": ("t = np.uint64(done)", "t = np.uint64(start) - np.uint64(1)"),
    "invalid": ("invalid = invalid_block(state)",),
    "accepted": ("accepted = tests = 0.0", "accepted += 1.0"),
    "tests": ("accepted = tests = 0.0", "tests += 1.0"),
}


def _check_fixed_names(function: ast.FunctionDef) -> None:
    """Require that the arguments and the names in ``FIXED_NAMES`` get no other value.

    Some statements are compared as texts, and these texts name them.
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
            if (
                name in arguments
                or (name in FIXED_NAMES and text not in FIXED_NAMES[name])
                or begun > 1
            ):
                raise unread(s, f"{name} is given another value")


def _loop_over_steps(function: ast.FunctionDef) -> tuple[list[ast.stmt], ast.For]:
    """Return the statements before the loop over steps, and the loop."""
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
    """Return the statements of a step that move the state, and those after them.

    Scratch arrays may hold anything at the beginning of a step.
    """
    body = loop.body
    if [ast.unparse(s) for s in body[:2]] != ["t = np.uint64(done)", "finite = True"]:
        raise unread(body[0], "a step must begin with t = np.uint64(done) and finite = True")
    assigned = {
        n.id for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    frame.names = {n: v for n, v in frame.names.items() if n not in assigned}
    frame.names |= {"t": Clock("t"), "finite": Flag(), "done": Token("done")}
    reader.clock, reader.around.counter_range = (
        Clock("t"),
        "np.uint64(start), np.uint64(start + steps)",
    )
    _scratch_holds_anything(reader, opened)
    rest = body[2:]
    if any(f not in reader.legend.fields.values() for f in reader.module.draws):
        if ast.unparse(rest[0]) != "accepted = tests = 0.0":
            raise wrong(rest[0], "a step must begin by counting no test: accepted = tests = 0.0")
        rest = rest[1:]
    return _split(rest, loop)


def _split(body: list[ast.stmt], loop: ast.stmt) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """Split a step into the statements that move the state, and those that check, stop and
    record.
    """
    for n, s in enumerate(body):
        if ast.unparse(s).splitlines()[0] in ("invalid = invalid_block(state)", "if not finite:"):
            begin = n - (n > 0 and ast.unparse(body[n - 1]).endswith("[0] = done + 2"))
            return body[:begin], body[begin:]
    raise wrong(loop, "a step that is not finite does not stop the run")


def _read_before(reader: Reader, statements: list[ast.stmt], frame: Frame) -> dict[Array, Any]:
    """Read the statements before the loop over steps, and return the results that they evaluate.

    A number that is computed here and read in the loop must be the same in all steps: so it may not
    depend on the state.
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
                        statement,
                        "an if must be the last statement before the loop, and begin with"
                        " t = np.uint64(start) - np.uint64(1)",
                    )
                opened = _read_left(reader, test, rest, frame)
            case ast.Assign(targets=[ast.Name(id="row")]):
                if ast.unparse(statement.value) != "max(0, (start - warmup) // thin)":
                    raise wrong(
                        statement, "the first row to be filled is max(0, (start - warmup) // thin)"
                    )
            case ast.Assign(targets=[ast.Name(id=name)]):
                reader.execute_statement(statement, frame)
                _check_constant(reader, frame.names[name], statement)
            case _:
                raise unread(
                    statement,
                    f"this may not stand before the loop over steps: {ast.unparse(statement)}",
                )
    return opened


def _check_constant(reader: Reader, value: Any, at: ast.stmt) -> None:
    """Require that a value before the loop is the same in all steps."""
    if not isinstance(value, Expr | int | Size | Pairs | Half | PairsInVectors | StreamKey):
        raise unread(at, f"this may not stand before the loop over steps: {ast.unparse(at)}")
    variances = {variance_before(U, b) for U in reader.legend.variances for b in U.blocks}
    changing = set(reader.rule.state) | reader.judge.whites | variances
    if isinstance(value, Expr) and {generic(s) for s in value.atoms(Symbol)} & changing:
        raise wrong(at, "this changes from step to step, but is computed once")


def _read_left(
    reader: Reader, test: ast.expr, statements: list[ast.stmt], frame: Frame
) -> dict[Array, Any]:
    """Read the evaluations at the first state, which the step before would have left in arrays."""
    text = ast.unparse(test)
    mark = text.removeprefix("steps > 0 and state.").removesuffix("[0] != start + 1")
    own = reader.module.arrays.keys() - {
        *reader.legend.fields.values(),
        *reader.fields.variances,
        *reader.fields.estimator_arrays,
    }
    if (
        text != f"steps > 0 and state.{mark}[0] != start + 1"
        or mark not in own
        or reader.module.arrays[mark] is not None
    ):
        raise wrong(test, "evaluations before the loop must be made if no earlier step made them")
    reader.fields.valid_step_field = mark
    reader.fields.estimator_arrays.add(mark)
    reader.clock = frame.names["t"] = Clock("before")
    first = len(reader.memory.writes)
    reader.read(statements, frame)
    reader.random.estimates_before, reader.random.estimates, reader.random.potential_of_purpose = (
        reader.random.estimates,
        {},
        {},
    )
    written = list(dict.fromkeys(array for array, _ in reader.memory.writes[first:]))
    return results_held(reader, written, reader.rule.state)


def _check_drawn_again(reader: Reader, at: ast.stmt) -> None:
    """Require that the minibatch before the loop is that of the end of a step, or has its own
    random numbers.
    """
    for U, (purpose, _) in reader.random.estimates_before.items():
        last = reader.random.estimates.get(U)
        if last is not None and last[1] == "t" and last[0] != purpose:
            raise wrong(
                at, f"the minibatch of {U} before the loop is not the one at the end of a step"
            )
        if (
            (last is None or last[1] != "t")
            and purpose in reader.random.keys
            and reader.random.potential_of_purpose.get(purpose) != U
        ):
            raise wrong(at, f"the minibatch of {U} before the loop shares its random numbers")


def _check_variances(reader: Reader, at: ast.AST) -> None:
    """Require that the running variances are those after the last estimate of the rule."""
    for U, fields in reader.legend.variances.items():
        last = reader.rule.last.get(U)
        for n, (block, field) in enumerate(zip(U.blocks, fields, strict=True)):
            held = reader.memory.contents[Array("state", field, length_of(block))]
            if held != (variance_before(U, block) if last is None else last.variances[n]):
                raise wrong(at, f"state.{field} is not the variance after the rule's last estimate")


def _scratch_holds_anything(reader: Reader, opened: Mapping[Array, Any]) -> None:
    """Give every scratch array an arbitrary content."""
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
    """Require that every number that is stored into a block is checked."""
    flag = frame.names.get("finite")
    if reader.rule.domains_checked:
        return
    for asked, line in reader.memory.required_checks:
        if not isinstance(flag, Flag) or asked not in flag.of:
            value, condition = asked if isinstance(asked, tuple) else (asked, "")
            reason = (
                f"{condition} is not tested"
                if condition
                else "a step that is not finite would not stop"
            )
            raise wrong(line, f"{value} is not checked: {reason}")
