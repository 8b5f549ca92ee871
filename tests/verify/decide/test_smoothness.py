"""How many continuous derivatives an expression has for certain, beside one-sided derivatives of
60 digits.
"""

import random

import mpmath
import pytest
from sympy import Abs, Interval, Pow, Rational, Symbol, atan, exp, lambdify, log, sign, sin, sqrt

from recipe import Potential, Scalar, Vector, total
from recipe.signs.defined import is_smooth
from verify.decide.smoothness import NOT_CONTINUOUS, Fault, faults, first_fault

x, y = Scalar("x"), Scalar("y")
half_line = Scalar("u", domain=Interval.open(0, 1))
theta = Vector("theta")
U = Potential("U", theta)
a = Symbol("a", positive=True)
h = Symbol("h", positive=True)
SQUARE = x**2 - 2 * x + 1  # of x - 1, as sympy leaves it under a root

# An expression of x, the point where it is not smooth, and the derivatives that are found for it.
ROUGH = [
    (sqrt(SQUARE), 1, 0),
    (SQUARE ** Rational(3, 2), 1, 2),
    (SQUARE ** Rational(5, 2), 1, 4),
    (SQUARE ** Rational(1, 4), 1, 0),
    (SQUARE ** Rational(3, 4), 1, 1),
    (sqrt(SQUARE * (x**2 + 1)), 1, 0),
    (sqrt((4 * x**2 - 4 * x + 1) / (1 + x**2)), Rational(1, 2), 0),
    (sqrt(x**4 - 2 * x**3 + x**2), 0, 0),
    (Pow(Pow(x, 2, evaluate=False), Rational(1, 2), evaluate=False), 0, 0),
    ((x**2) ** Rational(1, 3), 0, 0),
    (exp(-sqrt(SQUARE)), 1, 0),
    (sqrt(1 + SQUARE ** Rational(3, 2)), 1, 2),
    (Abs(x**3 - 1) ** 3, 1, 0),  # sympy splits the power
    (x * Abs(x - 1), 1, 0),
    (exp(a * log(SQUARE)), 1, NOT_CONTINUOUS),
    (atan(1 / x), 0, NOT_CONTINUOUS),
    (1 / x, 0, NOT_CONTINUOUS),
    (log(x), 0, NOT_CONTINUOUS),
    (sign(x - 1), 1, NOT_CONTINUOUS),
    (sqrt(x**2 + y**2), 0, 0),
]


def ids(case):
    return str(case[0])


@pytest.mark.parametrize("case", ROUGH, ids=ids)
def test_the_derivatives_that_are_certain(case):
    e, _, order = case
    assert min(f.order for f in faults(e, (x, y))) == order


@pytest.mark.parametrize("case", [c for c in ROUGH if c[2] >= 0], ids=ids)
def test_numbers_agree_that_these_derivatives_do_not_jump(case):
    """All derivatives up to the order have one limit from both sides, by numbers."""
    e, at, order = case
    for k in range(order + 1):
        below, above = (slope(e, at, k, side) for side in (-1, 1))
        assert abs(below - above) < mpmath.mpf(10) ** -3


@pytest.mark.parametrize(
    "case", [c for c in ROUGH if c[0] in (sqrt(SQUARE), SQUARE ** Rational(3, 2))], ids=ids
)
def test_numbers_agree_that_the_next_one_jumps(case):
    e, at, order = case
    below, above = (slope(e, at, order + 1, side) for side in (-1, 1))
    assert abs(below - above) > 0.5


def slope(e, at, order, side):
    """A derivative beside a point, by central differences of 60 digits."""
    with mpmath.workdps(60):
        function = lambdify(x, e.subs(y, 0), "mpmath")
        place = mpmath.mpf(at.p) / at.q if isinstance(at, Rational) else mpmath.mpf(at)
        near = place + side * mpmath.mpf(10) ** -14
        return mpmath.diff(function, near, order, h=mpmath.mpf(10) ** -18)


SMOOTH = [
    sqrt(1 + x**2),
    sqrt(half_line),
    log(1 - half_line),
    1 / (1 + exp(x)),
    (x**2 - 2 * x + 1) ** 2,
    sqrt(SQUARE**2 * exp(2 * a)),
    (x**4) ** Rational(1, 2),
    sqrt(a) * x,
    (x**6 + x**8) ** Rational(1, 3),
    Abs(x),  # a kink of a coordinate is judged by itself
    sqrt(1 + total(theta**2)) + U,
    total(sqrt(1 + theta**2)),
]


@pytest.mark.parametrize("e", SMOOTH, ids=str)
def test_what_is_smooth_has_no_fault(e):
    assert faults(e, (x, half_line, theta)) == ()


@pytest.mark.parametrize("seed", range(60))
def test_the_plain_question_has_no_other_answer(seed):
    """What ``is_smooth`` takes for smooth has no fault."""
    e = random_expression(random.Random(seed), 3)
    assert not (is_smooth(e) and faults(e, (x, y)))


def test_the_plain_question_is_answered_both_ways():
    found = [is_smooth(random_expression(random.Random(seed), 3)) for seed in range(60)]
    assert 10 < sum(found) < 50
    assert not any(is_smooth(e) for e, _, _ in ROUGH)


def random_expression(rng, depth):
    if depth == 0:
        return rng.choice((x, y, a, x - 1, x**2 + 1, y**2 + a, total(theta**2)))
    one, other = (random_expression(rng, depth - 1) for _ in range(2))
    made = [
        lambda: one + other,
        lambda: one * other,
        lambda: sqrt(one**2 + a),
        lambda: sqrt(one) + other,
        lambda: other / one,
        lambda: (one**2 + rng.choice((0, 1))) ** Rational(rng.choice((1, 3, -1, -2)), 2),
        lambda: log(one**2 + rng.choice((0, 1, 2))),
        lambda: exp(-(one**2)) + 1 / (1 + other**2),
        lambda: Abs(one) if rng.random() < 0.2 else sin(one),
    ]
    return rng.choice(made)()


def test_a_root_within_a_sum_over_coordinates_is_found():
    (found,) = faults(total(sqrt(theta**2 - 2 * theta + 1)), (theta,))
    assert found.order == 0
    assert str(found.zero) == "theta[k] - 1"


def test_a_root_of_a_norm_is_not_smooth_at_the_origin():
    (found,) = faults(sqrt(total(theta**2)), (theta,))
    assert found == Fault(sqrt(total(theta**2)), total(theta**2), 0)


def test_what_the_state_does_not_reach_is_no_fault():
    b = Symbol("b", real=True)
    assert faults(sqrt((b - 1) ** 2 + 0 * x) * x, (x,)) == ()
    assert faults(log(y) * x, (x,)) == ()


def test_a_root_of_the_step_is_smooth_for_small_steps():
    assert faults(sqrt(1 - h * x), (x,), h) == ()
    assert faults(sqrt(1 - h * x), (x,)) != ()
    assert faults(sqrt(x**2 + h), (x,), h) == ()


def test_zeros_of_an_abstract_function_need_one_derivative_more():
    """They may be Cantor's set, and a function that is constant off it need not be constant."""
    elementary, abstract = SQUARE ** Rational(3, 4), U**2 * (U**2) ** Rational(3, 4)
    assert first_fault(elementary, (x,), 1) is None
    assert first_fault(elementary, (x,), 2) is not None
    assert first_fault((1 + sin(U)) ** Rational(3, 2), (theta,), 1) is not None
    assert first_fault((1 + sin(U)) ** Rational(3, 2), (theta,), 0) is None
    assert faults(abstract, (theta,))
