"""Arguments of laws that must be above 0, where they are expressions of several symbols."""

import warnings

import pytest
from sympy import Integer, Interval, exp, oo, sqrt

from recipe import Data, RecipeError, Scalar, Simplex, Vector, total
from recipe.laws import bernoulli, mixture, normal, poisson
from recipe.laws.above_zero import SupportWarning

A, B = Scalar("a"), Scalar("b", domain=Interval.open(0, oo))
Y, X, G = Data("y"), Data("x"), Data("g")
THETA = Vector("theta", domain=Interval.open(0, oo))
W = Vector("w", domain=Simplex())


@pytest.mark.parametrize(
    "scale",
    [B + 1, exp(A), sqrt(A**2 + 1), THETA[G], B * exp(A * X), A**2, 1 / THETA[0]],
)
def test_a_scale_that_is_seen_to_be_positive_demands_nothing(scale):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert normal(Y, 0, scale).demands == ()


@pytest.mark.parametrize(
    ("law", "point"),
    [
        (lambda: normal(Y, 0, A + 1), "-1 at a = -2"),
        (lambda: normal(Y, 0, B - 3), "at b = "),
        (lambda: poisson(Y, A * B), "at a = -1, b = 1"),
        (lambda: bernoulli(Y, B / 2), "1 less the p of bernoulli"),
        (lambda: mixture([B, 1 - B], [normal(Y, 0, 1)] * 2), "at b = 2"),
    ],
)
def test_a_scale_that_is_negative_somewhere_is_refused_with_the_point(law, point):
    with pytest.raises(RecipeError, match="must be above 0") as error:
        law()
    assert point in str(error.value)


def test_data_must_have_the_sign_that_makes_it_positive():
    (strict,) = normal(Y, 0, B * X).demands
    assert (strict.data, strict.lower, strict.open) == (X, Integer(0), True)
    (weak,) = normal(Y, 0, B + B * X).demands
    assert (weak.data, weak.lower, weak.open) == (X, Integer(0), False)


def test_an_open_sign_is_a_warning():
    with pytest.warns(SupportWarning, match=r"the rate of poisson is a\*x"):
        poisson(Y, A * X)


def test_probabilities_of_a_simplex_are_positive():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mixture([W[0], W[1], 1 - total(W)], [normal(Y, k, 1) for k in range(3)])
        bernoulli(Y, W[0])
        bernoulli(Y, total(W))
