"""Functions that have one text, up to the names in it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

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
    function = module.functions.get(name)
    if function is None:
        raise unread(None, f"the module has no function {name}")
    module.read.add(name)
    (expected,) = ast.parse("\n".join(lines)).body
    assert isinstance(expected, ast.FunctionDef)
    found = copy.copy(function)
    found.body = plain_body(function)
    for ours, theirs in zip(expected.body, found.body, strict=False):
        if ast.dump(ours) != ast.dump(theirs):
            raise wrong(theirs, f"{name} must say here: {ast.unparse(ours).splitlines()[0]}")
    if ast.dump(expected) != ast.dump(found):
        raise wrong(function, f"{name} is not what it must be")
