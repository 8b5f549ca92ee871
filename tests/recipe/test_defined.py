"""Where an expression has a value: what is proved to have one everywhere has one on a grid, and
what has none somewhere is never proved.
"""

import itertools

import mpmath
import pytest
from sympy import (
    Abs,
    Dummy,
    Interval,
    Symbol,
    atan,
    exp,
    lambdify,
    log,
    loggamma,
    nan,
    oo,
    pi,
    preorder_traversal,
    sign,
    sqrt,
    tan,
    tanh,
    zoo,
)

from recipe import Noise, NoncentralChiSquared, RecipeError, Update, Vector, total
from recipe.signs.defined import is_continuous, is_smooth

x, a = Symbol("x", real=True), Symbol("a", positive=True)
u, v = Vector("u", domain=Interval.open(0, 1)), Vector("v", domain=Interval(0, 1))
GRID = {
    x: ("-40", "-3", "-1.5", "-0.5", "0", "0.5", "1", "2", "40"),
    a: ("0.1", "1", "40"),
    u: ("0.001", "0.25", "0.5", "0.75", "0.999"),
    v: ("0", "0.25", "0.5", "0.75", "1"),
}
SMOOTH = [
    1 / (1 + x**2),
    1 / (1 + tanh(x)),
    log(1 + exp(x)),
    log(pi / 2 + atan(x)),
    log(2 - exp(-a)),
    sqrt(u) + log(u / (1 - u)),
    tan(pi * u / 2),
    tan(pi * (v - u) / 4),
    a**x,
    1 / (2 - v),
    loggamma(a + v),
]
CONTINUOUS = [sqrt(v), Abs(x), exp(-sqrt(1 - v))]
SOMEWHERE_UNDEFINED = [
    1 / x,
    1 / v,
    1 / (1 - 2 * u),
    x / x**2,
    log(x),
    log(v),
    log(1 - 2 * u),
    log(x**2),
    log(1 - exp(-x)),
    sqrt(x),
    sqrt(u - v),
    sqrt(tanh(x) - 1),
    exp(sqrt(log(u))),
    tan(pi * x),
    tan(pi * u),
    tan(pi * v / 2),
    loggamma(x),
    1 / (1 + tan(pi * x) ** 2),
    exp(-1 / x**2),
]


def has_a_real_value(f, at):
    try:
        value = f(*at)
    except (ZeroDivisionError, ValueError):
        return False
    return bool(mpmath.isfinite(value)) and mpmath.im(value) == 0 and abs(value) < 1e100


def is_defined_on_the_grid(e):
    """Whether an expression and each of its parts is a number everywhere, by 120 digits."""
    plain = {s: Dummy() for s in sorted(e.free_symbols, key=str)}
    with mpmath.workdps(120):
        points = list(itertools.product(*(map(mpmath.mpf, GRID[s]) for s in plain)))
        parts = [
            lambdify(list(plain.values()), p.xreplace(plain), "mpmath")
            for p in preorder_traversal(e)
        ]
        return all(has_a_real_value(f, at) for f in parts for at in points)


@pytest.mark.parametrize("e", SMOOTH, ids=str)
def test_a_smooth_expression_has_a_value_everywhere(e):
    assert is_smooth(e)
    assert is_continuous(e)
    assert is_defined_on_the_grid(e)


@pytest.mark.parametrize("e", CONTINUOUS, ids=str)
def test_a_root_that_reaches_zero_is_continuous_and_not_smooth(e):
    assert is_continuous(e)
    assert not is_smooth(e)
    assert is_defined_on_the_grid(e)


@pytest.mark.parametrize("e", SOMEWHERE_UNDEFINED, ids=str)
def test_what_has_no_value_somewhere_is_not_proved_to_have_one(e):
    assert not is_continuous(e)
    assert not is_defined_on_the_grid(e)


def test_a_jump_is_not_continuous():
    assert not is_continuous(sign(x))


def test_a_draw_has_a_law_where_its_parameters_allow_it():
    w = Noise("w", like=u)
    assert is_continuous(NoncentralChiSquared(w, a, u))
    assert not is_continuous(NoncentralChiSquared(w, x, u))
    assert not is_continuous(NoncentralChiSquared(w, a, x))


@pytest.mark.parametrize("value", [oo, -oo, zoo, nan, 0 * oo, u + oo], ids=str)
def test_what_is_infinite_is_no_expression_of_the_language(value):
    with pytest.raises(RecipeError):
        Update(a, {u: value}, total(u))
