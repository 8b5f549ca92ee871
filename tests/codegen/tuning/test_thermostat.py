"""Tuning of thermostats: their number is held where each step size and minibatch lets it stay."""

import numpy as np
import pytest

from catalog.hmc import hmc_kernel
from catalog.posteriors.linear import posterior as linear
from catalog.sgnht import sgnht
from codegen import sample, tune
from codegen.results.diagnostics.convergence import convergence
from recipe import Data, Posterior, Vector, total

theta = Vector("theta")
x = Data("x", like=theta)
ROWS, DIMENSION = 300, 5
BUDGET, ERRORS = 0.1, 4.0


def require_within(found, mean, sd, more=0.0):
    error = ERRORS * np.hypot(found.mcse_mean, more) / sd
    assert np.all(np.abs(found.mean - mean) / sd <= BUDGET + error)
    assert np.all(np.abs(found.sd / sd - 1) <= BUDGET + ERRORS * np.hypot(found.mcse_sd, more) / sd)


@pytest.mark.slow_for("all, semi-implicit", "30 rows", "30 rows, semi-implicit")
@pytest.mark.parametrize(
    ("batch", "scheme"),
    [(None, "badodab"), (None, "semi-implicit"), (30, "badodab"), (30, "semi-implicit")],
    ids=["all", "all, semi-implicit", "30 rows", "30 rows, semi-implicit"],
)
def test_a_tuned_thermostat_has_the_law_within_the_budget(batch, scheme):
    """Given the rows, each coordinate is normal with the mean N m/(N + 1), variance 1/(N + 1)."""
    values = np.random.default_rng(1).normal(0.5, 1.0, (ROWS, DIMENSION))
    law = Posterior(theta, -total((x - theta) ** 2) / 2, -total(theta**2) / 2, data={x: values})
    tuning = tune(sgnht, law, batch_size=batch, scheme=scheme, max_error=0.08)
    assert tuning.chosen.scheme == scheme
    assert tuning.chosen.batch_size == (batch or tuning.chosen.batch_size)
    assert set(tuning.chosen.friction) == {"A"}
    draws = sample(**tuning.settings, progress=False)
    mean = values.sum(axis=0) / (ROWS + 1)
    require_within(convergence(draws["theta"]), mean, np.sqrt(1 / (ROWS + 1)))
    assert draws.bias.judgement == "within"


@pytest.mark.slow
def test_a_tuned_thermostat_agrees_with_an_exact_kernel():
    def moments(draws):
        arrays = [draws[b.name] for b in linear.blocks]
        return convergence(np.concatenate([a.reshape(*a.shape[:2], -1) for a in arrays], -1))

    exact = moments(sample(hmc_kernel, linear, step_size="auto", max_error=0.02, progress=False))
    found = moments(sample(sgnht, linear, step_size="auto", seed=1, progress=False))
    require_within(found, exact.mean, exact.sd, exact.mcse_mean)
