"""The text of the functions that sum over rows of the data of a posterior: its gradient, and its
potential.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from codegen.lowering.minibatch import VALUE, PosteriorGradient, RowSum
from codegen.lowering.names import Namer
from codegen.lowering.statements import ElementwiseLoop, Statement
from codegen.printing.loop_bodies import arguments, function_text
from codegen.printing.row_loop import row_loop
from codegen.printing.step import Context, statement_lines
from recipe.language.symbols import Length, Vector, VectorData

SHARED = ("data", "params", "gradient", "rows")


def gradient_texts(
    gradient: PosteriorGradient, counts: Mapping[Length, str], namer: Namer, own: str = "gradient"
) -> list[str]:
    """The loop functions of the gradient, and the function that calls them: ``gradient_U(g_theta,
    theta, *SHARED)``.

    ``own`` is the text of the user's own function, where that is called instead.
    """
    if gradient.derived is None:
        return [_call_of_the_user(gradient, own)]
    names = [*gradient.results, *gradient.blocks]
    meaning = (
        f"The gradient of {gradient.potential} from these rows, N/n times their sum plus the prior;"
        " from all if there are none."
    )
    start = [f"{g}[:] = 0.0" for g in gradient.results]
    head = _Head(
        gradient.function, [*names, *SHARED], [*names, "data", "params"], meaning, start, []
    )
    return _row_sum_texts(gradient, gradient.derived, head, counts, namer)


def potential_texts(
    gradient: PosteriorGradient,
    function: str,
    value: RowSum,
    counts: Mapping[Length, str],
    namer: Namer,
) -> list[str]:
    """The loop functions of the potential itself, and the function that calls them:
    ``potential_U(theta, data, params, rows)``.
    """
    names = [*gradient.blocks, "data", "params"]
    meaning = (
        f"{gradient.potential} from these rows, N/n times their sum plus the prior; from all if"
        " there are none."
    )
    head = _Head(
        function, [*names, "rows"], names, meaning, [f"{VALUE} = 0.0"], [f"return {VALUE}"]
    )
    return _row_sum_texts(gradient, value, head, counts, namer)


def _call_of_the_user(gradient: PosteriorGradient, own: str) -> str:
    arguments = ", ".join([*gradient.results, *gradient.blocks, *SHARED])
    order = [gradient.potential.blocks.index(b) for b in gradient.posterior.blocks]
    blocks, results = ([names[k] for k in order] for names in (gradient.blocks, gradient.results))
    passed = ", ".join(
        [*blocks, "rows", *(f"data.{f}" for f in gradient.fields.values()), *results]
    )
    return "\n".join(
        [
            "@kernel",
            f"def {gradient.function}({arguments}):",
            (
                f'    """The gradient of {gradient.potential} from these rows, by the function of'
                ' the user."""'
            ),
            f"    {own}({passed})",
        ]
    )


@dataclass(frozen=True)
class _Head:
    """A function that sums over rows: its name, its arguments, those that loop bodies get, and how
    it starts and ends.
    """

    function: str
    arguments: list[str]
    passed: list[str]
    meaning: str
    start: list[str]
    end: list[str]


def _row_sum_texts(
    gradient: PosteriorGradient,
    body: RowSum,
    head: _Head,
    counts: Mapping[Length, str],
    namer: Namer,
) -> list[str]:
    fixed = [*head.passed, "scale"]
    context = Context(
        fixed,
        fixed,
        counts,
        (),
        _refused,
        lambda sweep, count: _plain_loop(sweep, count, fixed),
        _refused,
    )

    def lines(statements: Iterable[Statement]) -> list[str]:
        return [line for s in statements for line in statement_lines(s, context)]

    loop = row_loop(
        body.each_datum,
        body.joins,
        [*gradient.blocks, "data", "params"],
        counts,
        _long_fields(gradient),
        namer,
    )
    driver = [
        *_size_lines(gradient, body, counts),
        *lines(body.before),
        *head.start,
        *loop.lines,
        *lines(body.after),
        *head.end,
    ]
    text = "\n".join(
        [
            "@row_kernel",
            f"def {head.function}({', '.join(head.arguments)}):",
            f'    """{head.meaning}"""',
            "    wide()",
            *(f"    {line}" for line in driver),
        ]
    )
    after = [function_text(s, fixed, (), namer) for s in body.after]
    return [*loop.functions, *(t for t in after if t), text]


def _long_fields(gradient: PosteriorGradient) -> list[str]:
    """The arrays of the data with one number a coordinate."""
    return [f"data.{field}" for s, field in gradient.fields.items() if isinstance(s, VectorData)]


def _size_lines(
    gradient: PosteriorGradient, body: RowSum, counts: Mapping[Length, str]
) -> list[str]:
    """The number of coordinates of each length, of rows, and of rows that are used."""
    blocks = zip(gradient.potential.blocks, gradient.blocks, strict=True)
    vectors = {b.length: name for b, name in blocks if isinstance(b, Vector)}
    return [
        *(f"{counts[n]} = np.uint64({name}.size)" for n, name in vectors.items()),
        *(f"{s.name} = float({counts[n]})" for n, s in body.sizes.items()),
        f"count = {count_text(gradient)}",
        "used = np.uint64(count if rows.size == 0 else rows.size)",
        "scale = float(count) / float(used)",
    ]


def count_text(gradient: PosteriorGradient) -> str:
    """The number of rows of the data."""
    first = next(iter(gradient.fields.values()), None)
    return f"data.{first}.shape[0]" if first else "1"


def _plain_loop(sweep: ElementwiseLoop, count: str, fixed: list[str]) -> list[str]:
    return [
        f"for i in range({count}):",
        f"    {sweep.function}({', '.join(['i', *fixed, *arguments(sweep, fixed)])})",
    ]


def _refused(statement: Statement) -> Any:
    raise TypeError(f"{statement} inside a gradient")
