"""Device functions as text: a generated module contains those that it calls, with all that these
call in turn.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable
from typing import Any

from numba.extending import is_jitted

from codegen.device.intrinsics import INTRINSICS
from recipe.files.python_tree import parsed


def with_callees(functions: Iterable[Any]) -> list[Any]:
    """Return the functions with everything that they call, each once and after its own callees."""
    found: dict[Any, None] = {}
    for function in functions:
        if function not in found:
            found |= dict.fromkeys([*with_callees(_called(function)), function])
    return list(found)


def _called(function: Any) -> list[Any]:
    if function in INTRINSICS:
        return []
    body = function.py_func
    values = (body.__globals__.get(name) for name in body.__code__.co_names)
    return [value for value in values if is_jitted(value) or value in INTRINSICS]


def source_of(function: Any) -> str:
    """Return the text of a device function without its type hints, which generated modules do not
    have.
    """
    source = inspect.getsource(inspect.unwrap(function))
    tree = parsed(source).body[0]
    assert isinstance(tree, ast.FunctionDef)
    for argument in tree.args.args:
        argument.annotation = None
    lines = source.split("\n")
    head = f"def {tree.name}({ast.unparse(tree.args)}):"
    return "\n".join([*lines[: tree.lineno - 1], head, *lines[tree.body[0].lineno - 1 :]])
