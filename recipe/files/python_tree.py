"""The syntax tree of a text in Python, by one thread at a time."""

from __future__ import annotations

import ast
import threading

# A finalizer may parse while its thread does, so that the lock can be taken again.
_ONE_AT_A_TIME = threading.RLock()


def parsed(text: str) -> ast.Module:
    """Return the tree of a module's text, as ``ast.parse`` does.

    CPython counts the depth of a tree while it is built, in one number for all threads. Where
    another thread goes on meanwhile, because a finalizer runs, a correct text ends in
    ``SystemError: AST constructor recursion depth mismatch`` (CPython 3.11, gh-106905).

    Raises:
        SyntaxError: the text is not Python.
    """
    with _ONE_AT_A_TIME:
        return ast.parse(text)


def parsed_expression(text: str) -> ast.expr:
    """Return the tree of one expression; see ``parsed``."""
    with _ONE_AT_A_TIME:
        return ast.parse(text, mode="eval").body
