"""The names that the texts of this folder define in a module, so that nothing else is called like
them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache
from types import ModuleType
from typing import Any

from numba.extending import is_jitted

from codegen.device import (
    chi_squared,
    domain,
    elementary,
    estimators,
    folds,
    intrinsics,
    labels,
    random,
    recording,
    special,
    stable,
    stopping,
    sums,
)
from codegen.device.simd8 import lanes_text
from recipe.files.python_tree import parsed

FILES = (
    chi_squared,
    domain,
    elementary,
    estimators,
    folds,
    intrinsics,
    labels,
    random,
    recording,
    special,
    stable,
    stopping,
    sums,
)


def device_functions() -> list[Any]:
    """Every device function, each with tests of its own."""
    return list(dict.fromkeys(f for file in FILES for f in vars(file).values() if is_jitted(f)))


def functions_of(files: Iterable[ModuleType]) -> list[Any]:
    """The device functions that are defined in some of the files."""
    return [
        f
        for file in files
        for f in vars(file).values()
        if is_jitted(f) and f.py_func.__module__ == file.__name__
    ]


@cache
def defined_names() -> frozenset[str]:
    """The names of all device functions, and of what stands beside them for eight coordinates."""
    functions = {f.__name__ for f in [*device_functions(), *intrinsics.INTRINSICS]}
    return frozenset(functions | names_defined_by(lanes_text()))


def names_defined_by(text: str) -> set[str]:
    """The names that the statements of a text define at its top level."""
    return {name for statement in parsed(text).body for name in names_of(statement)}


def names_of(statement: ast.stmt) -> set[str]:
    """The names that a statement at the top level of a module defines."""
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return {alias.asname or alias.name for alias in aliases}
        case ast.Assign(targets=targets):
            return {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
    return set()
