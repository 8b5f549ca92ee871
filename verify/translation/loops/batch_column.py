"""A statement of ``run_many`` as the statement for one chain, which is column ``c``.

Inside of ``for c in range(chains):`` a cell ``state.theta[i, c]`` becomes ``state.theta[i]``,
``column_key(state.keys, 3, c)`` becomes ``stream_key(seed, 3, chain)``, and a call ``f(i, c, ...)``
of a loop body becomes ``f(i, ...)``. Nothing else may name ``c``, the state or a whole array: so
for a chain only its column is read and written. Every name that gets a value there is renamed, with
the number of the loop: a statement that reads the name elsewhere, or before it has a value, then
reads a name without a value, and is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from recipe.files.python_tree import parsed_expression
from verify.translation.parse.problems import unread, wrong

COLUMN = "c"
KEYS = "keys"  # the array with the keys of random numbers of all chains
RECORDS = ("state", "out")
DRIVER_NAMES = (
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


def assigned_names(nodes: Iterable[ast.AST], *, targets: bool = True) -> set[str]:
    """Return the names that get values in these statements; with ``targets``, also the variables of
    loops.
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


def name_at(name: str, ctx: ast.expr_context, at: ast.expr) -> ast.Name:
    """Return a name at the position of another expression."""
    return ast.copy_location(ast.Name(name, ctx), at)


@dataclass
class BatchColumn(ast.NodeTransformer):
    """Rewrites expressions for one chain.

    Outside of a loop over chains (``inside`` is False) nothing that belongs to a chain may be
    named.

    Attributes:
        bodies: the functions that are loop bodies.
        eights: the arrays of running sums.
        inside: True in a loop over chains.
        renamed: the names that this loop assigns.
        arrays: the arguments of a loop body that may be arrays.
        number: the number of this loop, which makes its names unique.
        place: the index of a running sum; empty if there is none.
        purposes: the number of keys of a chain.
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
        """Rewrite a name, which is a number or shared by all chains."""
        if node.id == COLUMN or node.id in RECORDS or node.id in DRIVER_NAMES:
            raise unread(node, f"{node.id} may not be named here in a loop over chains")
        return (
            name_at(f"{node.id}@{self.number}", node.ctx, node) if node.id in self.renamed else node
        )

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Return a parameter or a function of a library; a whole array of the state is refused."""
        if isinstance(node.value, ast.Name) and node.value.id in ("params", "math", "np"):
            return node
        raise unread(node, f"{ast.unparse(node)} is more than a column")

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """Rewrite a cell of the column, a coordinate of a parameter, or one of two numbers."""
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
        """Rewrite a running sum.

        Only the sum of all eight is read, so the eight stand for one number: see ``batch_sums``.
        """
        if not self.place or ast.unparse(at) != self.place:
            raise unread(node, f"{ast.unparse(node)} is not the running sum of this coordinate")
        return name_at(running_sum_name(field), node.ctx, node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Rewrite a call: a function of numbers, the key of the chain, or a loop body at a
        coordinate.
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
                return parsed_expression(f"stream_key(seed, {purpose}, chain)")
            case ast.Call(func=ast.Name(id="invalid_block_of")):
                if ast.unparse(node) != "invalid_block_of(state, c)":
                    raise wrong(node, "the domain check is not that of this column")
                return parsed_expression("invalid_block(state)")
            case ast.Call(
                func=ast.Name(id="pairwise_many"),
                args=[ast.Attribute(value=ast.Name(id="state"), attr=field), place],
            ) if field in self.eights and ast.unparse(place) == COLUMN:
                return name_at(running_sum_name(field), ast.Load(), node)
            case ast.Call(func=ast.Name(id=name) as f, args=[at, column, *rest], keywords=[]) if (
                name in self.bodies
            ):
                if ast.unparse(column) != COLUMN:
                    raise wrong(node, f"{name} is called for the column of another chain")
                return ast.Call(f, [self.visit(at), *map(self._passed, rest)], [])
        return None

    def _passed(self, node: ast.expr) -> ast.expr:
        """Rewrite an argument of a loop body: the state, an array of it, or a number."""
        match node:
            case ast.Name(id="state"):
                return node
            case ast.Attribute(value=ast.Name(id="state"), attr=field) if field not in (
                *self.eights,
                KEYS,
            ):
                return node
        return self.visit(node)  # type: ignore[no-any-return]


def running_sum_name(field: str) -> str:
    """Return the name of the sum of eight running sums in the text of one chain."""
    return f"{field}@sum"


def body_of_one(
    function: ast.FunctionDef, bodies: frozenset[str], eights: frozenset[str]
) -> ast.FunctionDef:
    """Return a loop body ``f(i, c, out, state, params, ...)`` as that of one chain."""
    i, c, *rest = function.args.args
    if assigned_names(function.body) & {i.arg, c.arg, *RECORDS, "params"}:
        raise unread(function, f"{function.name} assigns to one of its arguments")
    column = BatchColumn(
        bodies, eights, arrays=frozenset(a.arg for a in rest) - {*RECORDS, "params"}
    )
    rewritten = [column.visit(s) for s in function.body]
    one = ast.FunctionDef(function.name, _arguments([i, *rest]), rewritten, [])
    return ast.fix_missing_locations(ast.copy_location(one, function))


def _arguments(names: list[ast.arg]) -> ast.arguments:
    return ast.arguments(posonlyargs=[], args=names, kwonlyargs=[], kw_defaults=[], defaults=[])
