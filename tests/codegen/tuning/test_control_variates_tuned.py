"""Control variates as an alternative of a tuning, against laws and variances worked out by hand."""

import numpy as np
import pytest

from catalog.hmc import hmc_kernel
from catalog.sghmc import sghmc
from catalog.sgld import sgld
from catalog.sgnht import sgnht
from codegen import sample, tune
from codegen.inputs.options import SamplingOptions
from codegen.results.diagnostics.convergence import convergence
from codegen.tuning.controlled import controlled, share_of_variance
from codegen.tuning.law.pilot import pilot_run
from codegen.tuning.law.target import target_of
from codegen.tuning.linear_step import linear_step, setting_near
from codegen.tuning.prepared import prepared, scaled
from codegen.tuning.request import Request
from recipe import Data, Posterior, RecipeError, Vector, total
from recipe.laws import normal

ROWS, COLUMNS, BATCH = 1000, 2, 20
BUDGET, ERRORS = 0.1, 4.0
random = np.random.default_rng(0)
X = random.standard_normal((ROWS, COLUMNS)) + 0.3
Y = X @ [1.0, -0.5] + random.standard_normal(ROWS)
theta = Vector("theta", prior=normal(0, 3))
POSTERIOR = Posterior(
    log_likelihood=normal(Data("y", Y), total(Data("x", X, like=theta) * theta), 1)
)
COVARIANCE = np.linalg.inv(X.T @ X + np.eye(COLUMNS) / 9)
MEAN = COVARIANCE @ X.T @ Y


@pytest.fixture(scope="module")
def tuning():
    return tune(sgld, POSTERIOR)


def test_control_variates_are_chosen_where_they_are_cheapest(tuning):
    assert tuning.settings["control_variates"] is True
    assert tuning.chosen.control_variates
    assert tuning.chosen.batch_size == BATCH
    cheapest = {
        control: min(
            a.rows for a in tuning.alternatives if a.rows and a.control_variates is control
        )
        for control in (True, False)
    }
    assert cheapest[True] < cheapest[False] / 3
    assert "20, control variates" in repr(tuning)
    assert "(control variates)" in tuning.explanation[2]
    assert tuning.as_json()["chosen"]["control_variates"] is True


def require_the_exact_law(draws):
    found = convergence(draws["theta"])
    sd = np.sqrt(np.diag(COVARIANCE))
    assert np.all(np.abs(found.mean - MEAN) / sd <= BUDGET + ERRORS * found.mcse_mean / sd)
    assert np.all(np.abs(found.sd / sd - 1) <= BUDGET + ERRORS * found.mcse_sd / sd)
    assert np.all(found.mcse_mean / sd <= 0.05)
    assert draws.bias.judgement == "within"


def test_the_tuned_run_has_the_exact_law_within_the_budget(tuning):
    require_the_exact_law(sample(**tuning.settings, progress=False))


@pytest.mark.slow
@pytest.mark.parametrize("what", [sghmc, sgnht], ids=["sghmc", "sgnht"])
def test_a_run_of_momenta_that_tunes_itself_has_the_exact_law(what):
    """The thermostat of sgnht begins where its friction is too small for the step to have a law."""
    draws = sample(what, POSTERIOR, step_size="auto", progress=False)
    require_the_exact_law(draws)
    assert draws.bias.minibatches


@pytest.mark.slow
def test_the_variance_of_a_gradient_with_control_variates_is_that_of_the_formula():
    """A row has the gradient ``-x (y - x theta)``, and less that at the mode ``x x (theta -
    mode)``; of either n of N rows have N^2/n times the variance over the rows.
    """
    target = target_of(POSTERIOR, {})
    pilot = pilot_run(target, 4, 0)
    what = scaled(sgld, POSTERIOR, target, pilot, {})
    options = SamplingOptions(steps=1, step_size=1.0, params=what.params)
    made = prepared(what, options)
    near = setting_near(made, target, pilot, 0.1, BATCH)
    plain = linear_step(made, pilot, *near, target.labels)
    by_mode = plain.estimating_by(controlled(what, options, {theta: MEAN}, target, None).kernel)
    around = np.random.default_rng(1).multivariate_normal(MEAN, COVARIANCE, size=4000)
    with_them, without = np.zeros(COLUMNS), np.zeros(COLUMNS)
    for at in around:
        with_them += np.var(X * (X @ (at - MEAN))[:, None], axis=0) / len(around)
        without += np.var(X * (Y - X @ at)[:, None], axis=0) / len(around)
    found = share_of_variance(plain, by_mode, 0.1, BATCH)
    # either variance of 96 minibatches is known within sqrt(2/95), and a mean over two coordinates
    assert found == pytest.approx(np.mean(with_them / without), rel=0.45)


def test_what_is_given_of_control_variates_stays():
    how = {"batch_size": 50, "max_error": 0.2}
    never = tune(sgld, POSTERIOR, control_variates=False, **how)
    assert never.settings["control_variates"] is False
    assert not any(a.control_variates for a in never.alternatives)
    always = tune(sgld, POSTERIOR, control_variates={"theta": MEAN}, **how)
    assert all(a.control_variates for a in always.alternatives)
    assert np.array_equal(always.settings["control_variates"]["theta"], MEAN)
    assert always.chosen.rows < never.chosen.rows / 3


def test_a_posterior_without_a_mode_has_a_reason_in_the_table(monkeypatch):
    def fail(self, start=None):
        raise RecipeError("no mode was found: it is made so")

    monkeypatch.setattr("codegen.inputs.density.compiled_posterior.Density.minimum", fail)
    tuning = tune(sgld, POSTERIOR, batch_size=100, max_error=0.2)
    said = [a.reason for a in tuning.alternatives if a.control_variates]
    assert said == ["no mode was found: it is made so"]
    with pytest.raises(RecipeError, match="no mode was found: it is made so"):
        tune(sgld, POSTERIOR, batch_size=100, control_variates=True)


def test_mistakes_are_said_in_words():
    with pytest.raises(RecipeError, match="control_variates=: a Metropolis test compares"):
        tune(hmc_kernel, POSTERIOR, control_variates=True)
    with pytest.raises(RecipeError, match="control_variates='yes' must be True, False, or"):
        tune(sgld, POSTERIOR, control_variates="yes")
    with pytest.raises(RecipeError, match="control_variates= names phi, which is no block"):
        tune(sgld, POSTERIOR, control_variates={"phi": MEAN})
    with pytest.raises(RecipeError, match="must be"):
        Request(control_variates=3)
