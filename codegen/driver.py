"""The two drivers of a module: ``step``, which a reader or a test calls, and ``run``, which owns the loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import singledispatch

from sympy import S, Symbol

from codegen.expression import text_of
from codegen.functions import arguments, commented, noises_of
from codegen.loops import GradientCall, Let, MatrixProduct, NoiseDraw, Plan, Statement, Sums, Sweep
from codegen.minibatch import PosteriorGradient
from codegen.plan import noise_uses
from recipe.abstract import Potential
from recipe.symbols import Length, Vector

STEP_FIXED = ["out", "state", "params", "step_size"]

SweepLines = Callable[[Sweep, str], list[str]]


@dataclass(frozen=True)
class Context:
    """How statements are called from a driver.

    ``fixed`` are the parameters of every loop function, ``passed`` what the driver passes for them, ``counts`` the number of
    coordinates by length, ``gradients`` the text of a gradient call, ``sweep`` the lines of a loop.
    """

    fixed: list[str]
    passed: list[str]
    counts: Mapping[Length, str]
    noises: tuple[NoiseDraw, ...]
    gradient: Callable[[GradientCall], str]
    sweep: SweepLines


def statement_lines(statement: Statement, context: Context) -> list[str]:
    """The lines of a driver for one statement."""
    drawn = [d.local.name for d in noises_of(statement, context.noises)]
    call = [*arguments(statement, context.fixed), *drawn]
    match statement:
        case Let():
            return _let_lines(statement)
        case GradientCall():
            return [context.gradient(statement)]
        case Sums():
            targets = ", ".join(t.name for t in statement.targets)
            return [f"{targets} = {statement.function}({', '.join([*context.passed, context.counts[statement.length], *call])})"]
        case MatrixProduct():
            counts = [context.counts[statement.rows], context.counts[statement.columns]]
            return [f"{statement.function}({', '.join([*context.passed, *counts, *call])})"]
        case Sweep():
            return context.sweep(statement, context.counts[statement.length])


def _let_lines(let: Let) -> list[str]:
    comment = commented(let.comment) if let.comment else []
    store = [f"{let.store} = {let.target.name}"] if let.store else []
    return [*comment, f"{let.target.name} = {text_of(let.value)}", *store]


def count_lines(plan: Plan, counts: Mapping[Length, str]) -> list[str]:
    """The number of coordinates of each length."""
    lines = []
    for length, name in counts.items():
        block = next(b for b in plan.state if isinstance(b, Vector) and b.length == length)
        lines.append(f"{name} = np.uint64(state.{plan.fields[block]}.size)")
    return lines + [f"{s.name} = float({counts[length]})" for length, s in plan.sizes.items()]


def step_text(plan: Plan, counts: Mapping[Length, str]) -> str:
    """``step(out, state, gradient, step_size, params, noise)``."""

    def gradient(call: GradientCall) -> str:
        return _gradient_call(plan, call)

    def sweep(statement: Sweep, count: str) -> list[str]:
        drawn = [f"{d.local.name}[i]" for d in noises_of(statement, plan.noises)]
        call = ", ".join(["i", *STEP_FIXED, *arguments(statement, STEP_FIXED), *drawn])
        return [f"for i in range({count}):", f"    {statement.function}({call})"]

    context = Context(STEP_FIXED, STEP_FIXED, counts, plan.noises, gradient, sweep)
    lines = ["@kernel", "def step(out, state, gradient, step_size, params, noise):"]
    lines.append('    """One step from state to out, with the given noise; writes only out, and allocates nothing."""')
    body = count_lines(plan, counts)
    body += [f"{d.local.name} = noise[{n}]{'[0]' if d.length is None else ''}" for n, d in enumerate(plan.noises)]
    for statement in plan.statements:
        body += statement_lines(statement, context)
    return "\n".join([*lines, *(f"    {line}" for line in body)])


def _gradient_call(plan: Plan, call: GradientCall) -> str:
    function = "gradient" if len(plan.potentials) == 1 else f"gradient[{plan.potentials.index(call.potential)}]"
    return f"{function}({', '.join([*call.scratch, *call.places])})"


def run_text(
    plan: Plan, counts: Mapping[Length, str], own: Mapping[Potential, PosteriorGradient], filled: Mapping[str, str]
) -> str:
    """``run(...)``: the loop over steps, in place; ``filled`` calls the scratch array of a noise that is drawn beforehand."""
    constant, changing = split_constants(plan)
    calls = [s for s in changing if isinstance(s, GradientCall)]
    purposes = {call: len(plan.noises) + n for n, call in enumerate(calls)}

    def gradient(call: GradientCall) -> str:
        if call.potential not in own:
            return _gradient_call(plan, call)
        rows = f"data, params, seed, lane_of({purposes[call]}, chain), t, batch_size"
        return f"{own[call.potential].function}({', '.join([*call.scratch, *call.places])}, {rows})"

    def sweep(statement: Sweep, count: str) -> list[str]:
        return _fused(plan, statement, count, filled)

    context = Context(STEP_FIXED, ["state", "state", "params", "step_size"], counts, plan.noises, gradient, sweep)
    before = count_lines(plan, counts)
    before += [f"{d.lane} = lane_of({n}, chain)" for n, d in enumerate(plan.noises)]
    before += [line for let in constant for line in _let_lines(let)]
    body = _draws_beforehand(plan, filled)
    for statement in changing:
        body += statement_lines(statement, context)
    return "\n".join(
        [_RUN_HEAD, *(f"    {line}" for line in before), _RUN_LOOP, *(f"        {line}" for line in body), _run_tail(plan)]
    )


_RUN_HEAD = '''\
@run_kernel
def run(state, draws, gradient, data, step_size, params, seed, chain, start, steps, warmup, thin, batch_size):
    """Steps start .. start + steps - 1, in place over state; every thin-th state after the warmup is copied into draws.

    Returns the number of the step it stands at and -1, or the step that was not finite (or not in its domain) and the guilty block.
    """'''

_RUN_LOOP = """\
    for done in range(start, start + steps):
        t = np.uint64(done)
        finite = True"""


@singledispatch
def in_place(statement: Statement) -> Statement:
    """The statement where ``out`` is ``state``; loops are functions of both, and stay."""
    return statement


@in_place.register
def _(statement: Let) -> Statement:
    symbols = {s: Symbol(_moved(s.name), real=True) for s in statement.value.free_symbols if s.name.startswith("out.")}
    store = None if statement.store is None else _moved(statement.store)
    return Let(statement.target, statement.value.xreplace(symbols), store, statement.comment)


@in_place.register
def _(statement: GradientCall) -> Statement:
    return GradientCall(
        statement.potential, tuple(_moved(p) for p in statement.places), tuple(_moved(p) for p in statement.scratch)
    )


def _moved(text: str) -> str:
    return f"state.{text.removeprefix('out.')}" if text.startswith("out.") else text


def _draws_beforehand(plan: Plan, filled: Mapping[str, str]) -> list[str]:
    lines = []
    for draw in plan.noises:
        name = draw.local.name
        if draw.length is None:
            lines.append(f"{name} = normal_pair(seed, {draw.lane}, t, np.uint64(0))[0]")
        elif name in filled:
            lines += [f"{name} = state.{filled[name]}", f"fill_normals({name}, seed, {draw.lane}, t)"]
    return lines


def _fused(plan: Plan, statement: Sweep, count: str, filled: Mapping[str, str]) -> list[str]:
    """A loop over pairs of coordinates: the two halves of a block share a counter of the generator."""
    drawn = noises_of(statement, plan.noises)
    fused = [d for d in drawn if d.local.name not in filled]

    def call(at: str, half: int) -> str:
        noises = [f"{d.local.name}[{at}]" if d.local.name in filled else d.pair[half] for d in drawn]
        passed = [at, "state", "state", "params", "step_size", *arguments(statement, STEP_FIXED), *noises]
        return f"finite &= {statement.function}({', '.join(passed)})"

    if not fused:
        return [f"for i in range({count}):", f"    {call('i', 0)}"]
    pair = [f"{d.pair[0]}, {d.pair[1]} = normal_pair(seed, {d.lane}, t, i)" for d in fused]
    last = [f"{d.pair[0]} = normal_pair(seed, {d.lane}, t, pairs)[0]" for d in fused]
    return [
        f"pairs = {count} >> np.uint64(1)", f"half = {count} - pairs", "for i in range(pairs):",
        *(f"    {line}" for line in [*pair, call("i", 0), call("half + i", 1)]),
        "if pairs < half:", *(f"    {line}" for line in [*last, call("pairs", 0)]),
    ]  # fmt: skip


_STOP = ("bad = guilty(state)", "if bad >= 0:", "    return done, bad")


def _run_tail(plan: Plan) -> str:
    scalars = [s.target.name for s in plan.statements if isinstance(s, Let) and s.store]
    lines = [f"finite &= abs({name}) <= LARGEST" for name in scalars]
    edged = any(b.domain != S.Reals for b in plan.state)  # a step may leave a domain and stay finite
    lines += [*([] if edged else ["if not finite:"]), *(f"{'' if edged else '    '}{line}" for line in _STOP)]
    lines += ["k = done + 1 - warmup", "if k > 0 and k % thin == 0:"]
    lines += [f"    keep(draws.{f}, k // thin - 1, state.{f})" for f in plan.fields.values()]
    return "\n".join([*(f"        {line}" for line in lines), "    return start + steps, -1"])


def split_constants(plan: Plan) -> tuple[list[Let], list[Statement]]:
    """The numbers that no step changes, and the rest of the statements; all in place."""
    known: set[str] = {"step_size"} | {s.name for s in plan.sizes.values()}
    constant: list[Let] = []
    changing: list[Statement] = []
    for s in (in_place(s) for s in plan.statements):
        if isinstance(s, Let) and not s.store and all(_constant(x, known) for x in s.value.free_symbols):
            known.add(s.target.name)
            constant.append(s)
        else:
            changing.append(s)
    return constant, changing


def _constant(symbol: Symbol, known: set[str]) -> bool:
    return symbol.name in known or symbol.name.startswith("params.")


def filled_noises(plan: Plan) -> list[NoiseDraw]:
    """The draws that a fused loop cannot make: those read by more than one loop, or by a sum or a product."""
    drawn = [d for d in plan.noises if d.length is not None]
    uses = {d.name: noise_uses(plan.statements, d) for d in drawn}
    return [d for d in drawn if len(uses[d.name]) != 1 or not isinstance(uses[d.name][0], Sweep)]
