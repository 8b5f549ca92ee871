"""Sums of exponentials in compiled form, against mpmath with 500 digits: finite and right where a
plain ``exp`` overflows.
"""

import math
from itertools import product

import mpmath
import pytest
from mpmath import mpf
from sympy import S, Symbol, exp, log, sqrt

from codegen.device.stable import logaddexp
from codegen.inputs.density.compiled_posterior import Density
from codegen.lowering.stable_forms import Expm1, LogAddExp, stabilised
from recipe import Posterior, Scalar

DIGITS = 500  # the second term of 1 + exp(-1000) is in the 435th
PREDICTORS = (-1000.0, -1.0, 30.0, 1000.0)
ROUNDING = (
    5e-13  # of an exponent near 1000, which is the absolute error of the logarithm of a probability
)
a, b, c = blocks = Scalar("a"), Scalar("b"), Scalar("c")


def slow_log_sum(*exponents):
    return mpmath.log(mpmath.fsum(map(mpmath.exp, exponents)))


# The log density in the language, and for mpmath; a, b, c are any of PREDICTORS.
FORMS = {
    "reference class": (
        b - log(1 + exp(a) + exp(b) + exp(c)),
        lambda a, b, c: b - slow_log_sum(0, a, b, c),
    ),
    "three classes": (a - log(exp(a) + exp(b) + exp(c)), lambda a, b, c: a - slow_log_sum(a, b, c)),
    "two classes": (c * log(exp(a) + exp(b)), lambda a, b, c: c * slow_log_sum(a, b)),
    "probability": (
        log(exp(a) / (1 + exp(a) + exp(b))) + c,
        lambda a, b, c: a + c - slow_log_sum(0, a, b),
    ),
    "probability of the reference": (
        log(1 / (1 + exp(a) + exp(b) + exp(c))),
        lambda a, b, c: -slow_log_sum(0, a, b, c),
    ),
    "two of the classes": (
        log((exp(a) + exp(b)) / (exp(a) + exp(b) + exp(c))),
        lambda a, b, c: slow_log_sum(a, b) - slow_log_sum(a, b, c),
    ),
    "a share itself": (
        (exp(a) - exp(b)) / (exp(a) + exp(b) + exp(c)),
        lambda a, b, c: (
            (mpmath.exp(a) - mpmath.exp(b)) / (mpmath.exp(a) + mpmath.exp(b) + mpmath.exp(c))
        ),
    ),
    "a root of a share": (
        exp(a / 2) / sqrt(exp(a) + exp(b) + exp(c)),
        lambda a, b, c: mpmath.exp((a - slow_log_sum(a, b, c)) / 2),
    ),
    "half-Cauchy": (
        a - log(1 + exp(2 * a) / 25) + b * c,
        lambda a, b, c: a - slow_log_sum(0, 2 * a - mpmath.log(25)) + b * c,
    ),
}


def check(form, points, rel=1e-12):
    log_density, slow = form
    density = Density(Posterior(blocks, log_density, S.Zero, {}))
    for point in points:
        with mpmath.workdps(DIGITS):
            exact = tuple(map(mpf, point))
            value = float(-slow(*exact))
            slopes = [
                float(-mpmath.diff(slow, exact, tuple(int(n == k) for n in range(3))))
                for k in range(3)
            ]
        at = dict(zip(blocks, point, strict=True))
        assert density.potential(at) == pytest.approx(value, rel=rel, abs=ROUNDING), point
        assert list(density.gradient(at).values()) == pytest.approx(
            slopes, rel=rel, abs=ROUNDING
        ), point


@pytest.mark.slow
@pytest.mark.by_default("reference class")  # each takes seconds to compile
@pytest.mark.parametrize("name", FORMS)
def test_softmax_is_finite_and_right_for_huge_predictors(name):
    check(FORMS[name], product(PREDICTORS, repeat=3))


@pytest.mark.slow
def test_a_mixture_is_finite_and_right_far_from_its_modes():
    """The exponents are 1e6 here and are rounded to 1e-10, which is the error of the weights."""
    log_density = log(
        exp(-((c - a) ** 2) / 4) / 2 + 3 * exp(-((c - b) ** 2) / 4) / 2 + exp(-(c**2) / 9)
    )

    def slow(a, b, c):
        half, three_halves = mpmath.log(0.5), mpmath.log(1.5)
        return slow_log_sum(half - (c - a) ** 2 / 4, three_halves - (c - b) ** 2 / 4, -(c**2) / 9)

    near = [
        (0.5, 0.501, 1000.0),
        (1000.0, 999.999, 1000.0),
        (0.3, -0.2, 0.1),
        (-700.0, 700.0, 0.001),
    ]
    check((log_density, slow), [*near, *product((-1000.0, 0.5, 900.0), repeat=3)], rel=2e-9)


def test_logaddexp_keeps_its_digits():
    for p, q in product((*PREDICTORS, 0.0, -40.0, -745.5, 1e-9), repeat=2):
        with mpmath.workdps(DIGITS):
            expected = float(slow_log_sum(mpf(p), mpf(q)))
        assert logaddexp(p, q) == pytest.approx(expected, rel=1e-15)
        assert logaddexp(p, q) >= max(p, q)  # so that no probability exceeds one


def test_a_block_may_be_called_like_the_functions():
    p, q = Scalar("logaddexp"), Scalar("max")
    density = Density(Posterior((p, q), log(exp(p) + 2 * exp(q)), S.Zero, {}))
    assert density.potential({p: 0.0, q: 0.0}) == pytest.approx(-math.log(3))
    assert list(density.gradient({p: 0.0, q: 0.0}).values()) == pytest.approx([-1 / 3, -2 / 3])


def test_the_sign_of_a_decay_is_still_known_where_it_is_in_a_sum():
    """``exp(a)`` alone overflows beside ``c*(1 - exp(-h))``, which must be seen to be positive."""
    h, k = Symbol("h", positive=True), Symbol("k", positive=True)
    assert stabilised(log(k * (1 - exp(-h)) + exp(a))) == LogAddExp(log(-k * Expm1(-h)), a)
