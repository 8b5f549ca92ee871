"""Loop bodies as functions of a generated module: one for each statement that has a loop."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from functools import singledispatch

from sympy import Expr, Symbol

from codegen.expression import text_of
from codegen.loops import MatrixProduct, NoiseDraw, Statement, Sums, Sweep, bodies
from codegen.lower import with_common_parts
from codegen.names import Namer


def commented(text: str, indent: str = "") -> list[str]:
    """The text as comment lines, whatever it contains."""
    words = " ".join(text.split())
    return textwrap.wrap(words, 130, initial_indent=f"{indent}# ", subsequent_indent=f"{indent}#     ") or []


def arguments(statement: Statement, fixed: Iterable[str]) -> list[str]:
    """The numbers that a loop body needs from outside, by name: plain names that are neither fixed arguments nor its own."""
    own = {s.name for s, _ in statement.locals} if isinstance(statement, Sweep) else set()
    used = {s.name for e in bodies(statement) for s in e.free_symbols}
    return sorted(name for name in used if name.isidentifier() and name not in own and name not in set(fixed))


def noises_of(statement: Statement, noises: Iterable[NoiseDraw]) -> list[NoiseDraw]:
    """The draws that a loop body reads, in the order of the scheme."""
    used = {s.name for e in bodies(statement) for s in e.free_symbols}
    return [draw for draw in noises if f"{draw.local.name}[i]" in used]


@singledispatch
def function_text(statement: Statement, fixed: list[str], noises: tuple[NoiseDraw, ...], namer: Namer) -> str:
    """The function that holds the loop body of a statement; empty where there is none."""
    return ""


@function_text.register
def _(statement: Sweep, fixed: list[str], noises: tuple[NoiseDraw, ...], namer: Namer) -> str:
    drawn = noises_of(statement, noises)
    single = {Symbol(f"{d.local.name}[i]", real=True): d.local for d in drawn}
    names = ["i", *fixed, *arguments(statement, fixed), *(d.local.name for d in drawn)]
    lines = ["@device", f"def {statement.function}({', '.join(names)}):"]
    for comment in statement.comments:
        lines += commented(comment, "    ")
    lines += [f"    {local.name} = {text_of(e.xreplace(single))}" for local, e in statement.locals]
    lines += [f"    {cell} = {local.name}" for cell, local in statement.stores]
    finite = " & ".join(f"(abs({local.name}) <= LARGEST)" for _, local in statement.stores)
    return "\n".join([*lines, f"    return {finite}"])


@function_text.register
def _(statement: Sums, fixed: list[str], noises: tuple[NoiseDraw, ...], namer: Namer) -> str:
    drawn = [d.local.name for d in noises_of(statement, noises)]
    names = [*fixed, "n", *arguments(statement, fixed), *drawn]
    targets = [t.name for t in statement.targets]
    lines = ["@reduction", f"def {statement.function}({', '.join(names)}):"]
    lines += ["    wide()"]
    for t, e in zip(targets, statement.values, strict=True):
        lines += commented(f"{t} = sum over i of {text_of(e)}", "    ")
    lines += [f"    {t} = 0.0" for t in targets] + ["    for i in range(n):"]
    lines += [f"        {line}" for line in _increments(statement.targets, statement.values, namer)]
    return "\n".join([*lines, f"    return {', '.join(targets)}"])


def terms_text(statement: Sums, fixed: list[str], noises: tuple[NoiseDraw, ...], namer: Namer) -> str:
    """The function with the terms of sums at one coordinate."""
    names = ["i", *fixed, *arguments(statement, fixed), *(d.local.name for d in noises_of(statement, noises))]
    lines = ["@device", f"def {statement.function}({', '.join(names)}):"]
    for t, e in zip(statement.targets, statement.values, strict=True):
        lines += commented(f"{t.name} = sum over i of {text_of(e)}", "    ")
    goals = {Symbol(f"{t.name}_term"): t for t in statement.targets}
    body = with_common_parts(list(zip(goals, statement.values, strict=True)), namer)
    lines += [f"    {s.name} = {text_of(e)}" for s, e in body]
    return "\n".join([*lines, f"    return {', '.join(s.name for s in goals)}"])


def _increments(targets: Iterable[Symbol], values: Iterable[Expr], namer: Namer) -> list[str]:
    goals = {Symbol(f"{t.name}_term"): t for t in targets}
    body = with_common_parts(list(zip(goals, values, strict=True)), namer)
    return [f"{goals[s].name} += {text_of(e)}" if s in goals else f"{s.name} = {text_of(e)}" for s, e in body]


@function_text.register
def _(statement: MatrixProduct, fixed: list[str], noises: tuple[NoiseDraw, ...], namer: Namer) -> str:
    drawn = [d.local.name for d in noises_of(statement, noises)]
    names = [*fixed, "n", "k", *arguments(statement, fixed), *drawn]
    value = text_of(statement.value)
    head = ["@reduction", f"def {statement.function}({', '.join(names)}):"]
    if statement.transposed:
        lines = [
            "    for j in range(n):", f"        {statement.target}[j] = 0.0",
            "    for i in range(k):", f"        c = {value}",
            "        for j in range(n):", f"            {statement.target}[j] += {statement.matrix}[i, j] * c",
        ]  # fmt: skip
    else:
        lines = [
            "    for j in range(n):", "        c = 0.0",
            "        for i in range(k):", f"            c += {statement.matrix}[j, i] * ({value})",
            f"        {statement.target}[j] = c",
        ]  # fmt: skip
    letters = "M[i, j]" if statement.transposed else "M[j, i]"
    comment = f"{statement.target}[j] = sum over i of {letters} * {value}, with M = {statement.matrix}"
    return "\n".join([*head, "    wide()", *commented(comment, "    "), *lines])
