"""Mutants of the sources of libraries: each arithmetic token of a function, changed one at a time.

A mutant is refuted, refused, or *proved*: then the code itself must agree with the original in the
limit of small steps, which is looked at in numbers without any lift.
"""

import ast
import contextlib
import copy
import importlib
import inspect
import sys
import types
from dataclasses import dataclass

from recipe import RecipeError
from verify import verify

OTHER_OPERATION = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A changed source.

    Attributes:
        what: the change in words.
        source: the text of the module.
    """

    what: str
    source: str


def mutants(module, function):
    """Every mutant of a function of a module, nested functions included."""
    text = inspect.getsource(module)
    tree = ast.parse(text)
    target = next(
        n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == function
    )
    inside = list(_arithmetic(target))
    for k, node in enumerate(inside):
        for change, shown in _changes(node):
            changed = copy.deepcopy(tree)
            copied = next(
                n
                for n in ast.walk(changed)
                if isinstance(n, ast.FunctionDef) and n.name == function
            )
            change(list(_arithmetic(copied))[k])
            yield Mutant(f"line {node.lineno}: {shown}", ast.unparse(changed))


def _arithmetic(function):
    """The operations and numbers in the bodies of a function, not in its defaults."""
    for statement in function.body:
        for node in ast.walk(statement):
            is_operation = isinstance(node, ast.BinOp) and type(node.op) in OTHER_OPERATION
            is_minus = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
            is_number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
            if is_operation or is_minus or is_number:
                yield node


def _changes(node):
    if isinstance(node, ast.BinOp):
        other = OTHER_OPERATION[type(node.op)]
        yield (
            lambda n: setattr(n, "op", other()),
            f"{type(node.op).__name__} becomes {other.__name__} in {ast.unparse(node)}",
        )
        yield _only_left, f"the right side of {ast.unparse(node)} is gone"
    elif isinstance(node, ast.UnaryOp):
        yield lambda n: setattr(n, "op", ast.UAdd()), f"the sign of {ast.unparse(node)} is gone"
    else:
        yield (
            lambda n: setattr(n, "value", n.value + 1),
            f"{node.value} becomes {node.value + 1}",
        )


def _only_left(node):
    """``left op right`` becomes ``left``: the right side is what changes nothing."""
    neutral = 0 if isinstance(node.op, ast.Add | ast.Sub) else 1
    node.right = ast.copy_location(ast.Constant(neutral), node.right)


def loaded(mutant, original):
    """The changed module, under a name of its own."""
    name = f"mutant_of_{original.__name__.replace('.', '_')}"
    module = types.ModuleType(name)
    module.__file__ = original.__file__
    module.__package__ = original.__package__
    sys.modules[name] = module
    exec(compile(mutant.source, f"{name}.py", "exec"), vars(module))
    return module


def judged(lifted_of, module):
    """What becomes of a module: a verdict, or ``refused`` with the sentence."""
    try:
        rule = lifted_of(module)
        return verify(rule).verdict.value, rule
    except RecipeError as error:
        return "refused", error


@contextlib.contextmanager
def turned_noise():
    """Within this context normal numbers of JAX and PyTorch have the other sign."""
    holders = []
    for where, name in (("jax.random", "normal"), ("torch", "randn_like")):
        if where not in sys.modules:
            continue
        original = getattr(sys.modules[where], name)

        def turned(*arguments, drawn=original, **named):
            return -drawn(*arguments, **named)

        for module in list(sys.modules.values()):
            if vars(module).get(name) is original if hasattr(module, "__dict__") else False:
                holders.append((module, name, original))
                setattr(module, name, turned)
    try:
        yield
    finally:
        for module, name, original in holders:
            setattr(module, name, original)


def original(name):
    """The module of a library."""
    return importlib.import_module(name)
