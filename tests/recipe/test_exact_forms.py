"""The forms of the language are exact classes: what may have another derivative is refused."""

import pytest
from sympy import (
    Add,
    Dummy,
    Function,
    Integer,
    Mul,
    Pow,
    Rational,
    Symbol,
    Wild,
    cos,
    exp,
    log,
    sin,
    sqrt,
    symbols,
)
from sympy.core.function import AppliedUndef

from recipe import OutsideLanguageError, Recipe, RecipeError, Scalar, Vector
from recipe.language.checks.forms import evaluated
from recipe.language.checks.validate import read

x = Scalar("x")


class WrongLog(log):
    """Its derivative is 7, and it is called log."""

    def fdiff(self, argindex=1):
        return Integer(7)


class MySymbol(Symbol):
    pass


class MyFunction(AppliedUndef):
    def fdiff(self, argindex=1):
        return Integer(7)


HOSTILE = {
    "a subclass of log": WrongLog(1 + x**2),
    "a subclass of Symbol": MySymbol("c", real=True) * x,
    "a wildcard": Wild("c", real=True) * x,
    "a function with a derivative of its own": Function("f", real=True, fdiff=lambda self, i: 7)(x),
    "a subclass of AppliedUndef": MyFunction(x),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_not_of_an_exact_class_is_refused(name):
    with pytest.raises(OutsideLanguageError, match="is outside the language"):
        Recipe((x,), x**2 + HOSTILE[name], 1, 0)


def test_functions_and_symbols_of_sympy_are_read():
    theta = Vector("theta")
    f = Function("f", real=True, positive=True)
    for e in (f(x), log(1 + x**2), Symbol("c", real=True) * x, Dummy("c", real=True) * x):
        assert read(e, "H") == e
    assert read(f(theta), "H") == f(theta)


HELD = [
    (Pow(Pow(x, 2, evaluate=False), Rational(3), evaluate=False), x**6),
    (exp(log(1 + x**2), evaluate=False), 1 + x**2),
    (log(exp(x), evaluate=False), x),
    (cos(0, evaluate=False) * x, x),
    (sin(Pow(4, Rational(1, 2), evaluate=False) * x), sin(2 * x)),
    (Pow(exp(x), 2, evaluate=False), exp(2 * x)),
]


@pytest.mark.parametrize(("held", "meant"), HELD, ids=str)
def test_held_powers_and_functions_are_evaluated(held, meant):
    assert read(held, "H") == meant


def test_sums_and_products_stay_as_they_are_written():
    a = symbols("a", positive=True)
    held = Mul(2, Add(x, a), evaluate=False)
    assert str(read(held, "H")) == str(held)


def test_a_held_root_of_a_negative_number_is_no_real_number():
    with pytest.raises(RecipeError, match="finite and real"):
        Recipe((x,), x**2 + Pow(-1, Rational(1, 2), evaluate=False), 1, 0)


@pytest.mark.parametrize(
    "held", [Pow(3, 10**9, evaluate=False), Pow(Rational(2, 3), -(10**12), evaluate=False)]
)
def test_a_power_that_nobody_can_write_out_is_refused_at_once(held):
    with pytest.raises(RecipeError, match="more than a thousand digits"):
        read(held, "H")


def test_evaluation_has_an_end():
    e = sqrt(1 + sqrt(1 + x**2))
    for _ in range(20):
        e = Pow(e, 1, evaluate=False)
    assert evaluated(e) == sqrt(1 + sqrt(1 + x**2))
