"""What the parameters of a recipe file mean: the comment behind the line that declares each of
them.

    C = Symbol("C", positive=True)  # friction
"""

from __future__ import annotations

import ast
import io
import tokenize

from recipe.files.python_tree import parsed

MARK = "#"


def meanings_in(source: str) -> dict[str, str]:
    """Return the comment behind each line that declares one symbol, by the name of the symbol.

    Args:
        source: the text of a Python file. It is read and not run.

    Returns:
        The meanings; empty where the text is no Python.
    """
    try:
        comments = _comments(source)
        declared = _declared(parsed(source))
    except (SyntaxError, ValueError, tokenize.TokenError):
        return {}
    return {
        names[0]: comments[line]
        for line, names in declared.items()
        if len(names) == 1 and comments.get(line)
    }


def _comments(source: str) -> dict[int, str]:
    """Return the text of the comments that stand behind code, by line."""
    found = {}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and token.line[: token.start[1]].strip():
            found[token.start[0]] = token.string.lstrip(MARK).strip()
    return found


def _declared(tree: ast.Module) -> dict[int, list[str]]:
    """Return the names that each line declares: a text that is the first argument of a call."""
    found: dict[int, list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for call in ast.walk(node.value):
                if isinstance(call, ast.Call) and call.args:
                    first = call.args[0]
                    if isinstance(first, ast.Constant) and isinstance(first.value, str):
                        found.setdefault(node.end_lineno or node.lineno, []).append(first.value)
    return found
