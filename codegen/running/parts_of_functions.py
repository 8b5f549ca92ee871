"""What a function of Python is made of: its text, and the names and values that it uses."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from codegen.running.parts_of_values import is_plain, plain_text

GLOBALS = {"LOAD_GLOBAL", "LOAD_NAME"}  # instructions of Python
ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"}


def names_in(function: FunctionType) -> tuple[set[str], set[str]]:
    """Return the names of the globals and of the attributes that a function, or one inside of it,
    reads.
    """
    loaded: tuple[set[str], set[str]] = (set(), set())
    for code in _codes(function.__code__):
        for step in dis.get_instructions(code):
            if step.opname in GLOBALS | ATTRIBUTES:
                loaded[step.opname in ATTRIBUTES].add(step.argval)
    return loaded


def closed_over(function: FunctionType) -> dict[str, Any]:
    """Return the values of the variables of an outer function, which may have none yet."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue
    return found


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a function, and of the functions inside of it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def text_of(function: FunctionType) -> str:
    """Return the source of a function; its bytecode where it was typed at a prompt."""
    try:
        return inspect.getsource(function.__code__)
    except (OSError, TypeError):
        return " ".join(
            f"{code.co_code.hex()} {code.co_names} {list(_constants(code))}"
            for code in _codes(function.__code__)
        )


def _constants(code: CodeType) -> Iterator[str]:
    return (plain_text(c) for c in code.co_consts if is_plain(c))
