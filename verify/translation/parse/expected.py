"""Functions that have one text, up to the names in it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from recipe.files.python_tree import parsed
from verify.translation.parse.module import ParsedModule, plain_body
from verify.translation.parse.problems import unread, wrong


def require_text(module: ParsedModule, name: str, lines: Sequence[str]) -> None:
    """Require that the module has a function with this text, up to its docstring and ``wide()``.

    Args:
        module: the parsed module.
        name: the name of the function.
        lines: the lines of its text.

    Raises:
        TranslationError: with the first statement that differs.
    """
    if (different := first_difference(module, name, lines)) is not None:
        raise wrong(*different)


def first_difference(
    module: ParsedModule, name: str, lines: Sequence[str]
) -> tuple[ast.AST, str] | None:
    """Return the first statement of a function that is not in the expected text, and a sentence
    about it; None if the text is the expected one.

    Args:
        module: the parsed module.
        name: the name of the function.
        lines: the lines of the expected text.

    Raises:
        TranslationError: if the module has no such function.
    """
    function = module.functions.get(name)
    if function is None:
        raise unread(None, f"the module has no function {name}")
    module.read.add(name)
    (expected,) = parsed("\n".join(lines)).body
    assert isinstance(expected, ast.FunctionDef)
    found = copy.copy(function)
    found.body = plain_body(function)
    for ours, theirs in zip(expected.body, found.body, strict=False):
        if ast.dump(ours) != ast.dump(theirs):
            return theirs, f"{name} must say here: {ast.unparse(ours).splitlines()[0]}"
    if ast.dump(expected) != ast.dump(found):
        return function, f"{name} is not what it must be"
    return None
