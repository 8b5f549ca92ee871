"""What the draws say of a gradient of one's own after the run: that it depends on more than its
arguments.
"""

import re

import numpy as np
import pytest
from sympy import Matrix

from codegen import BiasWarning, sample
from recipe import Data, Posterior, Potential, Recipe, Vector

theta = Vector("theta")
U = Potential("U", theta)
ONE = Recipe(theta, U, Matrix([[1]]), Matrix([[0]]), name="one")
OPTIONS = {"step_size": 0.01, "steps": 300, "chains": 2, "seed": 1, "progress": False}
NO_FUNCTION = "no function of its arguments"

pytestmark = pytest.mark.filterwarnings(f"ignore::{BiasWarning.__module__}.BiasWarning")


class AfterCalls:
    """A gradient that is another one after some calls."""

    def __init__(self, calls, then):
        self.calls, self.then = calls, then

    def __call__(self, theta, *data):
        self.calls -= 1
        return self.then(theta) if self.calls < 0 else np.array(theta)


def fails(theta):
    raise ValueError("no longer")


@pytest.mark.parametrize(
    ("then", "gives"),
    [
        (lambda t: 4 * t, r"gives \[2, 4\] after"),
        (lambda t: t * (1 + 1e-3), r"gives \[0.5005, 1.001\] after"),
        (fails, "gives an error .*no longer"),
    ],
)
def test_a_gradient_with_a_state_of_its_own_is_said(then, gives):
    """Draws of U/4 came without a word, as it differs after the first calls only."""
    options = {**OPTIONS, "initial": {theta: [0.5, 1.0]}}
    draws = sample(ONE, gradient=AfterCalls(200, then), **options)
    (said,) = [w for w in draws.warnings if NO_FUNCTION in w]
    assert "at theta = [0.5, 1], the first state of chain 0, it gave [0.5, 1] before" in said
    assert re.search(gives, said)


@pytest.mark.parametrize("then", [lambda t: t, lambda t: t * (1 + 1e-7)])
def test_one_that_is_a_function_is_not_said(then):
    draws = sample(ONE, gradient=AfterCalls(200, then), lengths={theta: 2}, **OPTIONS)
    assert not any(NO_FUNCTION in w for w in draws.warnings)


@pytest.mark.parametrize("calls", [200, 10**9])
def test_a_gradient_of_a_posterior_is_asked_from_the_same_rows(calls):
    x, values = Data("x"), np.linspace(-1, 1, 60)
    slope = AfterCalls(calls, lambda t: 4 * t)

    def gradient(theta, rows, x):
        return slope(theta) + len(x) * np.mean(theta - x[rows])

    law = Posterior(theta, data={x: values}, gradient=gradient)
    draws = sample(ONE, law, **OPTIONS, batch_size=10, lengths={theta: 1})
    assert any(NO_FUNCTION in w for w in draws.warnings) == (calls == 200)
