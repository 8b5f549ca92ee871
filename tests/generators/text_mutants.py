"""Textual mutants of generated modules: every small change at every place where it can be made, in
what is lifted.
"""

import ast
import copy
import itertools
from collections.abc import Iterator
from dataclasses import dataclass


def functions_of(text: str, skipped: frozenset[str]) -> list[str]:
    return [
        f.name
        for f in ast.parse(text).body
        if isinstance(f, ast.FunctionDef) and f.name not in skipped
    ]


@dataclass(frozen=True)
class Place:
    """One change of one node: the function by its number in the text, the node by its number in it,
    the change by its own.
    """

    kind: str
    line: int
    function: int
    node: int
    change: int


def places(text: str, skipped: frozenset[str]) -> Iterator[Place]:
    """Every change that can be made, not made yet."""
    for n, top in enumerate(ast.parse(text).body):
        if isinstance(top, ast.FunctionDef) and top.name not in skipped:
            for k, node in enumerate(ast.walk(top)):
                for m, (kind, _) in enumerate(_changes(node)):
                    yield Place(kind, getattr(node, "lineno", top.lineno), n, k, m)


def changed(text: str, place: Place) -> str:
    """The text with one change."""
    tree = ast.parse(text)
    target = next(x for j, x in enumerate(ast.walk(tree.body[place.function])) if j == place.node)
    _, apply = list(_changes(target))[place.change]
    apply(target)
    return ast.unparse(tree)


def mutants(text: str, skipped: frozenset[str], every: int = 1) -> Iterator[tuple[str, int, str]]:
    """Every so many of them: the kind of change, its line, and the changed text."""
    for place in itertools.islice(places(text, skipped), 0, None, every):
        yield place.kind, place.line, changed(text, place)


def _put(field, value):
    return lambda node: setattr(node, field, value)


def _without(n):
    return lambda node: setattr(node, "body", node.body[:n] + node.body[n + 1 :] or [ast.Pass()])


def _swapped(field, n):
    def apply(node):
        items = getattr(node, field)
        items[n], items[n + 1] = items[n + 1], items[n]

    return apply


OTHER = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.RShift: ast.LShift,
}
COMPARED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}


KEYS = ("seed", "chain", "t")  # what a random number is a function of, beside the coordinate


def _zero():
    return ast.parse("np.uint64(0)", mode="eval").body


def _changes(node):  # noqa: PLR0912, PLR0915  (one case a kind of change)
    """The changes that can be made to one node."""
    match node:
        case ast.BinOp(op=op) if type(op) in OTHER:
            yield "operator", _put("op", OTHER[type(op)]())
            if not isinstance(op, ast.Add | ast.Mult):
                yield "operands", lambda n: n.__dict__.update(left=n.right, right=n.left)
            yield (
                "dropped term",
                lambda n: n.__dict__.update(left=n.left, op=ast.Add(), right=ast.Constant(0.0)),
            )
        case ast.AugAssign(op=ast.Add()):
            yield "operator", _put("op", ast.Sub())
            yield "overwritten", lambda n: n.__dict__.update(op=ast.Mult())
        case ast.UnaryOp(op=ast.USub()):
            yield "sign", _put("op", ast.UAdd())
        case ast.Constant(value=float() as x):
            yield "constant", _put("value", x * (1 + 2**-40) if x else 1e-9)
            yield "constant", _put("value", -x if x else 1.0)
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() as x):
            yield "integer", _put("value", x + 1)
            if x:
                yield "integer", _put("value", x - 1)
        case ast.Compare(ops=[op]) if type(op) in COMPARED:
            yield "comparison", _put("ops", [COMPARED[type(op)]()])
        case ast.Subscript(slice=ast.Name(id=name)):
            yield "index", _put("slice", ast.BinOp(ast.Name(name), ast.Add(), ast.Constant(1)))
            yield "index", _put("slice", ast.Constant(0))
        case ast.Call(args=args):
            for k, a in enumerate(args):
                if isinstance(a, ast.Name) and (a.id in KEYS or a.id.startswith("key_")):
                    yield "key shared", lambda n, k=k: n.args.__setitem__(k, _zero())
            for k in range(len(args) - 1):
                if ast.dump(args[k]) != ast.dump(args[k + 1]):
                    yield "arguments swapped", _swapped("args", k)
            for k, a in enumerate(args):
                if isinstance(a, ast.Name) and a.id in ("i", "n_theta", "pairs", "n"):
                    yield (
                        "index",
                        lambda n, k=k, a=a: n.args.__setitem__(
                            k, ast.BinOp(a, ast.Sub(), ast.Constant(1))
                        ),
                    )
                if isinstance(a, ast.BinOp) and isinstance(a.right, ast.Name):
                    yield "index", lambda n, k=k, a=a: n.args.__setitem__(k, a.right)
        case ast.Attribute(value=ast.Name(id="state"), attr=attr):
            yield "field", _put("attr", "theta" if attr != "theta" else "r")
            yield "record", _put("value", ast.Name("out"))
        case ast.Attribute(value=ast.Name(id="out")):
            yield "record", _put("value", ast.Name("state"))
        case ast.Name(id=name) if name.endswith("_a"):
            yield "noise", _put("id", name[:-1] + "b")
        case ast.Name(id=name) if name.endswith("_b"):
            yield "noise", _put("id", name[:-1] + "a")
    body = getattr(node, "body", None)
    if isinstance(body, list):
        for k, statement in enumerate(body):
            if not _is_text(statement):
                yield "statement dropped", _without(k)
                if k + 1 < len(body):
                    yield "statements swapped", _swapped("body", k)
                yield "statement twice", lambda n, k=k: n.body.insert(k, copy.deepcopy(n.body[k]))


def _is_text(statement) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
