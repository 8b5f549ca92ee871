"""The line of the user's code where something happens."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import NoReturn

from recipe.language.errors import RecipeError

HERE = str(Path(__file__).resolve().parents[1]) + os.sep
LIFT = f"{HERE}lift.py"
STANDARD = str(Path(sysconfig.get_paths()["stdlib"]).resolve()) + os.sep
PACKAGES = f"{os.sep}site-packages{os.sep}"
# Libraries that code is written with: a line inside of one of them says nothing to a reader.
READ = {("torch", "optim")}  # optimizers are read, and their base class has no arithmetic
TOOLS = ("numpy", "jax", "jaxlib", "torch", "numba", "sympy", "scipy")


@dataclass(frozen=True)
class Place:
    """A line of a file.

    Attributes:
        file: the path of the file.
        line: the number of the line, from 1.
        function: the name of the function that the line stands in.
    """

    file: str
    line: int
    function: str = ""

    def __str__(self) -> str:
        return f"{shown_path(self.file)}, line {self.line}"


class CannotLiftError(RecipeError):
    """Code that cannot be read as a rule. The message is one sentence that names the file, the
    line, and what stands there.
    """


def shown_path(file: str) -> str:
    """The path of a file as a person knows it: from the package on where it is installed, else
    relative to the working directory.
    """
    if PACKAGES in file:
        return file.rpartition(PACKAGES)[2]
    relative = os.path.relpath(file)
    return Path(file).name if relative.startswith("..") else relative


_place: ContextVar[Place | None] = ContextVar("_place", default=None)


@contextmanager
def at_place(place: Place | None) -> Iterator[None]:
    """Within this context a line of the code is carried out; None for the line that was before."""
    token = _place.set(place or _place.get())
    try:
        yield
    finally:
        _place.reset(token)


def here() -> Place | None:
    """The innermost line that is neither ours nor that of a tool; None if there is none.

    Where no code runs that is read, the caller of ``lift`` is no such line.
    """
    if _place.get() is not None:
        return _place.get()
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename != LIFT:
        code = frame.f_code
        if is_users(code.co_filename):
            return Place(code.co_filename, frame.f_lineno, code.co_name)
        frame = frame.f_back  # type: ignore[assignment]
    return None


def is_users(file: str) -> bool:
    """Whether a file is code that is read, and neither ours nor that of a tool."""
    if file.startswith(("<frozen", "<__array_function__", HERE)):
        return False
    if PACKAGES in file:
        inside = file.rpartition(PACKAGES)[2].split(os.sep)
        return inside[0] not in TOOLS or tuple(inside[:2]) in READ
    return not file.startswith(STANDARD)


def place_of_code(code: CodeType) -> Place:
    """The place where a function begins."""
    return Place(code.co_filename, code.co_firstlineno, code.co_name)


_refused: ContextVar[list[CannotLiftError] | None] = ContextVar("_refused", default=None)


@contextmanager
def none_is_caught() -> Iterator[None]:
    """Within this context code that is read runs: a refusal that it catches is raised in the end.

    Code such as ``try: ... except Exception: pass`` would go another way than it goes with numbers.
    """
    found: list[CannotLiftError] = []
    token = _refused.set(found)
    try:
        yield
    except Exception:
        if found:
            raise found[0] from None
        raise
    finally:
        _refused.reset(token)
    if found:
        raise found[0]


def refuse(what: str, place: Place | None = None) -> NoReturn:
    """Raise ``CannotLiftError`` about a place; by default the line that runs."""
    place = place or here()
    error = CannotLiftError(what if place is None else f"{place}: {what}")
    found = _refused.get()
    if found is not None:
        found.append(error)
    raise error
