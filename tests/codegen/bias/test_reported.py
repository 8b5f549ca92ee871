"""Predictions speak of what is reported, and only of laws that the draws are from."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sympy import exp

from catalog.posteriors.eight_schools import posterior as eight_schools
from catalog.sghmc import sghmc
from codegen import BiasWarning, sample
from codegen.bias.around_draws import Around, require_draws_as_wide
from codegen.bias.linear.compare import Bias, Law
from codegen.bias.step.unpredictable import UnpredictableError
from recipe import Data, Ordered, Posterior, Scalar, Vector, total
from recipe.laws import half_cauchy, normal, ordered_logistic


def drawn(posterior, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BiasWarning)
        return sample(
            sghmc, posterior, params={"C": 1}, progress=False, seed=1, **{"thin": 4, **options}
        )


def ordinal(**more):
    random = np.random.default_rng(3)
    X = random.standard_normal((567, 2))
    latent = X @ [0.7, 0.8] + random.logistic(size=567)
    beta, c = Vector("beta", prior=normal(0, 2)), Ordered("c", 3, prior=normal(0, 5))
    y = Data("y", np.digitize(latent, [-1.5, 0, 1.5]))
    return Posterior(
        log_likelihood=ordered_logistic(y, total(Data("x", X, like=beta) * beta), c), **more
    )


def test_sums_of_gaps_are_judged_as_they_are_reported():
    found = drawn(ordinal(), step_size=0.02, batch_size=50, steps=8000, control_variates=True).bias
    assert found.total.sd_factor == pytest.approx(1.14, abs=0.04)  # long runs beside HMC: 1.13
    assert found.total.sd_coordinate in ("c[1]", "c[2]")  # no gap is off by more than 0.07
    assert found.judgement == "exceeded"


def test_the_scalars_of_an_ordered_block_are_named_by_what_is_reported():
    options = {"step_size": 0.002, "batch_size": 50, "steps": 3000, "warmup": 500}
    found = drawn(ordinal(), **options).bias
    assert found.judgement == "exceeded"
    assert "gap" not in f"{found.total} {found.step_alone}"
    kept = drawn(ordinal(), keep="all", **options).bias
    assert kept.total.sd_factor == pytest.approx(found.total.sd_factor)


def test_derived_quantities_are_judged_where_they_are_linear_over_the_draws():
    random = np.random.default_rng(5)
    a, b = Scalar("a", prior=normal(0, 3)), Scalar("b", prior=normal(0, 3))
    x, y = Data("x", random.normal(size=200) + 3), Data("y", random.normal(size=200))
    likelihood = normal(y, a + b * x, 1)
    # a and b vary widely along a + 3 b = 0; the step size shows in what varies little
    derived = {"level": a + 3 * b, "curved": exp(40 * (a + 3 * b))}
    options = {"step_size": 0.03, "steps": 8000, "warmup": 1000}
    plain = drawn(Posterior(log_likelihood=likelihood), **options).bias
    found = drawn(Posterior(log_likelihood=likelihood, derived=derived), **options).bias
    assert found.total.sd_coordinate == "level"
    assert found.total.sd_factor > plain.total.sd_factor + 0.02


def schools():
    y, sd = [28, 8, -3, 7, -1, 1, 18, 12], [15, 10, 16, 11, 9, 11, 10, 18]
    mu, tau = Scalar("mu", prior=normal(0, 5)), Scalar("tau", prior=half_cauchy(5))
    eta = Vector("eta", prior=normal(0, 1))
    school = Data("school", range(8))
    effect = mu + tau * eta[school]
    return Posterior(log_likelihood=normal(Data("y", y), effect, Data("sd", sd)))


@pytest.mark.parametrize("posterior", [eight_schools, schools()], ids=["log_tau", "tau"])
def test_draws_that_the_law_near_the_mode_is_not_of_are_not_predicted(posterior):
    draws = drawn(posterior, step_size=0.05, steps=40_000, warmup=2000, batch_size=4)
    assert draws.bias.judgement == "unknown"
    assert "as wide in eta" in draws.bias.unknown
    assert any("cannot be predicted, as the draws are" in w for w in draws.warnings)
    whole = drawn(posterior, step_size=0.05, steps=40_000, warmup=2000)
    assert whole.bias.judgement == "unknown"
    assert not any("means" in w for w in whole.warnings)


def around(sd):
    k = len(sd)
    return Around(np.zeros(k), np.ones(k), np.zeros((1, k)), np.array(sd), np.array(sd), 100, None)


@pytest.mark.parametrize(
    ("sd", "predicted", "explained"),
    [
        ([4.0, 1.0], [5.0, 1.1], True),  # wide where it is predicted
        ([4.0, 1.0], [np.inf, np.inf], True),  # no stationary law: some coordinate shows it
        ([1.2, 2.6], [117.0, 5.0], False),  # not wide where it is predicted
        ([2.0, 0.6], [5.0, 5.0], False),  # noise makes nothing narrower
        ([1.1, 1.2], [5.0, 5.0], False),
        ([1.1, 1.2], [np.inf, np.inf], False),
    ],
)
def test_a_law_that_is_far_too_wide_is_believed_where_draws_show_it(sd, predicted, explained):
    target = Law(np.eye(2), np.eye(2))
    bias = Bias(np.square(predicted), np.zeros(2))
    if explained:
        require_draws_as_wide(around(sd), ["a", "b"], bias, target)
        return
    with pytest.raises(UnpredictableError, match="as wide in"):
        require_draws_as_wide(around(sd), ["a", "b"], bias, target)


def test_reported_quantities_have_the_variances_of_the_delta_method():
    S, T = np.array([[2.0, -1.0], [-1.0, 1.5]]), np.eye(2)
    slopes = np.array([[1.0, 1.0], [0.5, -2.0]])
    target = Law(T, T, slopes)
    np.testing.assert_allclose(Law(S, S).variances(target), [2.0, 1.5, 1.5 / 2, 8.5 / 4.25])
    moved = target.in_deviations(np.array([1.0, 2.0]))
    np.testing.assert_allclose(moved, [1, 2, 3 / np.sqrt(2), -3.5 / np.sqrt(4.25)])
