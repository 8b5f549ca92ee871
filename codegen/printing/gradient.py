"""The functions that sum over rows of the data of a posterior: its gradient, and its potential."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from codegen.lowering.minibatch import VALUE, PosteriorGradient, RowSum
from codegen.lowering.names import Namer
from codegen.lowering.program import (
    Do,
    Function,
    Instruction,
    Return,
    assign,
    call,
)
from codegen.lowering.statements import ElementwiseLoop, Statement
from codegen.printing.loop_bodies import arguments, loop_functions
from codegen.printing.reductions import WIDE
from codegen.printing.row_loop import row_loop
from codegen.printing.step import Context, carried_out, plain_sweep
from recipe.language.blocks import Vector
from recipe.language.data import VectorData
from recipe.language.symbols import Length

SHARED = ("data", "params", "gradient", "rows")


def gradient_functions(
    gradient: PosteriorGradient, counts: Mapping[Length, str], namer: Namer, own: str = "gradient"
) -> list[Function]:
    """The loop functions of the gradient, and the function that calls them: ``gradient_U(g_theta,
    theta, *SHARED)``.

    ``own`` is the name of the user's own function, where that is called instead.
    """
    if gradient.derived is None:
        return [_call_of_the_user(gradient, own)]
    names = [*gradient.results, *gradient.blocks]
    meaning = (
        f"The gradient of {gradient.potential} from these rows, N/n times their sum plus the prior;"
        " from all if there are none."
    )
    start: list[Instruction] = [assign(f"{g}[:]", "0.0") for g in gradient.results]
    head = _Head(
        gradient.function, [*names, *SHARED], [*names, "data", "params"], meaning, start, []
    )
    return _row_sum_functions(gradient, gradient.derived, head, counts, namer)


def potential_functions(
    gradient: PosteriorGradient,
    function: str,
    value: RowSum,
    counts: Mapping[Length, str],
    namer: Namer,
    before: Iterable[Function],
) -> list[Function]:
    """The loop functions of the potential itself, and the function that calls them:
    ``potential_U(theta, data, params, rows)``; sums that the gradient has are computed by
    functions ``before`` it.
    """
    names = [*gradient.blocks, "data", "params"]
    meaning = (
        f"{gradient.potential} from these rows, N/n times their sum plus the prior; from all if"
        " there are none."
    )
    start, end = assign(VALUE, "0.0"), Return((VALUE,))
    head = _Head(function, [*names, "rows"], names, meaning, [start], [end])
    return _row_sum_functions(gradient, value, head, counts, namer, {f.name for f in before})


def _call_of_the_user(gradient: PosteriorGradient, own: str) -> Function:
    order = [gradient.potential.blocks.index(b) for b in gradient.posterior.blocks]
    blocks, results = ([names[k] for k in order] for names in (gradient.blocks, gradient.results))
    data = [f"data.{f}" for f in gradient.fields.values()]
    return Function(
        "kernel",
        gradient.function,
        (*gradient.results, *gradient.blocks, *SHARED),
        f"The gradient of {gradient.potential} from these rows, by the function of the user.",
        (Do(call(own, *blocks, "rows", *data, *results)),),
    )


@dataclass(frozen=True)
class _Head:
    """A function that sums over rows: its name, its arguments, those of them that loop bodies get,
    its docstring, and how it starts and ends.
    """

    function: str
    arguments: list[str]
    passed: list[str]
    meaning: str
    start: list[Instruction]
    end: list[Instruction]


def _row_sum_functions(
    gradient: PosteriorGradient,
    body: RowSum,
    head: _Head,
    counts: Mapping[Length, str],
    namer: Namer,
    there: Collection[str] = (),
) -> list[Function]:
    fixed = [*head.passed, "scale"]

    def sweep(loop: ElementwiseLoop, count: str) -> list[Instruction]:
        return plain_sweep(loop, count, *fixed, *arguments(loop, fixed))

    context = Context(fixed, fixed, counts, (), _refused, sweep, _refused)

    def lines(statements: Iterable[Statement]) -> list[Instruction]:
        return [line for s in statements for line in carried_out(s, context)]

    loop = row_loop(
        body.each_datum,
        body.joins,
        [*gradient.blocks, "data", "params"],
        counts,
        _long_fields(gradient),
        namer,
        there,
    )
    driver = (
        WIDE,
        *_size_lines(gradient, body, counts),
        *lines(body.before),
        *head.start,
        *loop.lines,
        *lines(body.after),
        *head.end,
    )
    after = [f for s in body.after for f in loop_functions(s, fixed, (), namer)]
    summed = Function("row_kernel", head.function, tuple(head.arguments), head.meaning, driver)
    return [*loop.functions, *after, summed]


def _long_fields(gradient: PosteriorGradient) -> list[str]:
    """The arrays of the data with one number a coordinate."""
    return [
        f"data.{field}"
        for s, field in gradient.fields.items()
        if isinstance(s, VectorData) and s.labels is None
    ]


def _size_lines(
    gradient: PosteriorGradient, body: RowSum, counts: Mapping[Length, str]
) -> list[Instruction]:
    """The number of coordinates of each length, of rows, and of rows that are used."""
    blocks = zip(gradient.potential.blocks, gradient.blocks, strict=True)
    vectors = {b.length: name for b, name in blocks if isinstance(b, Vector)}
    return [
        *(assign(counts[n], f"np.uint64({name}.size)") for n, name in vectors.items()),
        *(assign(s, f"float({counts[n]})") for n, s in body.sizes.items()),
        assign("count", count_text(gradient)),
        assign("used", "np.uint64(count if rows.size == 0 else rows.size)"),
        assign("scale", "float(count) / float(used)"),
    ]


def count_text(gradient: PosteriorGradient) -> str:
    """The number of rows of the data."""
    first = next(iter(gradient.fields.values()), None)
    return f"data.{first}.shape[0]" if first else "1"


def _refused(statement: Statement) -> Any:
    raise TypeError(f"{statement} inside a gradient")
