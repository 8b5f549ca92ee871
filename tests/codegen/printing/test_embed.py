"""What a generated module contains of the device functions: what it calls, and that alone, each
after what it calls itself.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from sympy import Matrix, exp, log, sin, tanh

from codegen import device, generate
from codegen.device import random
from codegen.device.chi_squared import CHI_SQUARED
from codegen.device.defined import defined_names, names_defined_by
from codegen.device.domain import within
from codegen.device.embed import source_of, with_callees
from codegen.device.intrinsics import wide
from codegen.lowering.names import PRINTED, reserved_names
from codegen.printing import trusted_texts
from codegen.printing.module import functions_texts
from codegen.printing.numba_dialect import OURS
from recipe import Potential, Recipe, Vector, bind, total

theta = Vector("theta")
U = Potential("U", theta)
SGLD = Recipe(state=(theta,), H=U, D=Matrix([[1]]), Q=Matrix([[0]]), name="sgld")
DECORATORS = {"device", "reduction", "start_kernel", "intrinsic"}
ALWAYS = {
    "allocate",
    "jitter",
    "invalid_block",
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


def test_arguments_keep_their_defaults_and_lose_their_types():
    head = source_of(within).split("\n")[1]
    assert head == "def within(values, low, high, low_belongs=False, high_belongs=False):"


def test_no_name_of_a_text_that_is_embedded_is_handed_out():
    texts = [
        *trusted_texts.device_functions().values(),
        *trusted_texts.eight_statements(),
        *trusted_texts.header_statements(),
    ]
    defined = set().union(*map(names_defined_by, texts))
    assert {
        "pairwise_many",
        "within",
        "stop_chain",
        "join_mean",
        "Lanes",
        "LARGEST",
        "run_schedule",
        "njit",
    } <= defined
    assert defined <= reserved_names()


def test_a_name_is_kept_by_hand_only_where_a_printer_types_it():
    assert not PRINTED & defined_names()


def test_the_names_of_every_file_of_device_functions_are_found():
    """A file that is not looked through would have jitted functions whose names are not known."""
    for path in Path(device.__path__[0]).glob("*.py"):
        jitted = {
            f.name
            for f in ast.parse(path.read_text()).body
            if isinstance(f, ast.FunctionDef) and f.decorator_list
            if {ast.unparse(d).partition("(")[0] for d in f.decorator_list} & DECORATORS
        }
        assert jitted <= defined_names(), path
