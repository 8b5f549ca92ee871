"""Signs: what is proved is true at sampled points, and what people write is proved."""

import itertools
import random

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import (
    Dummy,
    Expr,
    Function,
    Interval,
    Rational,
    Symbol,
    atan,
    cos,
    cosh,
    erf,
    exp,
    lambdify,
    log,
    oo,
    pi,
    sign,
    sin,
    sqrt,
    symbols,
    tanh,
)

from recipe import Field, Noise, NoncentralChiSquared, Simplex, Vector, total
from recipe.signs.sign import is_nonnegative, is_nonzero, is_positive, possible_signs
from verify.decide.nonnegative.syntactic_forms import readable_form

a, c = Symbol("a", positive=True), Symbol("c", positive=True)
n, m = Symbol("n", nonnegative=True), Symbol("m", negative=True)
x, y = Symbol("x", real=True), Symbol("y", real=True)
theta = Vector("theta")
u = Vector("u", domain=Interval.open(0, 1))
v = Vector("v", domain=Interval(0, 1))
k = Vector("k", domain=Interval(-1, oo))
w = Vector("w", domain=Simplex())
g = Function("g", positive=True)


@pytest.mark.parametrize(
    "e",
    [
        a * c,
        a + n,
        1 + x**2,
        1 / (1 + theta**2),
        exp(x) - m,
        sqrt(a),
        g(theta),
        Field("F", theta, positive=True),
        theta.dim,
        total(g(theta)),
        log(1 + exp(x)),
        cosh(x) * a,
        u * (1 - u),
        1 - u,
        2 - v,
        x**2 - 2 * x + 2,
        x**2 + x * y + y**2 + 1,
        1 - total(w),
        w * (1 - total(w)),
        a**x,
        (1 + x**2) ** Rational(-3, 2),
        -m,
        2 + k,
        tanh(a),
        1 - exp(-a),
        exp(a * c) - 1,
        NoncentralChiSquared(Noise("z", like=theta), a, n),
    ],
    ids=str,
)
def test_positive(e):
    assert is_positive(e)


S = total(w)
ROOT = sqrt(1 - S)
ON_SIMPLEX = [  # with the signs that they have
    (1 + ROOT - S, {1}),
    (1 - S / (1 + ROOT), {1}),
    (2 - S, {1}),
    (a + c - a * S, {1}),
    (S - 1, {-1}),
    (S - 2 * a - 1, {-1}),
    (1 / (1 + ROOT) - 1, {-1}),
    (2 * n * ROOT - n * S + n, {0, 1}),
    (1 - 2 * S, {-1, 0, 1}),
    (ROOT - S, {-1, 0, 1}),
    (a - S, {-1, 0, 1}),
    (1 - S / ROOT, {-1, 0, 1}),
    (1 - total(w**2) - S, {-1, 0, 1}),
    (2 - 1 / (1 - S), {-1, 0, 1}),
    (1 + 1 / (S - 2), {0, 1, -1}),
]


@pytest.mark.parametrize(("e", "signs"), ON_SIMPLEX, ids=[str(e) for e, _ in ON_SIMPLEX])
def test_signs_on_the_simplex_are_those_of_values(e, signs):
    assert possible_signs(e) == signs
    form = readable_form(e)
    for s in (Rational(1, 100), Rational(1, 2), Rational(9, 10), Rational(99, 100)):
        for size in (Rational(1, 10), 1, 5):
            values = {S: s, a: size, c: 1 / size, n: size - Rational(1, 10), total(w**2): s**2 / 2}
            value = e.xreplace(values)
            assert sign(value) in signs
            assert abs((form.xreplace(values) - value).evalf()) < 1e-12


@pytest.mark.parametrize(
    "e",
    [x**2, n, n * a, total(theta**2), v * (1 - v), x**2 - 2 * x + 1, 1 + k, x**2 * y**2 + n],
    ids=str,
)
def test_nonnegative_but_not_positive(e):
    assert is_nonnegative(e)
    assert not is_positive(e)


@pytest.mark.parametrize(
    "e",
    [
        x,
        x - y,
        1 - x**2,
        theta,
        a - c,
        log(a),
        x**2 - 1,
        1 - 2 * u,
        total(theta),
        1 - total(u),
        x * a,
    ],
    ids=str,
)
def test_no_sign_is_claimed_where_there_is_none(e):
    assert possible_signs(e) == {-1, 0, 1}


def test_numbers_in_a_sum_are_one_term():
    assert possible_signs(pi / 2 - 1 + a) == {1}
    assert possible_signs(3 - pi - a) == {-1}
    assert possible_signs(pi / 2 - 2 + a) == {-1, 0, 1}
    assert possible_signs(3 - pi + a) == {-1, 0, 1}


def test_nonzero_is_weaker_than_a_sign():
    s = Symbol("s", real=True, nonzero=True)
    assert is_nonzero(s)
    assert is_nonzero(1 / s)
    assert not is_positive(s)


RANGES = {
    a: (1, 64),
    c: (1, 64),
    n: (0, 64),
    m: (-64, -1),
    x: (-64, 64),
    y: (-64, 64),
    u: (1, 15),
    v: (0, 16),
}


@st.composite
def expressions(draw: st.DrawFn) -> Expr:
    words = [*RANGES, Rational(1, 2), Rational(-1), Rational(2), 1 - u, 1 - v]
    e = draw(st.sampled_from(words))
    for _ in range(draw(st.integers(1, 4))):
        other = draw(st.sampled_from(words))
        e = draw(
            st.sampled_from(
                [
                    e + other,
                    e * other,
                    e - other,
                    e**2,
                    exp(e / 16),
                    e**2 - e * other + other**2,
                    1 / (1 + e**2),
                ]
            )
        )
    return e


@settings(derandomize=True, deadline=None, max_examples=300)
@given(expressions(), st.integers(0, 10**6))
def test_the_sign_at_a_point_is_among_the_possible_ones(e, seed):
    rng = random.Random(seed)
    point = {s: Rational(rng.randint(*ends), 16) for s, ends in RANGES.items()}
    value = e.subs(point).evalf(40)
    assert int(bool(value > 0)) - int(bool(value < 0)) in possible_signs(e)


# Each bound is attained, approached or crossed; the signs are those that the expression has.
BETWEEN_BOUNDS = [
    (1 + tanh(x), {1}),
    (a - a * tanh(x), {1}),
    (-1 - tanh(x), {-1}),
    (tanh(x) + Rational(99, 100), {-1, 0, 1}),
    (1 + erf(x), {1}),
    (1 - 2 * erf(x), {-1, 0, 1}),
    (pi / 2 + atan(x), {1}),
    (1 - 2 * atan(x) / pi, {1}),
    (atan(x) - pi / 2, {-1}),
    (Rational(3, 2) - atan(x), {-1, 0, 1}),
    (1 + sin(x), {0, 1}),
    (2 - cos(x), {1}),
    (cos(x) - 1, {-1, 0}),
    (2 - exp(-a), {1}),
    (1 - exp(-n), {0, 1}),
    (3 - 2 * exp(-n), {1}),
    (exp(-a) - 2, {-1}),
    (2 - exp(a), {-1, 0, 1}),
    (Rational(1, 2) - exp(-a), {-1, 0, 1}),
    (2 * exp(n) - 2, {0, 1}),
    (3 - tanh(x) - exp(-a) - sin(y), {1}),
    (cos(pi * u / 2), {1}),
    (cos(pi * v / 2), {-1, 0, 1}),
    (cos(pi * u), {-1, 0, 1}),
    (cos(x), {-1, 0, 1}),
]
GRID = {
    a: ("0.01", "0.1", "0.4", "0.7", "1", "5", "60"),
    n: ("0", "0.01", "0.4", "1", "60"),
    x: ("-15", "-5", "-2", "-1", "-0.1", "0", "0.6", "1", "1.6", "3", "14.2", "15"),
    y: ("-3", "-1.5", "0", "1.5", "4.8"),
    v: ("0", "0.5", "1"),
    u: ("0.001", "0.2", "0.5", "0.9", "0.999"),
}


def signs_on_the_grid(e):
    """The signs of an expression at numbers of 200 digits."""
    given_to = sorted(e.free_symbols, key=str)
    plain = {s: Dummy() for s in given_to}
    f = lambdify(list(plain.values()), e.xreplace(plain), "mpmath")
    with mpmath.workdps(200):
        points = itertools.product(*(map(mpmath.mpf, GRID[s]) for s in given_to))
        return {int(mpmath.sign(mpmath.chop(f(*at), tol="1e-150"))) for at in points}


@pytest.mark.parametrize(("e", "signs"), BETWEEN_BOUNDS, ids=[str(e) for e, _ in BETWEEN_BOUNDS])
def test_signs_of_what_lies_between_bounds_are_those_on_a_grid(e, signs):
    assert possible_signs(e) == signs
    assert signs_on_the_grid(e) <= signs


@pytest.mark.slow
@pytest.mark.by_default(1)
@pytest.mark.parametrize("seed", range(5))
def test_no_sum_of_bounded_functions_has_a_sign_that_was_excluded(seed):
    rng = random.Random(seed)
    functions = (tanh(x), atan(x), erf(x), sin(x), cos(y), exp(-a), exp(-n), exp(a), exp(y))
    sizes = [Rational(k, 2) for k in range(-4, 5)] + [pi / 2, -pi / 2, a, -a, n]
    proved = 0
    for _ in range(60):
        e = rng.choice(sizes) + sum(rng.choice(sizes) * rng.choice(functions) for _ in range(2))
        signs = possible_signs(e)
        assert signs_on_the_grid(e) <= signs, e
        proved += signs != {-1, 0, 1}
    assert 6 < proved < 54


def test_a_sum_of_many_bounded_functions_takes_few_steps():
    """One function after another, each at both bounds, would take two to the power of their
    number.
    """
    letters = symbols("l:9", positive=True)
    functions = (exp, atan, erf)
    e = sum((-1) ** k * (k + 2) * functions[k % 3](-s) for k, s in enumerate(letters))
    count = possible_signs.cache_info().misses
    possible_signs(e)
    assert possible_signs.cache_info().misses - count < 500
