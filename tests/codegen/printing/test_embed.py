"""What a generated module contains of the device functions: what it calls, and that alone, each
after what it calls itself.
"""

from __future__ import annotations

import ast

import pytest
from sympy import Matrix, exp, log, sin, tanh

from codegen import generate
from codegen.device import random
from codegen.device.chi_squared import CHI_SQUARED
from codegen.device.embed import with_callees
from codegen.device.intrinsics import wide
from codegen.lowering.names import OWN
from codegen.printing import trusted_texts
from codegen.printing.expression import OURS
from codegen.printing.module import functions_texts
from recipe import Potential, Recipe, Vector, bind, total

theta = Vector("theta")
U = Potential("U", theta)
SGLD = Recipe(state=(theta,), H=U, D=Matrix([[1]]), Q=Matrix([[0]]), name="sgld")
ALWAYS = {
    "allocate",
    "jitter",
    "guilty",
    "keep",
    "step",
    "run",
    "run_schedule",
    "allocate_many",
    "run_many",
}


def module(target):
    return ast.parse(generate(bind(SGLD, {U: total(target)})).source)


def functions(tree):
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def names(node):
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


@pytest.mark.parametrize(
    ("target", "has", "has_not"),
    [
        (theta**2 / 2, {"fma", "wide", "normal_pair"}, {"exp", "exponential", "log", "sigmoid"}),
        (
            log(1 + exp(theta)) + theta**2,
            {"sigmoid", "exp", "exponential"},
            {"log", "softplus", "expm1", "tanh"},
        ),
        (theta**2 + exp(tanh(theta)), {"tanh", "expm1", "exp"}, {"log", "log1p"}),
        (theta**2 + sin(theta), set(), {"sin", "cos", "exp"}),
    ],
)
def test_a_module_contains_what_it_calls_and_nothing_else(target, has, has_not):
    found = functions(module(target))
    assert has <= found.keys()
    assert not has_not & found.keys()
    used = set().union(*(names(f) - {name} for name, f in found.items()))
    assert found.keys() - used <= ALWAYS


def test_what_is_called_stands_before_it_is_called():
    order = list(
        dict.fromkeys(
            with_callees(
                [
                    *random.EMBEDDED,
                    *random.MINIBATCH,
                    random.log_uniform,
                    *CHI_SQUARED,
                    *OURS.values(),
                ]
            )
        )
    )
    assert len(order) > 30
    tree = ast.parse("\n".join(functions_texts([], order, rows=False)))
    seen = set()
    for name, function in functions(tree).items():
        called = {
            n.func.id
            for n in ast.walk(function)
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
        }
        ours = called & functions(tree).keys()
        assert ours <= seen, name
        seen.add(name)


def test_nothing_is_said_twice():
    assert with_callees([wide, wide]) == [wide]


def test_no_name_of_a_text_that_is_embedded_is_handed_out():
    texts = [
        *trusted_texts.device_functions().values(),
        *trusted_texts.eight_statements(),
        *trusted_texts.header_statements(),
    ]
    defined = {name for text in texts for node in ast.parse(text).body for name in own_names(node)}
    assert {"pairwise_many", "Lanes", "LARGEST", "run_schedule", "njit"} <= defined
    assert defined <= OWN


def own_names(node):
    """What a statement of a module defines."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return {alias.asname or alias.name for alias in aliases}
        case ast.Assign(targets=targets):
            return {target.id for target in targets}
    return set()
