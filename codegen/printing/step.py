"""How a function of a module calls the loops of a plan, and the first such function: ``step``,
which a reader or a test calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from codegen.lowering.program import (
    Assign,
    Call,
    Comment,
    Do,
    For,
    Function,
    Instruction,
    Value,
    assign,
    call,
)
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
from codegen.printing.loop_bodies import arguments, noises_of
from recipe.language.abstract import Potential
from recipe.language.blocks import Vector
from recipe.language.symbols import Length

STEP_FIXED = ["out", "state", "params", "step_size"]


@dataclass(frozen=True)
class Context:
    """How a driver carries out the statements of a plan.

    ``fixed`` are the parameters of every loop function, ``passed`` are the arguments that the
    driver gives for them, ``counts`` names the number of coordinates by length. The last three say
    how the driver calls a gradient, sweeps over coordinates, and draws numbers that are not normal.
    """

    fixed: list[str]
    passed: list[str]
    counts: Mapping[Length, str]
    noises: tuple[NoiseDraw, ...]
    gradient: Callable[[GradientCall], Call]
    sweep: Callable[[ElementwiseLoop, str], list[Instruction]]
    drawn: Callable[[ChiSquared], list[Instruction]]


def carried_out(statement: Statement, context: Context) -> list[Instruction]:
    """One statement of a plan in a driver."""
    drawn = [d.local.name for d in noises_of(statement, context.noises)]
    numbers = [*arguments(statement, context.fixed), *drawn]
    match statement:
        case Let():
            return let_lines(statement)
        case GradientCall():
            images = [line for s in statement.images for line in carried_out(s, context)]
            return [*images, Do(context.gradient(statement))]
        case Sums():
            count = context.counts[statement.length]
            total = call(statement.function, *context.passed, count, *numbers)
            return [Assign(statement.targets, total)]
        case MatrixProduct():
            counts = [context.counts[statement.rows], context.counts[statement.columns]]
            return [Do(call(statement.function, *context.passed, *counts, *numbers))]
        case ChiSquared():
            return context.drawn(statement)
        case ElementwiseLoop():
            return context.sweep(statement, context.counts[statement.length])
        case _:  # a statement that only run carries out
            raise TypeError(f"only run carries out {statement}")


def let_lines(let: Let) -> list[Instruction]:
    """The assignment of a number."""
    comment = [Comment(let.comment)] if let.comment else []
    store = [assign(let.store, let.target)] if let.store else []
    return [*comment, assign(let.target, let.value), *store]


def count_lines(plan: Plan, counts: Mapping[Length, str], size: str = "size") -> list[Instruction]:
    """The number of coordinates of each length; ``size`` is the attribute of an array that tells
    it.
    """
    lines = []
    for length, name in counts.items():
        block = next(b for b in plan.state if isinstance(b, Vector) and b.length == length)
        lines.append(assign(name, f"np.uint64(state.{plan.fields[block]}.{size})"))
    return [*lines, *(assign(s, f"float({counts[length]})") for length, s in plan.sizes.items())]


def plain_sweep(sweep: ElementwiseLoop, count: str, *passed: Value) -> list[Instruction]:
    """A loop that calls the loop function of a statement at every coordinate."""
    return [For("i", (count,), (Do(call(sweep.function, "i", *passed)),))]


def step_function(plan: Plan, counts: Mapping[Length, str]) -> Function:
    """``step(out, state, gradient, step_size, params, noise)``; a draw that is not normal is given
    by its value.
    """

    def gradient(evaluated: GradientCall) -> Call:
        return gradient_call(plan, evaluated)

    def sweep(statement: ElementwiseLoop, count: str) -> list[Instruction]:
        drawn = [d.cell for d in noises_of(statement, plan.noises)]
        return plain_sweep(statement, count, *STEP_FIXED, *arguments(statement, STEP_FIXED), *drawn)

    def drawn(statement: ChiSquared) -> list[Instruction]:
        count = "1" if statement.length is None else counts[statement.length]
        return [For("i", (count,), (assign(statement.target["i"], statement.local["i"]),))]

    context = Context(STEP_FIXED, STEP_FIXED, counts, plan.noises, gradient, sweep, drawn)
    given = [
        *((str(d.local), "[0]" if d.length is None else "") for d in plan.noises),
        *((str(d.local), "") for d in chi_squared_draws(plan)),
    ]
    body = [
        *count_lines(plan, counts),
        *(assign(name, f"noise[{n}]{item}") for n, (name, item) in enumerate(given)),
        *(line for s in plan.statements for line in carried_out(s, context)),
    ]
    return Function(
        "kernel",
        "step",
        ("out", "state", "gradient", "step_size", "params", "noise"),
        "One step from state to out, with the given noise; writes only out, and allocates nothing.",
        tuple(body),
    )


def gradient_call(plan: Plan, evaluated: GradientCall) -> Call:
    """The call of a gradient that is passed as an argument."""
    function = gradient_argument(plan, evaluated.potential)
    return call(function, *evaluated.scratch, *evaluated.places)


def gradient_argument(plan: Plan, U: Potential) -> str:
    """The name of the function for a potential where it is an argument: one of a tuple, if there
    are several potentials.
    """
    return "gradient" if len(plan.potentials) == 1 else f"gradient[{plan.potentials.index(U)}]"
