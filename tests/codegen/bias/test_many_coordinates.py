"""The predicted bias of runs whose state has too many coordinates for matrices, against exact laws
and long runs.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from cases.samplers_of_a_regression import SGHMC, SGLD, U, X, theta, y
from oracles.discrete_law import Regression, baoab, sghmc, sgld, variances_by_modes
from sympy import exp, log

from codegen import BiasWarning, sample
from codegen.bias.linear.work import work_of_many
from codegen.bias.twins import together_after
from recipe import Data, Parameter, Posterior, bind, total
from recipe.rebuild.preconditioned import preconditioned

FACTOR = 1.3  # within which the largest inflation is to be predicted


def regression(count, rows, condition, *, noise=1.0, stands_out=0.0):
    """A regression with correlated columns, whose errors grow with the first one, so that the noise
    of gradients does not commute with the curvature.
    """
    random = np.random.default_rng(11)
    turned = np.linalg.qr(random.normal(size=(count, count)))[0]
    x = random.normal(size=(rows, count)) * np.exp(np.linspace(0.0, np.log(condition) / 2, count))
    x = x @ turned.T / np.sqrt(rows)
    first = np.abs(x[:, 0]) / np.std(x[:, 0])
    values = x @ random.normal(size=count)
    values += noise * random.normal(size=rows) * (1.0 + stands_out * first)
    return x, values


def posterior_of(x, values):
    return Posterior(
        theta, -((y - total(X * theta)) ** 2) / 2, -total(theta**2) / 2, {X: x, y: values}
    )


def predicted(what, posterior, **options):
    given = {"progress": False, "warmup": 1000, "chains": 4, "seed": 3, "thin": 4, **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BiasWarning)
        return sample(bind(what, {U: posterior}), **given)


def ratios(x, values, batch, step):
    """The exact ratios of standard deviations: with minibatches, and of the step size alone."""
    at = Regression(x, values, batch)
    none = np.zeros_like(at.A)
    target = np.diag(at.target)
    return [
        np.sqrt(variances_by_modes(at.A, noise, step) / target)
        for noise in (at.gradient_noise(at.target) if batch else none, none)
    ]


def test_the_two_oracles_agree():
    x, values = regression(5, 40, 4.0)
    at = Regression(x, values, 10)
    for step in (sgld(0.1), sghmc(0.1, 2.0), baoab(0.2, 2.0)):
        found = variances_by_modes(at.A, at.gradient_noise(at.target), step)
        M, V = step(at.A, at.gradient_noise(at.target))
        S = np.linalg.solve(np.eye(M.size) - np.kron(M, M), V.ravel()).reshape(M.shape)
        np.testing.assert_allclose(found, np.diag(S)[:5], rtol=1e-9)


def test_noise_that_does_not_commute_with_curvature_is_predicted():
    x, values = regression(320, 1200, 4.0, stands_out=1.0)
    draws = predicted(
        SGLD, posterior_of(x, values), scheme="euler", step_size=0.03, batch_size=100, steps=6000
    )
    exact, alone = ratios(x, values, 100, sgld(0.03))
    found = draws.bias
    assert found.unknown is None
    assert exact.max() / FACTOR < found.total.sd_factor < FACTOR * exact.max()
    assert found.step_alone.sd_factor == pytest.approx(alone.max(), rel=0.02)
    assert found.total.mean_shift < 0.02  # a normal law has no third derivative
    assert found.judgement == "exceeded"
    left = ratios(x, values, found.repairs.batch_size, sgld(0.03))[0].max()
    assert 1.0 < left < 1.25


def test_a_run_that_is_too_short_for_its_slowest_coordinates_says_so():
    x, values = regression(320, 400, 4.0)
    draws = predicted(
        SGLD, posterior_of(x, values), scheme="euler", step_size=2e-3, batch_size=100, steps=3000
    )
    assert draws.bias.judgement == "unknown"
    assert "the run is too short" in draws.bias.unknown
    assert any("cannot be predicted" in w for w in draws.warnings)


def test_two_runs_are_together_from_where_they_stay_so():
    apart = np.array([[1.0, 1.0, 0.1], [0.5, 0.1, 0.1], [0.1, 0.7, 0.0], [0.2, 0.1, 0.0]])
    np.testing.assert_array_equal(together_after(apart, np.ones(3)), [2, 3, 0])
    assert together_after(np.ones((4, 1)), np.ones(1))[0] == 4


def test_the_work_is_a_share_of_the_run():
    most = work_of_many(
        run_steps=10**6, data_rows=10**5, batch=100, columns=1000, size=1000, copies=2
    )
    in_steps = 4 * most.steps + 12 * most.points
    in_steps += most.directions * 8 * most.rows / 100
    assert 0.8 * 0.05 * 10**6 < in_steps < 0.05 * 10**6
    assert 0 < most.rows < 10**5


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("what", "scheme", "step", "batch"),
    [
        (SGLD, "euler", 0.03, 100),
        (SGLD, "euler", 0.06, None),
        (SGHMC, "semi-implicit", 0.06, 100),
        (SGHMC, "semi-implicit", 0.25, None),
        (SGHMC, "baoab", 0.1, 200),
    ],
    ids=["sgld", "sgld-all", "sghmc", "sghmc-all", "baoab"],
)
def test_exact_laws_of_hundreds_of_coordinates(what, scheme, step, batch, seed):
    x, values = regression(400, 1200, 10.0, stands_out=1.0)
    law = {"euler": sgld, "semi-implicit": sghmc, "baoab": baoab}[scheme]
    exact, alone = ratios(x, values, batch, law(step, 3.0) if what is SGHMC else law(step))
    options = {"batch_size": batch, "steps": 12_000, "seed": seed}
    if what is SGHMC:
        options["params"] = {"C": 3.0}
    found = predicted(what, posterior_of(x, values), scheme=scheme, step_size=step, **options).bias
    assert found.unknown is None
    assert exact.max() < 2
    assert exact.max() / FACTOR < found.total.sd_factor < FACTOR * exact.max()
    assert found.step_alone.sd_factor == pytest.approx(alone.max(), rel=0.05)
    assert found.total.mean_shift < 0.05


def columns(count, rows, condition, *, noisy):
    """A posterior with a diagonal curvature, a noise of gradients of low rank plus diagonal, and
    some coordinates with more noise than the others; with that curvature and noise for one row.
    """
    random = np.random.default_rng(12)
    curvature = np.exp(np.linspace(0.0, np.log(condition), count))
    scale = np.where(np.arange(count) % (count // 2) == 7, noisy, 1.0)
    values = scale * (
        random.normal(size=(rows, count))
        + random.normal(size=(rows, 3)) @ random.normal(size=(3, count))
    )
    weight, value = Data("weight", like=theta), Data("value", like=theta)
    posterior = Posterior(
        theta,
        -total(weight * (value - theta) ** 2) / 2,
        -total(theta**2) / 2,
        {weight: np.tile(curvature / rows, (rows, 1)), value: values},
    )
    return posterior, curvature + 1.0, curvature**2 * values.var(axis=0)


@pytest.mark.slow
@pytest.mark.parametrize(("step", "noisy"), [(0.02, 1.0), (0.02, 16.0), (0.1, 1.0)])
def test_a_diagonal_curvature_of_two_thousand_coordinates(step, noisy):
    posterior, curvature, noise = columns(2000, 500, 8.0, noisy=noisy)
    batch = 50
    decay = 1.0 - step * curvature
    both = (2 * step + step**2 * noise / batch) / (1.0 - decay**2)
    exact, alone = np.sqrt(both * curvature), np.sqrt(2 * step * curvature / (1.0 - decay**2))
    found = predicted(
        SGLD, posterior, scheme="euler", step_size=step, batch_size=batch, steps=10_000
    ).bias
    assert found.unknown is None
    assert exact.max() / FACTOR < found.total.sd_factor < FACTOR * exact.max()
    assert found.step_alone.sd_factor == pytest.approx(alone.max(), rel=0.05)
    if noisy > 1:
        assert exact.max() > 1.2 * np.median(exact)
        assert found.total.sd_coordinate == f"theta[{exact.argmax()}]"


@pytest.mark.slow
def test_the_step_size_alone_is_predicted_for_an_expression_of_many_coordinates():
    from catalog.sghmc import sghmc as of_catalog  # it says that theta is what is sampled

    expression = total(theta**2) * 2 + total(theta) ** 2 / 1000
    draws = sample(
        of_catalog,
        expression,
        steps=20_000,
        warmup=1000,
        thin=10,
        step_size=0.3,
        params={"C": 2.0},
        lengths={"theta": 1000},
        progress=False,
        max_bias=1.0,
    )
    A = np.array([[4.0]])  # in all directions but that of the sum, which has a curvature of 6
    M, V = sghmc(0.3, 2.0)(A, 0 * A)
    S = np.linalg.solve(np.eye(4) - np.kron(M, M), V.ravel())[0]
    assert draws.bias.total.sd_factor == pytest.approx(np.sqrt(4.0 * S), rel=0.02)


@pytest.mark.slow
def test_logistic_regression_of_many_coordinates_against_long_runs():
    random = np.random.default_rng(3)
    x = random.normal(size=(6000, 600)) * np.sqrt(10 / 600)
    rate = 1 / (1 + np.exp(-x @ random.normal(size=600)))
    z = total(X * theta)
    posterior = Posterior(
        theta,
        y * z - log(1 + exp(z)),
        -total(theta**2) / 2,
        {X: x, y: (random.random(6000) < rate).astype(float)},
    )
    how = {"scheme": "euler", "thin": 20}
    true = predicted(SGLD, posterior, step_size=1e-3, batch_size=3000, steps=20_000, **how)
    long = predicted(SGLD, posterior, step_size=4e-3, batch_size=200, steps=100_000, **how)
    found = predicted(SGLD, posterior, step_size=4e-3, batch_size=200, steps=20_000, **how).bias
    sd = true["theta"].std(axis=(0, 1))
    ratio = long["theta"].std(axis=(0, 1)) / sd
    shift = np.abs(long["theta"].mean(axis=(0, 1)) - true["theta"].mean(axis=(0, 1))) / sd
    assert found.unknown is None
    largest = np.quantile(ratio, 0.99)  # the largest of 600 noisy ratios is too large
    assert largest / FACTOR < found.total.sd_factor < FACTOR * largest
    assert found.total.mean_shift == pytest.approx(np.quantile(shift, 0.99), rel=0.6)


@pytest.mark.slow
def test_noise_that_depends_on_the_state_is_not_predicted():
    """A thermostat, whose momenta are slowed by a number that follows them."""
    from catalog.sgnht import sgnht

    (V,) = sgnht.abstract
    x, values = regression(320, 1200, 4.0)
    with pytest.warns(BiasWarning, match="cannot be predicted"):
        found = sample(
            bind(sgnht, {V: posterior_of(x, values)}),
            steps=4000,
            thin=4,
            step_size=0.02,
            params={"A": 5.0},
            batch_size=40,
            progress=False,
        ).bias
    assert found.judgement == "unknown"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "options"),
    [
        (SGLD, {"scheme": "euler", "step_size": 0.03, "steps": 6000}),
        (SGHMC, {"scheme": "baoab", "step_size": 0.02, "steps": 20_000, "params": {"C": 2.0}}),
    ],
    ids=["sgld", "baoab"],
)
def test_scales_of_coordinates_are_units(what, options):
    """In theta/scale a preconditioned sampler is the plain one, whose bias it has."""
    x, values = regression(320, 1200, 4.0, stands_out=1.0)
    plain = predicted(what, posterior_of(x, values), batch_size=100, **options).bias
    scale, q = np.exp(np.linspace(-2.0, 2.0, 320)), Parameter("q", like=theta, positive=True)
    prior = -total(theta**2 / q**2) / 2
    law = Posterior(theta, -((y - total(X * theta)) ** 2) / 2, prior, {X: x / scale, y: values})
    options["params"] = {**options.get("params", {}), "q": scale, "scale": scale}
    found = predicted(preconditioned(what), law, batch_size=100, **options).bias
    assert found.unknown is None
    assert found.total.sd_factor == pytest.approx(plain.total.sd_factor, rel=1e-6)
    assert found.step_alone.sd_factor == pytest.approx(plain.step_alone.sd_factor, rel=1e-6)
