"""Points that say that a sum takes both signs, and the searches that they save."""

import time

import pytest
from sympy import Interval, Rational, Symbol, log, oo, sqrt, tan

from recipe import Parameter, Scalar, Simplex, Vector, total
from recipe.declare.where import read_conditions
from recipe.language.assumed import under
from recipe.signs.samples import takes_both_signs
from recipe.signs.sets import ANY
from recipe.signs.sign import is_positive, possible_signs

x, y = Scalar("x"), Scalar("y")
u, v = (Scalar(name, domain=Interval.open(0, oo)) for name in "uv")
half = Scalar("h", domain=Interval.open(0, Rational(1, 2)))
p = Vector("p", domain=Simplex())
a, b = Symbol("a", positive=True), Symbol("b", real=True)
n, even = Symbol("n", integer=True, positive=True), Symbol("m", even=True)
alpha = Parameter("alpha", like=p, positive=True)

BOTH = [x - 1, u - 1, u * v - a, sqrt(1 + x**2) - 2 * u, half - Rational(1, 4), alpha - 1, n - 3]
NOT_BOTH = [
    u + v,
    x**2 - 2 * x + 1,  # rounding may turn its sign where it is small
    half - Rational(1, 2),
    sqrt(1 + x**2) - x,
    n - 1,
    a + b**2,
]
NOT_COMPUTED = [p - 1, total(p) - x, even - 1, tan(x) - 1]


@pytest.mark.parametrize("e", BOTH, ids=str)
def test_both_signs_are_found(e):
    assert takes_both_signs(e)
    assert possible_signs(e) == ANY


@pytest.mark.parametrize("e", NOT_BOTH + NOT_COMPUTED, ids=str)
def test_a_sign_that_is_not_taken_is_not_found(e):
    assert not takes_both_signs(e)


def test_points_that_break_a_condition_are_not_asked():
    with under(read_conditions([a > 1])):
        assert is_positive(a - 1)
        assert is_positive((a - 1) * (1 + x**2) + log(2))


def test_signs_of_roots_over_roots_are_left_in_seconds():
    """It took more than half a minute: roots and discriminants were squared in turn."""
    above = -2 * u**3 * a - u * sqrt(u**2 + 1) + sqrt(y**2 + 1) + sqrt(2 * v**2 + 2 * a**2 + 1) - 1
    begin = time.process_time()
    assert possible_signs(-1 + above / sqrt(2 * y**2 + 1)) == ANY
    assert time.process_time() - begin < 5
