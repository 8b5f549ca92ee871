"""Functions that two modules have in common are compiled once: the second module takes those of
the first.

The text of such a function must be the same in both modules, and so must be all that it refers to:
decorators, constants and the functions that it calls. Then the machine code is the same as well,
and the text of the second module still says all of what runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import lru_cache
from types import ModuleType

from codegen.device.defined import names_of
from recipe.files.python_tree import parsed


def take_functions(
    module: ModuleType, source: str, common: ModuleType, text: str, names: Iterable[str]
) -> None:
    """Put functions of another module in the place of those with the same text.

    Args:
        module: the module, in which nothing is compiled yet.
        source: its text.
        common: the other module.
        text: the text of that module.
        names: the functions that may be taken.
    """
    for name in same_functions(source, text, names):
        setattr(module, name, getattr(common, name))


def part_of(text: str, names: Iterable[str], comment: str) -> str:
    """Return the part of a text that some of its functions need, with what extends the compiler.

    Args:
        text: the text of a module.
        names: functions of it, and classes.
        comment: the first line of the part.
    """
    needed = _needed(text)
    wanted = set[str]().union(*(needed.get(name, ()) for name in names))
    statements = parsed(text).body
    for statement in filter(_has_an_effect, statements):
        used = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}
        wanted |= names_of(statement).union(*(needed.get(name, ()) for name in used))
    lines, parts = text.splitlines(), [comment]
    for statement in statements:
        if names_of(statement) & wanted or _has_an_effect(statement):
            above = [d.lineno for d in getattr(statement, "decorator_list", ())]
            first = min([statement.lineno, *above])
            parts.append("\n".join(lines[first - 1 : statement.end_lineno]))
    return "\n\n\n".join(parts) + "\n"


def _has_an_effect(statement: ast.stmt) -> bool:
    """Whether a statement does more than to define a name: it extends Numba's compiler."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return any(isinstance(d, ast.Call) for d in statement.decorator_list)
    return not isinstance(statement, ast.Import | ast.ImportFrom | ast.Assign)


def same_functions(one: str, other: str, names: Iterable[str]) -> list[str]:
    """Return those of the names that stand for the same function in two texts.

    Args:
        one, other: the texts of two modules.
        names: names of functions of ``other``.
    """
    ours, theirs, needed = _definitions(one), _definitions(other), _needed(other)
    return [
        name
        for name in names
        if name in ours and all(ours.get(n) == theirs.get(n) for n in needed[name])
    ]


@lru_cache(maxsize=4)
def _definitions(text: str) -> dict[str, str]:
    """Return the lines that define each name at the top level of a text."""
    lines, found = text.splitlines(), dict[str, str]()
    for statement in parsed(text).body:
        above = [d.lineno for d in getattr(statement, "decorator_list", ())]
        first = min([statement.lineno, *above])
        definition = "\n".join(lines[first - 1 : statement.end_lineno])
        for name in names_of(statement):
            found[name] = found.get(name, "") + definition
    return found


@lru_cache(maxsize=4)
def _needed(text: str) -> dict[str, set[str]]:
    """Return, for each name that a text defines, this name with all that its definition refers to,
    and so on; names that are defined nowhere, such as ``range``, are among them.
    """
    direct: dict[str, set[str]] = {}
    for statement in parsed(text).body:
        used = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
        for name in names_of(statement):
            direct.setdefault(name, {name}).update(used)
    found = {}
    for name in direct:
        reached, left = set[str](), [name]
        while left:
            at = left.pop()
            if at not in reached:
                reached.add(at)
                left += direct.get(at, ())
        found[name] = reached
    return found
