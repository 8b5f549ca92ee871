"""Loop bodies as functions of a generated module: one for each statement that has a loop."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable
from functools import singledispatch

from sympy import S, Symbol

from codegen.lowering.lower import varying
from codegen.lowering.names import Namer
from codegen.lowering.statements import (
    ElementwiseLoop,
    MatrixProduct,
    NoiseDraw,
    Statement,
    Sums,
    bodies,
    conditions,
)
from codegen.printing.expression import text_of
from codegen.printing.reductions import joining, sum_text


def commented(text: str, indent: str = "") -> list[str]:
    """The text as comment lines, whatever it contains."""
    words = " ".join(text.split())
    return (
        textwrap.wrap(words, 130, initial_indent=f"{indent}# ", subsequent_indent=f"{indent}#     ")
        or []
    )


def arguments(statement: Statement, fixed: Iterable[str]) -> list[str]:
    """The numbers that a loop body needs from outside, by name: plain names that are neither fixed
    arguments nor its own.
    """
    own = {s.name for s, _ in statement.locals} if isinstance(statement, ElementwiseLoop) else set()
    used = {s.name for e in bodies(statement) for s in e.free_symbols}
    return sorted(
        name for name in used if name.isidentifier() and name not in own and name not in set(fixed)
    )


def noises_of(statement: Statement, noises: Iterable[NoiseDraw]) -> list[NoiseDraw]:
    """The draws that a loop body reads, in the order of the scheme."""
    used = {s.name for e in bodies(statement) for s in e.free_symbols}
    return [draw for draw in noises if f"{draw.local.name}[i]" in used]


Right = Callable[[str, str], list[str]]


def finite(cell: str, x: str) -> list[str]:
    """The condition on a number that is stored into a cell of no block."""
    return conditions(S.Reals, x)


@singledispatch
def function_text(
    statement: Statement,
    fixed: list[str],
    noises: tuple[NoiseDraw, ...],
    namer: Namer,
    right: Right = finite,
) -> str:
    """The function that holds the loop body of a statement; empty where there is none.

    ``right`` gives the conditions on a number that is stored into a cell.
    """
    return ""


@function_text.register
def _(
    statement: ElementwiseLoop,
    fixed: list[str],
    noises: tuple[NoiseDraw, ...],
    namer: Namer,
    right: Right = finite,
) -> str:
    drawn = noises_of(statement, noises)
    single = {Symbol(f"{d.local.name}[i]", real=True): d.local for d in drawn}
    names = ["i", *fixed, *arguments(statement, fixed), *(d.local.name for d in drawn)]
    lines = ["@device", f"def {statement.function}({', '.join(names)}):"]
    for comment in statement.comments:
        lines += commented(comment, "    ")
    lines += [f"    {local.name} = {text_of(e.xreplace(single))}" for local, e in statement.locals]
    lines += [f"    {cell} = {local.name}" for cell, local in statement.stores]
    judged = " & ".join(
        f"({condition})"
        for cell, local in statement.stores
        for condition in right(cell, local.name)
    )
    return "\n".join([*lines, f"    return {judged}"])


@function_text.register
def _(
    statement: Sums,
    fixed: list[str],
    noises: tuple[NoiseDraw, ...],
    namer: Namer,
    right: Right = finite,
) -> str:
    passed = [
        *fixed,
        *arguments(statement, fixed),
        *(d.local.name for d in noises_of(statement, noises)),
    ]
    targets = [t.name for t in statement.targets]
    join = joining(
        namer.fresh(f"add_{statement.function}"), targets, statement.values, passed, [], namer
    )
    names = [*fixed, "n", *passed[len(fixed) :]]
    whole = sum_text(statement.function, names, join, sum_comments(statement), namer)
    return f"{join.text}\n\n\n{whole}"


def sum_comments(statement: Sums) -> list[str]:
    """What is summed, in words."""
    both = zip(statement.targets, statement.values, strict=True)
    return [line for t, e in both for line in commented(f"{t.name} = sum over i of {text_of(e)}")]


@function_text.register
def _(
    statement: MatrixProduct,
    fixed: list[str],
    noises: tuple[NoiseDraw, ...],
    namer: Namer,
    right: Right = finite,
) -> str:
    numbers = [*arguments(statement, fixed), *(d.local.name for d in noises_of(statement, noises))]
    value = text_of(statement.value)
    letters = "M[i, j]" if statement.transposed else "M[j, i]"
    comment = commented(
        f"{statement.target}[j] = sum over i of {letters} * {value}, with M = {statement.matrix}"
    )
    head = ["@reduction", f"def {statement.function}({', '.join([*fixed, 'n', 'k', *numbers])}):"]
    if statement.transposed:  # rows join all sums one after another
        lines = [
            "wide()",
            *comment,
            "for j in range(n):",
            f"    {statement.target}[j] = 0.0",
            "for i in range(k):",
            f"    c = {value}",
            "    for j in range(n):",
            (
                f"        {statement.target}[j] = fma({statement.matrix}[i, j], c,"
                f" {statement.target}[j])"
            ),
        ]
        return "\n".join([*head, *(f"    {line}" for line in lines)])
    row, passed = namer.fresh(f"{statement.function}_row"), [*fixed, "j", *numbers]
    join = joining(
        namer.fresh(f"add_{row}"),
        ["c"],
        [varying(f"{statement.matrix}[j][i]") * statement.value],
        passed,
        [],
        namer,
    )
    of_row = sum_text(row, [*fixed, "n", "j", *numbers], join, [], namer)
    lines = [
        *comment,
        "for j in range(n):",
        f"    {statement.target}[j] = {row}({', '.join([*fixed, 'k', 'j', *numbers])})",
    ]
    return "\n\n\n".join(
        [join.text, of_row, "\n".join([*head, *(f"    {line}" for line in lines)])]
    )
