"""Tuning of blocks on a simplex and of ordered blocks, in the real coordinates of the sampler."""

import numpy as np
import pytest

from catalog.hmc import hmc_kernel
from catalog.sghmc import sghmc
from catalog.sgld import sgld
from codegen import Density, sample, tune
from codegen.inputs.preimages import map_values
from codegen.results.diagnostics.convergence import convergence
from codegen.tuning.law.onto_simplex import OntoSimplex
from codegen.tuning.law.target import target_of
from recipe import Data, Ordered, Posterior, Scalar, Simplex, Vector
from recipe.declare.transformations.onto_simplex import preimage_of_simplex
from recipe.laws import categorical, dirichlet, normal, ordered_logistic

w = Vector("w", domain=Simplex())
y, x, z = Data("y"), Data("x"), Data("z")
LABELS = np.repeat([0, 1, 2, 3], [4, 0, 21, 9])
PRIOR = 0.5
counted = Posterior(w, categorical(y, w), dirichlet(w, PRIOR), data={y: LABELS})
BUDGET, ERRORS = 0.1, 4.0


def test_the_map_is_that_of_the_sampler_and_its_slopes_are_differences():
    line, at = OntoSimplex(), np.array([0.3, -1.2, 0.8])
    phi = preimage_of_simplex("phi", w)
    assert np.allclose(line.forward(at), map_values(phi.forward, at, {}), rtol=1e-12)
    assert np.allclose(line.inverse(line.forward(at)), at, rtol=1e-12)
    moves = 1e-6 * np.eye(3)
    slopes = np.array([(line.forward(at + m) - line.forward(at - m)) / 2e-6 for m in moves])
    assert np.allclose(line.pulled(at, np.array([1.0, -2.0, 0.5])), slopes @ [1.0, -2.0, 0.5])
    value, derivative = line.log_slope(at)
    assert np.isclose(value, np.linalg.slogdet(slopes)[1], atol=1e-8)
    found = [(line.log_slope(at + m)[0] - line.log_slope(at - m)[0]) / 2e-6 for m in moves]
    assert np.allclose(derivative, found, atol=1e-7)


def test_the_target_is_the_law_of_the_real_coordinates():
    target, at = target_of(counted, {}), np.array([0.5, -2.0, 1.5])
    p = target.lines[0].forward(at)
    U = Density(counted).potential({"w": p}) - target.lines[0].log_slope(at)[0]
    value, slope = target(at)
    assert np.isclose(value, U)
    moves = 1e-5 * np.eye(3)
    assert np.allclose(slope, [(target(at + m)[0] - target(at - m)[0]) / 2e-5 for m in moves])


def exact_moments():
    alpha = PRIOR + np.bincount(LABELS)
    mean = alpha / alpha.sum()
    return mean[:-1], np.sqrt(mean * (1 - mean) / (alpha.sum() + 1))[:-1]


@pytest.mark.slow_for("sghmc", "hmc")
@pytest.mark.parametrize("what", [hmc_kernel, sghmc, sgld], ids=["hmc", "sghmc", "sgld"])
def test_tuned_draws_have_the_law_of_dirichlet(what):
    draws = sample(what, counted, step_size="auto", max_bias=BUDGET, progress=False)
    found, (mean, sd) = convergence(draws["w"]), exact_moments()
    assert np.all(np.abs(found.mean - mean) / sd <= BUDGET + ERRORS * found.mcse_mean / sd)
    assert np.all(np.abs(found.sd / sd - 1) <= BUDGET + ERRORS * found.mcse_sd / sd)


@pytest.mark.slow
def test_probabilities_that_round_to_an_edge_are_no_obstacle():
    """With the prior 0.05 the first probabilities of a chain may have the total 1 in float64."""
    tiny = Posterior(
        w, categorical(y, w), dirichlet(w, 0.05), data={y: np.repeat([0, 1, 2, 3], [9, 0, 3, 0])}
    )
    tuning = tune(hmc_kernel, tiny)
    draws = sample(**tuning.settings, progress=False)
    found = convergence(draws["w"])
    assert abs(found.mean[0] - 9.05 / 12.2) <= ERRORS * found.mcse_mean[0]


@pytest.mark.slow
def test_tuned_cutpoints_agree_with_a_longer_run_of_another_sampler():
    rng = np.random.default_rng(0)
    b, c = Scalar("b"), Ordered("c", 3)
    values = rng.normal(size=200)
    answers = np.digitize(0.8 * values + rng.logistic(size=200), [-1.0, 0.0, 1.5])
    law = Posterior(
        (b, c),
        ordered_logistic(z, b * x, c),
        normal(c, 0, 5) + normal(b, 0, 1),
        data={z: answers, x: values},
    )
    exact = convergence(
        sample(hmc_kernel, law, step_size="auto", max_error=0.02, progress=False)["c"]
    )
    found = convergence(sample(sghmc, law, step_size="auto", seed=1, progress=False)["c"])
    errors = ERRORS * np.hypot(found.mcse_mean, exact.mcse_mean) / exact.sd
    assert np.all(np.abs(found.mean - exact.mean) / exact.sd <= BUDGET + errors)
