"""Tuning keeps to its budget in what a run reports, too: a tuned run does not warn of itself."""

import warnings

import numpy as np
import pytest

from catalog.sghmc import sghmc
from catalog.sgld import sgld
from codegen import BiasWarning, sample, tune
from codegen.inputs.options import SamplingOptions
from codegen.tuning.law.pilot import pilot_run
from codegen.tuning.law.target import target_of
from codegen.tuning.linear_step import linear_step, setting_near
from codegen.tuning.prepared import prepared, scaled
from recipe import Data, Ordered, Posterior, Scalar, Vector, total
from recipe.laws import half_cauchy, normal, ordered_logistic

A = np.array([[5.0, 4.0], [4.0, 5.0]])  # the precision of a and b: a + b is narrow, a - b wide


def ordinal():
    random = np.random.default_rng(3)
    X = random.standard_normal((300, 1))
    beta, c = Vector("beta", prior=normal(0, 2)), Ordered("c", 4, prior=normal(0, 5))
    latent = X @ [0.7] + random.logistic(size=300)
    y = Data("y", np.digitize(latent, [-1.5, -0.5, 0.5, 1.5]))
    return Posterior(log_likelihood=ordered_logistic(y, total(Data("x", X, like=beta) * beta), c))


def scale():
    y = Data("y", np.random.default_rng(1).normal(2, 3, size=400))
    mu, sigma = Scalar("mu", prior=normal(0, 10)), Scalar("sigma", prior=half_cauchy(2))
    return Posterior(log_likelihood=normal(y, mu, sigma))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "posterior"),
    [(sgld, ordinal()), (sghmc, ordinal()), (sghmc, scale())],
    ids=["ordered-sgld", "ordered-sghmc", "scale"],
)
def test_a_tuned_run_is_within_the_budget_by_its_own_judgement(what, posterior):
    """The cutpoints of an ordered block are sums of gaps: noise that adds 0.06 to the standard
    deviation of every gap adds more to theirs.
    """
    tuning = tune(what, posterior, batch_size=40, max_error=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", BiasWarning)
        draws = sample(**tuning.settings, progress=False)
    assert draws.bias.judgement == "within"


@pytest.fixture(scope="module")
def step():
    a, b = Scalar("a"), Scalar("b")
    energy = (5 * (a**2 + b**2) + 8 * a * b) / 2
    posterior = Posterior((a, b), -energy, 0, derived={"sum": a + b, "difference": a - b})
    target = target_of(posterior, {})
    pilot = pilot_run(target, 4, 0)
    what = scaled(sgld, posterior, target, pilot, {})
    made = prepared(what, SamplingOptions(steps=1, step_size=1.0, params=what.params))
    near = setting_near(made, target, pilot, 0.05, None)
    return linear_step(made, pilot, *near, target.labels), what.scales


@pytest.mark.parametrize("size", [0.1, 0.3])
def test_the_bias_and_the_time_of_what_is_reported(step, size):
    """A step of Euler is ``z' = M z + noise`` with M = I - h S^2 A; the covariances at every lag,
    added one by one, say what is predicted of a, b, their sum and their difference.
    """
    linear, scales = step
    M = np.eye(2) - size * np.diag(scales**2) @ A
    law = np.zeros((2, 2))
    for _ in range(20_000):
        law = M @ law @ M.T + 2 * size * np.diag(scales**2)
    judged = np.array([[1, 0], [0, 1], [1, 1], [1, -1]])
    variance = np.einsum("ri,ij,rj->r", judged, law, judged)
    exact = np.einsum("ri,ij,rj->r", judged, np.linalg.inv(A), judged)
    found = linear.predicted(linear.at(size), size, None)
    assert found.bias.variance == pytest.approx(variance / exact, rel=5e-3)
    times, squares, lagged = np.ones(4), np.ones(4), law
    for _ in range(20_000):
        lagged = M @ lagged
        rho = np.einsum("ri,ij,rj->r", judged, lagged, judged) / variance
        times, squares = times + 2 * rho, squares + 2 * rho**2
    assert found.time == pytest.approx(np.max([times, squares]), rel=1e-3)
    assert np.argmax(times) == 3  # no coordinate is as slow as the difference
    assert np.max(times) > 1.05 * np.max(times[:2])
