"""What the names of ``draw_labels`` stand for at each statement.

A name that is no argument has a *role* from the statement that gives it one: ``<datum>`` in its
loop, ``<label 2>`` once that label is drawn. Statements are compared with what they must say when
roles stand for names, so that a name that means something else, or nothing yet, is noticed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from recipe.files.python_tree import parsed
from verify.translation.parse.problems import unread

KEPT = "<counter>"  # a role that no loop ends
GIVEN = ("np", "min", "max", "range", "float")  # a module has no variables with these names


class Roles:
    """The roles of names.

    Args:
        arguments: the arguments of the function, which keep their names.
        functions: the names of functions, which no variable has.
    """

    def __init__(self, arguments: Iterable[str], functions: Iterable[str]) -> None:
        self.arguments = frozenset(arguments)
        self._fixed = {name: name for name in (*arguments, *functions, *GIVEN)}
        self._roles: dict[str, str] = {}

    def said(self, node: ast.AST) -> str:
        """Return the text of an expression with roles in the place of names.

        Raises:
            TranslationError: where a name has no role.
        """
        whole = parsed(ast.unparse(node))  # a copy
        for name in ast.walk(whole):
            if isinstance(name, ast.Name):
                role = self._fixed.get(name.id, self._roles.get(name.id))
                if role is None:
                    raise unread(node, f"the value of {name.id} is not known here")
                name.id = role
        return ast.unparse(whole)

    def role(self, name: str) -> str | None:
        """Return the role of a name; None if it has none."""
        return self._roles.get(name)

    def bind(self, node: ast.expr, role: str | None) -> None:
        """Give a name a role; None takes it away.

        Raises:
            TranslationError: for an argument, and for what is no name.
        """
        if not isinstance(node, ast.Name) or node.id in self._fixed:
            raise unread(node, f"{ast.unparse(node)} gets a value")
        self._roles.pop(node.id, None)
        if role is not None:
            self._roles[node.id] = role

    def loop(
        self, node: ast.For, role: str, over: str, read: Callable[[list[ast.stmt]], None]
    ) -> None:
        """Read a loop over a range whose turns are read as one generic turn.

        Args:
            node: the loop.
            role: of its index.
            over: what the loop must go through.
            read: reads the statements of a turn.
        """
        self.require(node.iter, over)
        if node.orelse or any(self.role(n) == KEPT for n in assigned_in([ast.Expr(node.target)])):
            raise unread(node, "a loop with an else, or over the counter, is not read")
        with self.turn(node):
            self.bind(node.target, role)
            index = ast.unparse(node.target)
            if index in assigned_in(node.body):
                raise unread(node, f"{index} changes within its loop")
            read(node.body)

    @contextmanager
    def turn(self, node: ast.For) -> Iterator[None]:
        """Let the names that a loop gives values have no role before and after its turns, but for
        the counter, which whoever reads a change of it looks after.
        """
        changed = [n for n in assigned_in([node]) if self.role(n) != KEPT]
        for name in changed:
            self._roles.pop(name, None)
        yield
        for name in changed:
            self._roles.pop(name, None)

    def require(self, node: ast.AST, text: str) -> None:
        """Require that an expression says this.

        Raises:
            TranslationError: where it does not.
        """
        if self.said(node) != text:
            raise unread(node, f"{ast.unparse(node)} is not {text}")

    def require_added(self, body: list[ast.stmt], cell: str, what: str) -> None:
        """Require that a body adds this to a cell, and does nothing else.

        Raises:
            TranslationError: where it does not.
        """
        match body:
            case [ast.AugAssign(target=target, op=ast.Add(), value=value)]:
                self.require(target, cell)
                self.require(value, what)
            case _:
                raise unread(body[0], f"{cell} must get {what} more here, and nothing else")

    def set_aside(self, targets: Iterable[ast.expr]) -> None:
        """Take the roles of names away that get a number which is read nowhere."""
        for target in targets:
            self.bind(target, None)


def assigned_in(statements: Iterable[ast.stmt]) -> list[str]:
    """Return the names that statements give a value, each as often as they do."""
    return [
        n.id
        for s in statements
        for n in ast.walk(s)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ]


def read_in(statements: Iterable[ast.stmt]) -> list[str]:
    """Return the names that statements read, each as often as they do."""
    return [
        n.id
        for s in statements
        for n in ast.walk(s)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    ]
