"""The help of a command is its docstring, which ``python -OO`` leaves out: it is then read from the
source again.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from typer import Typer


def restore_docstrings(app: Typer) -> None:
    """Give every command of an app, and of its groups, the docstring that stands in its source."""
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
    try:
        (definition,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    except OSError:  # there is no source: the commands work without
        return None
    return ast.get_docstring(definition) if isinstance(definition, ast.FunctionDef) else None
