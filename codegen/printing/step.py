"""How a function of a module calls the loops of a plan, and the first such function: ``step``,
which a reader or a test calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from codegen.lowering.statements import (
    ChiSquared,
    ElementwiseLoop,
    GradientCall,
    Let,
    MatrixProduct,
    NoiseDraw,
    Plan,
    Statement,
    Sums,
    chi_squared_draws,
)
from codegen.printing.expression import text_of
from codegen.printing.loop_bodies import arguments, commented, noises_of
from recipe.language.abstract import Potential
from recipe.language.symbols import Length, Vector

STEP_FIXED = ["out", "state", "params", "step_size"]

SweepLines = Callable[[ElementwiseLoop, str], list[str]]


@dataclass(frozen=True)
class Context:
    """How statements are called from a driver.

    ``fixed`` are the parameters of every loop function, ``passed`` what the driver passes for them,
    ``counts`` the number of coordinates by length, ``gradients`` the text of a gradient call,
    ``sweep`` the lines of a loop, ``drawn`` those of draws that are not normal.
    """

    fixed: list[str]
    passed: list[str]
    counts: Mapping[Length, str]
    noises: tuple[NoiseDraw, ...]
    gradient: Callable[[GradientCall], str]
    sweep: SweepLines
    drawn: Callable[[ChiSquared], list[str]]


def statement_lines(statement: Statement, context: Context) -> list[str]:
    """The lines of a driver for one statement."""
    drawn = [d.local.name for d in noises_of(statement, context.noises)]
    call = [*arguments(statement, context.fixed), *drawn]
    match statement:
        case Let():
            return let_lines(statement)
        case GradientCall():
            images = [line for s in statement.images for line in statement_lines(s, context)]
            return [*images, context.gradient(statement)]
        case Sums():
            targets = ", ".join(t.name for t in statement.targets)
            passing = [*context.passed, context.counts[statement.length], *call]
            return [f"{targets} = {statement.function}({', '.join(passing)})"]
        case MatrixProduct():
            counts = [context.counts[statement.rows], context.counts[statement.columns]]
            return [f"{statement.function}({', '.join([*context.passed, *counts, *call])})"]
        case ChiSquared():
            return context.drawn(statement)
        case ElementwiseLoop():
            return context.sweep(statement, context.counts[statement.length])
        case _:  # what only run carries out
            raise TypeError(statement)


def let_lines(let: Let) -> list[str]:
    """The assignment of a number."""
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
    """``step(out, state, gradient, step_size, params, noise)``; a draw that is not normal is given
    by its value.
    """

    def gradient(call: GradientCall) -> str:
        return gradient_call(plan, call)

    def sweep(statement: ElementwiseLoop, count: str) -> list[str]:
        drawn = [f"{d.local.name}[i]" for d in noises_of(statement, plan.noises)]
        call = ", ".join(["i", *STEP_FIXED, *arguments(statement, STEP_FIXED), *drawn])
        return [f"for i in range({count}):", f"    {statement.function}({call})"]

    def drawn(statement: ChiSquared) -> list[str]:
        count = "1" if statement.length is None else counts[statement.length]
        return [f"for i in range({count}):", f"    {statement.target}[i] = {statement.local}[i]"]

    context = Context(STEP_FIXED, STEP_FIXED, counts, plan.noises, gradient, sweep, drawn)
    lines = ["@kernel", "def step(out, state, gradient, step_size, params, noise):"]
    lines.append(
        '    """One step from state to out, with the given noise; writes only out, and allocates'
        ' nothing."""'
    )
    body = count_lines(plan, counts)
    body += [
        f"{d.local.name} = noise[{n}]{'[0]' if d.length is None else ''}"
        for n, d in enumerate(plan.noises)
    ]
    body += [
        f"{d.local} = noise[{n}]"
        for n, d in enumerate(chi_squared_draws(plan), start=len(plan.noises))
    ]
    for statement in plan.statements:
        body += statement_lines(statement, context)
    return "\n".join([*lines, *(f"    {line}" for line in body)])


def gradient_call(plan: Plan, call: GradientCall) -> str:
    """The call of a gradient that is passed as an argument."""
    return f"{gradient_argument(plan, call.potential)}({', '.join([*call.scratch, *call.places])})"


def gradient_argument(plan: Plan, U: Potential) -> str:
    """What the function for a potential is called where it is an argument: one of a tuple, if there
    are several potentials.
    """
    return "gradient" if len(plan.potentials) == 1 else f"gradient[{plan.potentials.index(U)}]"
