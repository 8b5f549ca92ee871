"""Help of the commands without docstrings: ``python -OO`` drops them, so they are read from the
source.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from typer import Typer

from recipe.files.python_tree import parsed


def restore_docstrings(app: Typer) -> None:
    """Give every command of an app, and of its groups, the docstring in its source if it has lost
    it.
    """
    for command in (*app.registered_commands, app.registered_callback):
        if (
            command is not None
            and command.callback is not None
            and command.callback.__doc__ is None
        ):
            command.callback.__doc__ = _docstring(command.callback)
    for group in app.registered_groups:
        if group.typer_instance is not None:
            restore_docstrings(group.typer_instance)


def _docstring(function: Callable[..., Any]) -> str | None:
    """Return the docstring in the source of a function; None if there is no source or no
    docstring.
    """
    try:
        (definition,) = parsed(textwrap.dedent(inspect.getsource(function))).body
    except OSError:  # there is no source: the commands work without help
        return None
    return ast.get_docstring(definition) if isinstance(definition, ast.FunctionDef) else None
