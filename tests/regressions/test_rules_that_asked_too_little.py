"""Rules for signs, masses and witnesses that once asked less than they need."""

import pytest
from sympy import (
    Interval,
    Matrix,
    Rational,
    Symbol,
    atan,
    exp,
    eye,
    log,
    oo,
    pi,
    sqrt,
    zeros,
)

from recipe import Parameter, Recipe, Scalar, Vector, total
from recipe.signs.sign import possible_signs
from verify import Verdict, verify
from verify.diffusion.infinity.polynomial import decide_polynomial
from verify.engine import outcome_of

a, n = Symbol("a", positive=True), Symbol("n", integer=True, positive=True)
x = Scalar("x")
theta = Vector("theta")
r = Vector("r", like=theta)
p = Parameter("p", like=theta, positive=True)


@pytest.mark.parametrize(
    ("e", "sign"),
    [
        (a**2 - a + 1 + sqrt(a**4 + 3 * a**2 + 11), 1),
        (-(a**2) + a - 1 - sqrt(a**4 + 3 * a**2 + 11), -1),
        (-6 * sqrt(3) - 2 * pi - 2 * log(2) + 3 * atan(5) / 2 + 2 * exp(Rational(4, 3)) / 3, -1),
        (2 * a + 1 - sqrt(a**2 + a), 1),
        (a - sqrt(a**2 + a + 1), -1),
    ],
)
def test_a_sum_with_a_root_has_the_sign_of_its_value(e, sign):
    """The rule squared both sides without asking whether rest and slope are opposite."""
    assert sign in possible_signs(e)


def test_an_improper_law_with_such_a_factor_is_not_proved():
    factor = a**2 - a + 1 + sqrt(a**4 + 3 * a**2 + 11)
    improper = Recipe((x,), -factor * x**2 / 2, Matrix([[1]]), zeros(1, 1))
    assert outcome_of(improper, "normalisable").verdict is Verdict.REFUTED
    normal = Recipe((x,), factor * x**2 / 2, Matrix([[1]]), zeros(1, 1))
    assert outcome_of(normal, "normalisable").verdict is Verdict.PROVED


def test_a_witness_that_is_put_meets_the_conditions():
    """D is positive for every n <= 10, and a larger whole number was put into the point."""
    declared = Recipe((x,), x**2 / 2, Matrix([[101 - n**2]]), zeros(1, 1), where=[n <= 10])
    assert outcome_of(declared, "diffusion-psd").verdict is not Verdict.REFUTED
    free = Recipe((x,), x**2 / 2, Matrix([[101 - n**2]]), zeros(1, 1))
    assert outcome_of(free, "diffusion-psd").verdict is Verdict.REFUTED


def test_a_condition_on_a_length_holds_for_the_witness():
    d = theta.dim
    falls = (d - 1) * (d - 2) * (d - 3)
    declared = Recipe(theta, total(theta**2), 1 - falls, 0, where=[d <= 3])
    assert outcome_of(declared, "diffusion-psd").verdict is not Verdict.REFUTED
    assert outcome_of(Recipe(theta, total(theta**2), 1 - falls, 0), "diffusion-psd").verdict is (
        Verdict.REFUTED
    )


def test_slopes_that_differ_between_coordinates():
    """Along (1, -1) with p = (1, 10) H goes to -oo."""
    H = total(p * (sqrt(1 + theta**2) + 3 * theta) / 2) + total(theta) ** 2
    assert outcome_of(Recipe(theta, H, 1, 0), "normalisable").verdict is not Verdict.PROVED


def test_powers_that_differ_between_coordinates():
    """At p = (1/10, 10), theta = (t, 0) and r = (0, sqrt(t)) H goes to -oo."""
    H = (
        total((1 + theta**2) ** ((1 + p) / 2))
        + total((1 + r**2) ** (((1 + p) / p + 1) / 2))
        - total(theta) * total(r)
    )
    declared = Recipe((theta, r), H, eye(2), zeros(2))
    assert outcome_of(declared, "normalisable").verdict is not Verdict.PROVED


def test_a_power_with_a_variable_exponent_ends_in_a_verdict():
    u = Scalar("u", domain=Interval.open(0, oo))
    H = x**2 + u ** (1 + x**2) - log(1 + x**2) - x**2 * log(u)
    report = verify(Recipe((x, u), H, eye(2), zeros(2), marginal={x: x**2}))
    assert report.verdict in set(Verdict)


@pytest.mark.parametrize("decay", [exp(-8 * x**2), (1 + x**2) ** -a])
def test_a_power_whose_factor_vanishes_in_another_coordinate(decay):
    """``y^4 exp(-8 x^2) + x^2``: the integral over y grows like ``exp(2 x^2)``."""
    y = Scalar("y")
    H = decay * y**4 + x**2
    assert decide_polynomial(H, (x, y)) is None
    verdict = outcome_of(Recipe((x, y), H, eye(2), zeros(2)), "normalisable").verdict
    assert verdict is not (Verdict.PROVED if decay.has(exp) else Verdict.REFUTED)
