"""The text of ``run``, which owns the loop over steps, and of ``run_schedule``, where the step size changes from step to step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import singledispatch

from sympy import S, Symbol

from codegen.driver import STEP_FIXED, Context, count_lines, gradient_call, let_lines, statement_lines
from codegen.estimator import Estimator
from codegen.functions import arguments, noises_of
from codegen.gradient_source import count_text
from codegen.loops import GradientCall, Let, NoiseDraw, Plan, Statement, Sweep
from codegen.plan import noise_uses
from recipe.abstract import Potential
from recipe.symbols import Length


def run_text(plan: Plan, counts: Mapping[Length, str], own: Mapping[Potential, Estimator], filled: Mapping[str, str]) -> str:
    """``run(...)``: the loop over steps, in place; ``filled`` calls the scratch array of a noise that is drawn beforehand."""
    constant, changing = split_constants(plan)

    def gradient(call: GradientCall) -> str:
        if call.potential not in own:
            return gradient_call(plan, call)
        return own[call.potential].call(call.scratch, call.places)

    def sweep(statement: Sweep, count: str) -> list[str]:
        return _fused(plan, statement, count, filled)

    context = Context(STEP_FIXED, ["state", "state", "params", "step_size"], counts, plan.noises, gradient, sweep)
    repeated = list(_repeated(plan, changing, own, context))
    before = count_lines(plan, counts)
    before += [f"{d.lane} = lane_of({n}, chain)" for n, d in enumerate(plan.noises)]
    before += [line for let in constant for line in let_lines(let)]
    before += _first_evaluation(plan, {s.potential: lines for s, lines in repeated if isinstance(s, GradientCall)})
    body = _draws_beforehand(plan, filled) + [line for _, lines in repeated for line in lines]
    return "\n".join(
        [_RUN_HEAD, *(f"    {line}" for line in before), _RUN_LOOP, *(f"        {line}" for line in body), _run_tail(plan)]
    )


def _repeated(
    plan: Plan, changing: Iterable[Statement], own: Mapping[Potential, Estimator], context: Context
) -> Iterator[tuple[Statement, list[str]]]:
    """What every step does, with its lines: all but the first evaluation of a gradient that the step before has left.

    Every evaluation has random numbers of its own for its minibatch.
    """
    left = set(plan.carried.potentials) if plan.carried else set()
    purpose = len(plan.noises)
    for s in changing:
        if not isinstance(s, GradientCall):
            yield s, statement_lines(s, context)
        elif s.potential in left:
            left.remove(s.potential)
        else:
            yield s, [*_rows_drawn(own.get(s.potential), purpose), *statement_lines(s, context)]
            purpose += 1


def _rows_drawn(estimator: Estimator | None, purpose: int) -> list[str]:
    if estimator is None or not estimator.gradient.fields:
        return []
    count = count_text(estimator.gradient)
    return [f"draw_rows(state.rows, state.table, {count}, seed, lane_of({purpose}, chain), t)"]


def _first_evaluation(plan: Plan, last: Mapping[Potential, list[str]]) -> list[str]:
    """Evaluate the gradients that the step before has left, where it has not: at the start of a chain, or in a copied state.

    The minibatch is that of the step before, so that the estimate is the one that a run without a break goes on with.
    """
    if plan.carried is None:
        return []
    lines = ["t = np.uint64(start) - np.uint64(1)", *(line for U in plan.carried.potentials for line in last[U])]
    return [f"if steps > 0 and state.{plan.carried.mark}[0] != start + 1:", *(f"    {line}" for line in lines)]


_RUN_HEAD = '''\
@run_kernel
def run(state, draws, gradient, data, step_size, params, seed, chain, start, steps, warmup, thin):
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


RUN_SCHEDULE = '''\
@run_kernel
def run_schedule(state, draws, gradient, data, step_sizes, params, seed, chain, start, warmup, thin):
    """The same with one step size a step."""
    done = 0
    while done < step_sizes.size:
        stop = done + 1
        while stop < step_sizes.size and step_sizes[stop] == step_sizes[done]:
            stop += 1
        size = step_sizes[done]
        last, bad = run(state, draws, gradient, data, size, params, seed, chain, start + done, stop - done, warmup, thin)
        if bad >= 0:
            return last, bad
        done = stop
    return start + done, -1
'''


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
    lines = [f"state.{plan.carried.mark}[0] = done + 2"] if plan.carried else []
    lines += [f"finite &= abs({name}) <= LARGEST" for name in scalars]
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
