"""The printer: a program tree as the text of Python that Numba compiles."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from functools import singledispatch
from typing import Any

from sympy import Expr

from codegen.lowering.places import Array
from codegen.lowering.program import (
    Assign,
    AssignAll,
    Call,
    Comment,
    Do,
    For,
    Function,
    If,
    Infix,
    Instruction,
    Item,
    Not,
    Return,
    Value,
)
from codegen.printing.expression import text_of
from codegen.printing.numba_dialect import NUMBA

MODULE_COLUMNS, BODY_COLUMNS = 130, 126  # of a comment, in a module and in the body of a function


def printed(function: Function) -> str:
    """The text of a function."""
    meaning = function.meaning.split("\n") if function.meaning else []
    if len(meaning) > 1:
        meaning = [f'"""{meaning[0]}', *meaning[1:], '"""']
    elif meaning:
        meaning = [f'"""{meaning[0]}"""']
    body = [*meaning, *program_lines(function.body)]
    return "\n".join(
        [
            f"@{function.decorator}",
            f"def {function.name}({', '.join(function.arguments)}):",
            *_indented(body),
        ]
    )


def program_lines(instructions: Iterable[Instruction]) -> list[str]:
    """The lines of instructions, one after another."""
    return [line for s in instructions for line in _lines(s)]


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" if line else "" for line in lines]


def _list(values: Iterable[Any]) -> str:
    return ", ".join(map(_value, values))


@singledispatch
def _value(value: Value) -> str:
    raise TypeError(f"no text is known for the value {value!r}")


@_value.register(str)
@_value.register(Array)
def _(value: str | Array) -> str:
    return str(value)


@_value.register
def _(value: Expr) -> str:
    return text_of(value, NUMBA)


@_value.register
def _(value: Call) -> str:
    return f"{value.function}({_list(value.arguments)})"


@_value.register
def _(value: Item) -> str:
    return f"{_value(value.value)}[{value.index}]"


@_value.register
def _(value: Infix) -> str:
    return f"{_value(value.left)} {value.operator} {_value(value.right)}"


@_value.register
def _(value: Not) -> str:
    return f"not {_value(value.value)}"


@singledispatch
def _lines(instruction: Instruction) -> list[str]:
    raise TypeError(f"no text is known for the instruction {instruction!r}")


@_lines.register
def _(instruction: Assign) -> list[str]:
    return [f"{_list(instruction.targets)} {instruction.operator} {_value(instruction.value)}"]


@_lines.register
def _(instruction: AssignAll) -> list[str]:
    return [" = ".join([*map(_value, instruction.targets), _value(instruction.value)])]


@_lines.register
def _(instruction: Do) -> list[str]:
    return [_value(instruction.call)]


@_lines.register
def _(instruction: For) -> list[str]:
    note = f"  # {instruction.note}" if instruction.note else ""
    head = f"for {instruction.index} in range({_list(instruction.ends)}):{note}"
    return [head, *_indented(program_lines(instruction.body))]


@_lines.register
def _(instruction: If) -> list[str]:
    lines = [f"if {_value(instruction.condition)}:", *_indented(program_lines(instruction.body))]
    if instruction.otherwise:
        lines += ["else:", *_indented(program_lines(instruction.otherwise))]
    return lines


@_lines.register
def _(instruction: Return) -> list[str]:
    return [f"return {_list(instruction.values)}".rstrip()]


@_lines.register
def _(instruction: Comment) -> list[str]:
    return commented(instruction.text, BODY_COLUMNS)


def commented(text: str, columns: int = MODULE_COLUMNS) -> list[str]:
    """The text as comment lines, whatever it contains."""
    words = " ".join(text.split())
    return textwrap.wrap(words, columns, initial_indent="# ", subsequent_indent="#     ")
