"""A statement of ``run_many`` as it is for one chain: the one in column ``c``.

Inside of ``for c in range(chains):`` a cell ``state.theta[i, c]`` becomes ``state.theta[i]``,
``column_key(state.keys, 3, c)`` becomes ``stream_key(seed, 3, chain)``, and a call ``f(i, c, ...)``
of a loop body becomes ``f(i, ...)``. Nothing else may name ``c``, the state or a whole array: so a
column is all that is read and written for a chain. Every name that is given a value there is
renamed, with the number of the loop: what reads it elsewhere, or before it has its value, then
reads a name that has none, and is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from verify.translation.parse.problems import unread, wrong

COLUMN = "c"
KEYS = "keys"  # the array of the keys of all chains
RECORDS = ("state", "out")
OF_THE_LOOPS = (
    "first",
    "first_chain",
    "chains",
    "step_sizes",
    "draws",
    "chain",
    "gradient",
    "data",
    "steps",
    "finite",
    "tests",
)


def stored(nodes: Iterable[ast.AST], *, targets: bool = True) -> set[str]:
    """The names that get values in these statements; ``targets`` says whether those that loops go
    through are among them.
    """
    names = {
        n.id
        for s in nodes
        for n in ast.walk(s)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    looped = {
        n.target.id
        for s in nodes
        for n in ast.walk(s)
        if isinstance(n, ast.For) and isinstance(n.target, ast.Name)
    }
    return names if targets else names - looped


def called(name: str, ctx: ast.expr_context, at: ast.expr) -> ast.Name:
    """A name at the place of another expression."""
    return ast.copy_location(ast.Name(name, ctx), at)


@dataclass
class BatchColumn(ast.NodeTransformer):
    """Rewrites expressions; outside of a loop over chains (``inside`` is false) nothing of a chain
    may be named at all.

    ``bodies`` are the functions that are loop bodies, ``eights`` the arrays of running sums,
    ``renamed`` the names of this loop, ``arrays`` those arguments of a loop body that may be
    arrays; ``place`` is the index of a running sum, where it is known; ``purposes`` says how many
    keys a chain has.
    """

    bodies: frozenset[str]
    eights: frozenset[str]
    inside: bool = True
    renamed: frozenset[str] = frozenset()
    arrays: frozenset[str] = frozenset()
    number: int = 0
    place: str = ""
    purposes: int = 0

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A number, or what all chains share."""
        if node.id == COLUMN or node.id in RECORDS or node.id in OF_THE_LOOPS:
            raise unread(node, f"{node.id} does not stand here in a loop over chains")
        return (
            called(f"{node.id}@{self.number}", node.ctx, node) if node.id in self.renamed else node
        )

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """A parameter, or a function of a library; never a whole array of the state."""
        if isinstance(node.value, ast.Name) and node.value.id in ("params", "math", "np"):
            return node
        raise unread(node, f"{ast.unparse(node)} is more than a column")

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """A cell in the column, a coordinate of a parameter, or one of two numbers."""
        match node:
            case ast.Subscript(
                value=ast.Attribute(value=ast.Name(id=record), attr=field) as array
            ) if record in RECORDS:
                at = self._row(node)
                if field == KEYS:
                    raise unread(node, "a key is read by column_key, and written by fill_keys")
                if field in self.eights and record == "state":
                    return self._running(field, at, node)
                return ast.copy_location(ast.Subscript(array, self.visit(at), node.ctx), node)
            case ast.Subscript(value=ast.Name(id=name) as array) if name in self.arrays:
                return ast.copy_location(
                    ast.Subscript(array, self.visit(self._row(node)), node.ctx), node
                )
            case ast.Subscript(
                value=ast.Attribute(value=ast.Name(id="params")) as array, ctx=ast.Load()
            ):
                return ast.copy_location(
                    ast.Subscript(array, self.visit(node.slice), node.ctx), node
                )
            case ast.Subscript(value=ast.Call() as call, slice=ast.Constant()):
                return ast.copy_location(
                    ast.Subscript(self.visit(call), node.slice, node.ctx), node
                )
        raise unread(node, f"{ast.unparse(node)} is not read")

    def _row(self, node: ast.Subscript) -> ast.expr:
        match node.slice:
            case ast.Tuple(elts=[at, ast.Name(id="c")]) if self.inside:
                return at
        raise wrong(node, f"{ast.unparse(node)} is not in the column of the chain")

    def _running(self, field: str, at: ast.expr, node: ast.Subscript) -> ast.expr:
        """A running sum: of the eight of them only the sum is read, so that they are one number,
        see many_sums.
        """
        if not self.place or ast.unparse(at) != self.place:
            raise unread(node, f"{ast.unparse(node)} is not the running sum of this coordinate")
        return called(running(field), node.ctx, node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A function of numbers, the key of the chain, or a loop body at a coordinate of the
        column.
        """
        if self.inside:
            found = self._of_the_column(node)
            if found is not None:
                return ast.copy_location(found, node)
        if not isinstance(node.func, ast.Name | ast.Attribute) or (
            isinstance(node.func, ast.Name) and node.func.id in self.bodies
        ):
            raise unread(node, f"{ast.unparse(node)} is not read")
        func = node.func if isinstance(node.func, ast.Name) else self.visit(node.func)
        return ast.copy_location(
            ast.Call(func, [self.visit(a) for a in node.args], node.keywords), node
        )

    def _of_the_column(self, node: ast.Call) -> ast.expr | None:
        match node:
            case ast.Call(
                func=ast.Name(id="column_key"),
                args=[keys, ast.Constant(value=int(purpose)), column],
                keywords=[],
            ):
                if (
                    ast.unparse(keys) != f"state.{KEYS}"
                    or not 0 <= purpose < self.purposes
                    or ast.unparse(column) != COLUMN
                ):
                    raise wrong(
                        node, f"{ast.unparse(node)} is not a key of the chain of this column"
                    )
                return ast.parse(f"stream_key(seed, {purpose}, chain)", mode="eval").body
            case ast.Call(func=ast.Name(id="invalid_block_of")):
                if ast.unparse(node) != "invalid_block_of(state, c)":
                    raise wrong(node, "the state that is looked at is not that of this column")
                return ast.parse("invalid_block(state)", mode="eval").body
            case ast.Call(
                func=ast.Name(id="pairwise_many"),
                args=[ast.Attribute(value=ast.Name(id="state"), attr=field), place],
            ) if field in self.eights and ast.unparse(place) == COLUMN:
                return called(running(field), ast.Load(), node)
            case ast.Call(func=ast.Name(id=name) as f, args=[at, column, *rest], keywords=[]) if (
                name in self.bodies
            ):
                if ast.unparse(column) != COLUMN:
                    raise wrong(node, f"{name} is called for another column than that of the chain")
                return ast.Call(f, [self.visit(at), *map(self._passed, rest)], [])
        return None

    def _passed(self, node: ast.expr) -> ast.expr:
        """An argument of a loop body: the state, an array of it, or a number."""
        match node:
            case ast.Name(id="state"):
                return node
            case ast.Attribute(value=ast.Name(id="state"), attr=field) if field not in (
                *self.eights,
                KEYS,
            ):
                return node
        return self.visit(node)  # type: ignore[no-any-return]


def running(field: str) -> str:
    """What the sum of eight running sums is called where one chain is looked at."""
    return f"{field}@sum"


def body_of_one(
    function: ast.FunctionDef, bodies: frozenset[str], eights: frozenset[str]
) -> ast.FunctionDef:
    """A loop body ``f(i, c, out, state, params, ...)`` as that of one chain."""
    i, c, *rest = function.args.args
    if stored(function.body) & {i.arg, c.arg, *RECORDS, "params"}:
        raise unread(function, f"{function.name} gives one of its arguments another value")
    column = BatchColumn(
        bodies, eights, arrays=frozenset(a.arg for a in rest) - {*RECORDS, "params"}
    )
    rewritten = [column.visit(s) for s in function.body]
    one = ast.FunctionDef(function.name, _arguments([i, *rest]), rewritten, [])
    return ast.fix_missing_locations(ast.copy_location(one, function))


def _arguments(names: list[ast.arg]) -> ast.arguments:
    return ast.arguments(posonlyargs=[], args=names, kwonlyargs=[], kw_defaults=[], defaults=[])
