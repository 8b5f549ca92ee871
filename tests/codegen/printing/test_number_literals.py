"""Numbers in generated code: each literal is read as the binary number it is, and together they are
exactly what was meant.
"""

from __future__ import annotations

import ast
import operator
import random
from fractions import Fraction

import pytest
import sympy
from sympy import Rational, Symbol, pi

from codegen.printing.expression import text_of
from codegen.printing.numba_dialect import NUMBA
from recipe import RecipeError

x = Symbol("x", real=True)
OPERATIONS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def exact(node: ast.AST, **names: Fraction) -> Fraction:
    """The value of a text without any rounding."""
    match node:
        case ast.Constant(value=value):
            assert isinstance(value, float)
            return Fraction(value)
        case ast.Name(id=name):
            return names[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -exact(operand, **names)
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATIONS[type(op)](exact(left, **names), exact(right, **names))
    raise AssertionError(ast.dump(node))


def read(text: str, **names: Fraction) -> Fraction:
    return exact(ast.parse(text, mode="eval").body, **names)


def numbers():
    rng = random.Random(3)
    yield from [
        (1, 10),
        (-1, 3),
        (1, 4),
        (10**30, 1),
        (-(10**30), 1),
        (12345678901234567891, 10**25),
        (2**53 + 1, 1),
        (0, 1),
    ]
    for _ in range(500):
        above = rng.choice(
            [rng.randint(-20, 20), rng.randint(-(10**22), 10**22), 10 ** rng.randint(1, 40)]
        )
        yield above, rng.choice([1, 2, 3, 10, 64, 10**17, 10**25, rng.randint(1, 10**30)])


def test_a_rational_number_is_exactly_what_is_meant_in_any_place():
    for above, below in numbers():
        e, value, at = Rational(above, below), Fraction(above, below), Fraction(7, 5)
        assert read(text_of(e, NUMBA)) == value
        assert read(text_of(e * x, NUMBA), x=at) == value * at
        assert read(text_of(x - e, NUMBA), x=at) == at - value
        assert read(text_of(1 / (x + e), NUMBA), x=at + abs(value)) == 1 / (at + abs(value) + value)


@pytest.mark.parametrize(
    ("e", "text"),
    [
        (Rational(1, 10), "1.0 / 10.0"),
        (x / 10, "(1.0 / 10.0) * x"),
        (x / 4, "0.25 * x"),
        (-x / 3, "(-1.0 / 3.0) * x"),
        (pi * x, "math.pi * x"),
        (sympy.E * x, "math.e * x"),
        (sympy.sqrt(2) * x, "x * math.sqrt(2.0)"),
        (x**-2, "1.0 / x ** 2"),
        (sympy.Integer(10**30), "1e+30 - 19884624838656.0"),
    ],
)
def test_how_numbers_look(e, text):
    assert text_of(e, NUMBA) == text


def test_a_number_without_a_name_in_python_is_refused():
    with pytest.raises(RecipeError, match="EulerGamma"):
        text_of(sympy.EulerGamma * x, NUMBA)


def test_a_number_that_needs_more_than_a_float_holds_is_refused():
    largest, least = 2**1024 - 2**971, Fraction(1, 2**1074)
    assert read(text_of(sympy.Integer(largest), NUMBA)) == largest
    assert read(text_of(Rational(least.numerator, least.denominator), NUMBA)) == least
    assert read(text_of(Rational(1, largest) * x, NUMBA), x=Fraction(1)) == Fraction(1, largest)
    for e in (
        sympy.Integer(10) ** 400,
        sympy.Integer(largest + 1),
        Rational(-1, 10**320),
        Rational(10**400 + 1, 10**400),
    ):
        with pytest.raises(RecipeError, match=r"above 1\.8e\+308; give it as a parameter"):
            text_of(e * x, NUMBA)
