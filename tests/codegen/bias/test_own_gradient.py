"""What the draws say of a gradient of one's own after the run: that it depends on more than its
arguments, and that it has the wrong sign.
"""

import re

import numpy as np
import pytest
from sympy import Matrix, Symbol

from codegen import BiasWarning, Geometric, sample
from recipe import Data, Posterior, Potential, Recipe, RecipeError, Vector

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


rng = np.random.default_rng(0)
X = rng.normal(size=(400, 3))
Y = (rng.random(400) < 1 / (1 + np.exp(-X @ [1.0, -0.5, 0.3]))).astype(float)
x, y = Data("x", like=theta), Data("y")


def regression(sign):
    """A logistic regression with a normal prior, by its gradient times a sign."""

    def gradient(theta, rows, x, y):
        some = x[rows]
        error = 1 / (1 + np.exp(-some @ theta)) - y[rows]
        return sign * (some.T @ error * len(x) / len(rows) + theta)

    return Posterior(theta, data={x: X, y: Y}, gradient=gradient)


RUNS_AWAY = "the chains run away"


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
@pytest.mark.parametrize("warmup", [0, 300])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_gradient_with_the_wrong_sign_is_said(sign, warmup):
    """Draws to -670 came with the advice to halve the step alone."""
    options = {**OPTIONS, "step_size": 2e-3, "steps": 1200, "warmup": warmup, "batch_size": 100}
    draws = sample(ONE, regression(sign), **options)
    said = [w for w in draws.warnings if RUNS_AWAY in w]
    assert len(said) == (sign < 0)
    assert all("Is that the gradient of minus the log density?" in w for w in said)
    assert sign > 0 or draws.warnings[0] == said[0]


@pytest.mark.parametrize(
    ("gradient", "start", "away"),
    [
        (lambda t: -t, 0.0, True),
        (lambda t: t, 0.0, False),
        (lambda t: t, 300.0, False),  # still on its way
        (lambda t: t - 300.0, 0.0, False),  # to a mode that is far
        (lambda t: t / (1 + t @ t), 30.0, False),  # tails so heavy that the slope grows inwards
        (lambda t: (t - 50) / (1 + abs(t - 50)), 0.0, False),
        (lambda t: 0 * t, 0.0, False),  # a random walk
    ],
)
def test_chains_without_data_that_run_away(gradient, start, away):
    options = {**OPTIONS, "steps": 500, "initial": {theta: [start, start]}}
    draws = sample(ONE, gradient=gradient, **options)
    assert any(RUNS_AWAY in w for w in draws.warnings) == away


@pytest.mark.parametrize("kind", ["wrong sign", "of its calls", "right"])
def test_a_run_with_a_schedule_is_looked_at_too(kind):
    """Nothing was said of it, as no bias is predicted where a parameter changes."""
    sign = -1 if kind == "wrong sign" else 1
    slope = AfterCalls(900 if kind == "of its calls" else 10**9, lambda t: 4 * t)
    T = Symbol("T", positive=True)
    tempered = Recipe(theta, U / T, Matrix([[T]]), Matrix([[0]]), name="tempered")
    options = {**OPTIONS, "steps": 500, "params": {"T": Geometric(2.0, 1.0, 100)}}
    start = {theta: [0.5, 1.0]}
    draws = sample(tempered, gradient=lambda t: sign * slope(t), **options, initial=start)
    said = [RUNS_AWAY, NO_FUNCTION]
    found = [any(s in w for w in draws.warnings) for s in said]
    assert found == [kind == "wrong sign", kind == "of its calls"]


@pytest.mark.parametrize("kind", ["clipped", "unscaled"])
def test_a_clipped_estimate_is_no_missing_factor_alone(kind):
    """The advice was to multiply by N/n, which was done."""

    def gradient(theta, rows, x, y):
        right = regression(1).user_gradient(theta, rows, x, y)
        return np.clip(right, -5, 5) if kind == "clipped" else right * len(rows)

    law = Posterior(theta, data={x: X, y: Y}, gradient=gradient)
    with pytest.raises(RecipeError, match=r"by N/n.* prior once\. .*it is clipped or normalised"):
        sample(ONE, law, **OPTIONS, batch_size=100, initial={theta: [0.0, 0.0, 0.0]})
