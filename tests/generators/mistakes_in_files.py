"""Mistakes in recipe files that are still Python, and in certificates that are still JSON, so that
what is read is odd and not merely refused.
"""

from __future__ import annotations

import ast
import copy
import io
import random
import tokenize
from collections.abc import Callable, Iterator
from functools import reduce
from operator import getitem
from typing import Any

from generators.tampered_certificates import changes

HOSTILE_TEXTS = """
    nan zoo oo I 0 -1 1/0 2**10**5 (-1)**theta 0**theta theta**theta sqrt(-1) sqrt(theta)
    sqrt(theta**2) log(theta) log(-1-theta**2) 1/theta exp(exp(exp(theta))) exp(theta**4)
    tan(theta) Symbol("n",integer=True) (-1)**Symbol("n",integer=True) Abs(theta) sign(theta)
    Max(theta,1) Piecewise((theta,theta>0),(0,True)) loggamma(theta) 10**400 1e400 0.1 1e-320
    float("nan") None "text" () [] {} Matrix([1]) theta.dim Wild("x") Dummy()
    Function("f")(theta) Derivative(theta**2,theta) Integral(theta,theta) Sum(theta,(theta,1,2))
    total(total(theta)) grad(theta,theta) outer(theta,theta) total(1/theta) dot(theta,theta)
    Pow(2,10**9,evaluate=False) Pow(theta,10**6) Rational(1,10**300) (1+theta)**200
"""
HOSTILE = HOSTILE_TEXTS.split()
NAMES = "from sympy import *\nfrom recipe import *\n"  # which a mistake may use
FUNCTIONS = [
    "exp",
    "log",
    "sqrt",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "atan",
    "erf",
    "loggamma",
    "gamma",
    "total",
    "Abs",
]
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
NUMBERS = [
    *("0", "1", "-1", "2", "3", "7", "-2", "10**9", "10**40", "(-10)**31", "1e-300", "0.1"),
    *("Rational(1, 2)", "Rational(-1, 3)", "Rational(10**20, 3)", "pi", "sqrt(2)", "True"),
]
WRAPPERS = [  # what is made of an expression e
    *("({e})**2", "sqrt(({e})**2)", "sqrt(({e})**2 - 2*({e}) + 1)", "(({e})**4)**Rational(1, 4)"),
    *("1/({e})", "exp({e})", "exp(-({e})**2)", "log(1 + ({e})**2)", "exp(log(({e})**2)/2)"),
    *("({e})**Rational(3, 2)", "({e})**10**9", "3**({e})", "(-1)**({e})", "({e})**({e})"),
    *(
        "({e}) + ({e})**17",
        "10**30*({e})",
        "({e})/10**30",
        "-({e})",
        "atan(1/({e}))",
        "sin(1/({e}))",
    ),
    *(
        "sin(1/({e}))",
        "({e})/({e})",
        "total({e})",
        "total(({e})**2)",
        "grad({e}, theta)",
        "({e}).expand()",
    ),
    *(
        "(1 + ({e}))**60",
        "((1 + ({e}))**40).expand()",
        "tan({e})",
        "gamma({e})",
        "Abs({e})",
        "[{e}]",
    ),
    "reduce(lambda a, _: sin(a), range(400), {e})",
    "reduce(lambda a, _: -2*(a + 1), range(2000), {e})",
    "reduce(lambda a, _: sqrt(1 + a**2), range(9), {e})",
    "reduce(lambda a, _: exp(-a), range(40), {e})",
    "reduce(lambda a, _: 1/(1 + a**2), range(12), {e})",
    "reduce(lambda a, k: a + sin(k*a), range(5), {e})",
    "reduce(lambda a, _: Mul(-1, a, evaluate=False), range(10**5), {e})",
    "sum((({e})**k for k in range(60)), Integer(0))",
    "prod(({e}) - k for k in range(40))",
]


def with_wrong_tokens(text: str, rng: random.Random) -> str:
    """Return a Python text with one to three tokens dropped, doubled, exchanged or replaced."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    places = [
        t
        for t in tokens
        if t.type in (tokenize.NAME, tokenize.NUMBER, tokenize.OP) and t.start[0] > 1
    ]
    lines = text.splitlines(keepends=True)
    for place in sorted(rng.sample(places, rng.randint(1, 3)), key=lambda t: t.start, reverse=True):
        row, begin, end = place.start[0] - 1, place.start[1], place.end[1]
        new = rng.choice(
            ["", place.string * 2, rng.choice(places).string, f"({rng.choice(HOSTILE)})"]
        )
        lines[row] = lines[row][:begin] + new + lines[row][end:]
    return "".join(lines)


def with_wrong_expressions(text: str, rng: random.Random, count: int | None = None) -> str:
    """Return a Python text in which one to three expressions are replaced.

    Args:
        text: a Python program.
        rng: the random choices.
        count: how many expressions; None for a random number of them.
    """
    tree = ast.parse(text)
    for _ in range(count or rng.choice([1, 1, 1, 2, 3])):
        places = list(_expressions(tree))
        if not places:
            break
        parent, field, k = rng.choice(places)
        old = getattr(parent, field) if k is None else getattr(parent, field)[k]
        new = _replaced(old, rng, [_at(*place) for place in places])
        if k is None:
            setattr(parent, field, new)
        else:
            getattr(parent, field)[k] = new
    head = "from functools import reduce\nfrom math import prod\n" + NAMES
    return head + ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _expressions(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None]]:
    """Yield the place of every expression of a program: its parent, the field, and its number."""
    for parent in ast.walk(tree):
        if isinstance(parent, ast.Import | ast.ImportFrom | ast.JoinedStr | ast.FormattedValue):
            continue
        for field, value in ast.iter_fields(parent):
            if field in ("func", "annotation", "returns", "targets", "target"):
                continue
            if isinstance(value, ast.expr) and _is_changed(value):
                yield parent, field, None
            elif isinstance(value, list):
                for k, v in enumerate(value):
                    if isinstance(v, ast.expr) and _is_changed(v):
                        yield parent, field, k


def _is_changed(node: ast.expr) -> bool:
    """Return True for an expression that can stand alone, and is no text."""
    if any(isinstance(e, ast.Slice | ast.Starred) for e in (node, *getattr(node, "elts", ()))):
        return False
    return not (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _at(parent: ast.AST, field: str, k: int | None) -> ast.expr:
    value = getattr(parent, field)
    return value if k is None else value[k]


def _replaced(old: ast.expr, rng: random.Random, others: list[ast.expr]) -> ast.expr:
    """Return an expression to put in the place of another one."""
    makers: list[Callable[[], ast.expr]] = [
        lambda: _wrapped(old, rng),
        lambda: _wrapped(old, rng),
        lambda: copy.deepcopy(rng.choice(others)),
        lambda: _parsed(f"({rng.choice(HOSTILE)})"),
    ]
    if isinstance(old, ast.BinOp):
        makers += [
            lambda: ast.BinOp(old.left, rng.choice(OPERATORS)(), old.right),
            lambda: ast.BinOp(old.right, old.op, old.left),
            lambda: rng.choice([old.left, old.right]),
        ] * 2
    if isinstance(old, ast.Call):
        names = [n for n in others if isinstance(n, ast.Call)]
        makers += [
            lambda: ast.Call(_parsed(rng.choice(FUNCTIONS)), old.args, old.keywords),
            lambda: ast.Call(rng.choice(names).func, old.args, old.keywords),
            lambda: ast.Call(old.func, rng.sample(old.args, len(old.args)), old.keywords),
            lambda: ast.Call(old.func, old.args, rng.sample(old.keywords, len(old.keywords) // 2)),
        ]
    if isinstance(old, ast.Constant):
        makers += [lambda: _parsed(rng.choice(NUMBERS))] * 4
    if isinstance(old, ast.Name):
        names = [n for n in others if isinstance(n, ast.Name)]
        makers += [lambda: copy.deepcopy(rng.choice(names))] * 4
    return rng.choice(makers)()


def _wrapped(old: ast.expr, rng: random.Random) -> ast.expr:
    return _parsed(rng.choice(WRAPPERS).format(e=ast.unparse(old)))


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


WRONG_VALUES = [
    *(0, 1, -1, 2, 10**30, 10**4200, -(2**63), 0.5, 1e308, True, False, None, "", "x", "0", "-1"),
    *("10**9", "9" * 3000, "1/0", "1/3", "\u202e", [], {}, [[]], [0], {"a": 0}, "proved", "oo"),
]


def with_wrong_fields(certificate: Any, rng: random.Random) -> Any:
    """Return plain data of which one to four parts are dropped, doubled, exchanged or replaced."""
    changed = copy.deepcopy(certificate)
    for _ in range(rng.randint(1, 4)):
        places = list(_places(changed))
        if not places:
            break
        holder, key = rng.choice(places)
        other, place = rng.choice(places)
        match rng.randrange(6):
            case 0:
                del holder[key]
            case 1:
                holder[key] = copy.deepcopy(other[place])
            case 2:
                holder[key] = _nudged(holder[key], rng)
            case 3 if isinstance(holder, list):
                holder.insert(key, copy.deepcopy(rng.choice(holder)))
            case 4:
                deep: Any = holder[key]
                for _ in range(rng.choice([2, 20, 200])):
                    deep = [deep]
                holder[key] = deep
            case _:
                holder[key] = rng.choice(WRONG_VALUES)
    return changed


def with_near_fields(certificate: Any, rng: random.Random) -> Any:
    """Return a certificate in which one or two fields have another value of the same kind; many a
    one can still be read.
    """
    changed = copy.deepcopy(certificate)
    for _ in range(rng.choice([1, 1, 1, 2])):
        path, value = rng.choice(
            [
                (path, value)
                for path, change, value in changes(changed)
                if change == "set" and value is not None and path[-1] != "more"
            ]
        )
        holder = reduce(getitem, path[:-1], changed)
        holder[path[-1]] = copy.deepcopy(value)
    return changed


def _nudged(value: Any, rng: random.Random) -> Any:
    """Return a value of the same kind that is near to another one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice([-2, -1, 1, 2, 10**6])
    if isinstance(value, str) and value.lstrip("-").isdigit():
        return str(int(value) + rng.choice([-1, 1, 10**6, 10**60]))
    if isinstance(value, str):
        return rng.choice([*FUNCTIONS, "+", "*", "^", "sym", "dim", "> 0", "vector", value + "'"])
    return rng.choice(WRONG_VALUES)


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every place in plain data: the container and the key."""
    if isinstance(data, dict | list):
        for key in list(data) if isinstance(data, dict) else range(len(data)):
            yield data, key
            yield from _places(data[key])
