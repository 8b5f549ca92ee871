"""Run a recipe file, which is the user's own Python program."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import traceback
import warnings
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

from recipe import DecimalWarning, RecipeError
from recipe.laws.above_zero import SupportWarning
from recipe_cli.declarations.declaration import Declaration
from recipe_cli.errors import TOO_DEEP, one_line, printable
from recipe_cli.slips import slip_of
from recipe_cli.terminal.printing import print_line

ENDLESS_CALLS = 100  # of one function inside of itself, when Python stops a recursion
NOTES = (DecimalWarning, SupportWarning)  # warnings about a declaration that are shown
MAX_FILE_BYTES = 50_000_000  # of a recipe file: to compile it, Python needs a hundred times this


def run_file(path: Path) -> ModuleType:
    """Run a recipe file, which is the user's own Python program, and return it as a module."""
    if not path.is_file():
        raise RecipeError(
            f"{path} is not a regular file" if path.exists() else f"there is no file {path}"
        )
    if path.stat().st_size > MAX_FILE_BYTES:
        raise RecipeError(
            f"{path} has {path.stat().st_size} bytes, and a recipe file may have at most"
            f" {MAX_FILE_BYTES}: keep its data in a file of their own"
        )
    name = module_name(path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise RecipeError(f"{path} is not a Python file; a recipe file ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        with warnings.catch_warnings(record=True) as caught:
            for kind in NOTES:
                warnings.simplefilter("always", kind)
            spec.loader.exec_module(module)
        for text in dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, NOTES)):
            print_line(f"note: {text}", err=True)
    except (KeyboardInterrupt, MemoryError):
        # Neither is a mistake in the file: the user interrupts, or a memory limit is reached.
        raise
    except BaseException as error:
        said = _endless_call(error, path) or _one_line(error)
        raise RecipeError(f"{path}{_line_of(error, path)}: {said}") from None
    finally:
        sys.path.pop(0)
    return module


def value_beside(declaration: Declaration, name: str) -> Any:
    """Return what a name stands for in the file that declares something.

    Raises:
        RecipeError: if the file gives it no value.
    """
    module = sys.modules.get(module_name(Path(declaration.file_argument)))
    if module is None or name.startswith("_") or not hasattr(module, name):
        raise RecipeError(
            f"{name} is neither a number nor an expression of {declaration.file}: give a number, or"
            f" add a line {name} = ... to the file"
        )
    return getattr(module, name)


def module_name(path: Path) -> str:
    """Return the name under which Python keeps the module of a recipe file."""
    return f"_recipe_file_{path.stem}"


def _line_of(error: BaseException, path: Path) -> str:
    """Return the line of a file where an exception was raised, as text; empty if it is unknown."""
    if isinstance(error, SyntaxError):
        return f", line {error.lineno}" if error.lineno else ""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename) == path.absolute()
    ]
    return f", line {lines[-1]}" if lines else ""


def _endless_call(error: BaseException, path: Path) -> str | None:
    """Return the sentence about a function of the file that calls itself again and again; None for
    any other exception.
    """
    if not isinstance(error, RecursionError):
        return None
    frames = traceback.extract_tb(error.__traceback__)
    calls = Counter(f.name for f in frames if Path(f.filename) == path.absolute())
    name, count = calls.most_common(1)[0] if calls else ("", 0)
    if count < ENDLESS_CALLS:
        return None
    return (
        f"{printable(name)} calls itself again and again, until Python stops it after {count}"
        " calls; give it a case in which it returns without a call"
    )


def _one_line(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return TOO_DEEP
    if isinstance(error, RecipeError):
        return one_line(error)
    slip = slip_of(error)
    return printable(slip) if slip is not None else f"{type(error).__name__}: {one_line(error)}"
