"""Is every name of a module defined before it is used? Python's own symbol table answers."""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Iterator

from verify.translation.parse.problems import unread

GIVEN = {*dir(builtins), "__name__", "__doc__", "__file__"}
OWN_SCOPES = (
    ast.FunctionDef,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


def check_names_are_defined(text: str, tree: ast.Module) -> None:
    """Refuse a module that uses a name before anything defines it, as its import or its first call
    would then fail.

    What stands at its top is carried out in the order of the text. The body of a function is
    carried out later, when all of the module is defined.

    Raises:
        TranslationError: naming the name and its line.
    """
    defined = set(GIVEN)
    for statement in tree.body:
        for name in _carried_out(statement):
            if name.id not in defined:
                raise unread(name, f"{name.id} is not defined here")
        defined |= defines(statement)
    for scope in symtable.symtable(text, "<module>", "exec").get_children():
        for missing in sorted(_globals_of(scope) - defined):
            raise unread(
                scope.get_lineno(), f"{scope.get_name()} uses {missing}: nothing defines it"
            )


def _carried_out(statement: ast.stmt) -> Iterator[ast.Name]:
    """Yield the names that a statement at the top of a module looks up when it is carried out, but
    for those within functions and comprehensions, which have names of their own.
    """
    later = statement.body if isinstance(statement, ast.FunctionDef) else []
    stack: list[ast.AST] = [n for n in ast.iter_child_nodes(statement) if n not in later]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node
        if not isinstance(node, OWN_SCOPES):
            stack += ast.iter_child_nodes(node)


def defines(statement: ast.stmt) -> set[str]:
    """Return the names that a statement at the top of a module defines."""
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return {(a.asname or a.name).partition(".")[0] for a in names}
    return {
        n.id
        for n in ast.walk(statement)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


def _globals_of(scope: symtable.SymbolTable) -> set[str]:
    """Return the names that a function or class, with all within it, looks up in the module."""
    own = {s.get_name() for s in scope.get_symbols() if s.is_global() and s.is_referenced()}
    return own.union(*(_globals_of(child) for child in scope.get_children()))
