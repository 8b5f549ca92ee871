"""The predicted bias of a run, against exact laws and long runs."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
import sympy
from cases.samplers_of_a_regression import SGHMC, SGLD, U, X, theta, y
from oracles.discrete_law import Regression, baoab, kronecker, sghmc, sgld
from sympy import Matrix, exp, log

from codegen import BiasWarning, Cyclical, sample
from codegen.bias.linear.minibatch_noise import batch_with_share
from codegen.bias.linear.stationary import stationary_covariance
from codegen.bias.linear.work import work
from codegen.bias.repairs import rounded_down, rounded_up
from codegen.bias.step.streams import normals
from codegen.device.random import fill_normals, stream_key
from recipe import Data, Posterior, Potential, Recipe, Vector, bind, mirror, total

rng = np.random.default_rng(7)
x_values = rng.standard_t(5, size=(200, 2)) @ [[1.0, 0.6], [0.0, 0.5]]
# errors that grow with the second column: the noise of gradients does not commute with curvature
y_values = x_values @ [1.0, -0.5] + rng.normal(size=200) * (0.5 + np.abs(x_values[:, 1]))
POSTERIOR = Posterior(
    theta, -((y - total(X * theta)) ** 2) / 2, -total(theta**2) / 2, {X: x_values, y: y_values}
)


def drawn(what, posterior=POSTERIOR, **options):
    given = {"progress": False, "steps": 4000, "warmup": 500, "chains": 4, "seed": 3, **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BiasWarning)
        return sample(bind(what, {U: posterior}), **given)


def exact(batch, step):
    regression = Regression(x_values, y_values, batch)
    return np.sqrt(np.diag(regression.law(step)) / np.diag(regression.target))


def test_the_noise_of_the_example_does_not_commute_with_its_curvature():
    regression = Regression(x_values, y_values, 20)
    A, V = regression.A, regression.gradient_noise(regression.target)
    assert np.abs(A @ V - V @ A).max() > 0.05 * np.abs(A @ V).max()


def test_doubling_solves_the_equation_that_kronecker_products_solve():
    random = np.random.default_rng(0)
    for n in (1, 2, 5):
        M = random.normal(size=(n, n))
        M *= 0.97 / np.abs(np.linalg.eigvals(M)).max()
        R = random.normal(size=(n, n))
        np.testing.assert_allclose(
            stationary_covariance(M, R @ R.T), kronecker(M, R @ R.T), rtol=1e-9
        )


@pytest.mark.parametrize("radius", [1.0, 1.1])
def test_there_is_no_law_without_contraction(radius):
    turned = radius * np.array([[np.cos(1), -np.sin(1)], [np.sin(1), np.cos(1)]])
    assert stationary_covariance(turned, np.eye(2)) is None


@pytest.mark.parametrize("size", [1, 4, 7])
def test_normal_numbers_are_those_that_a_module_draws(size):
    found = normals([(3, size)], 5, 2**40, np.array([0, 17, 2**20]))
    for t, row in zip((0, 17, 2**20), found, strict=True):
        wanted = np.empty(size)
        key = stream_key(np.uint64(5), np.uint64(3), np.uint64(2**40))
        fill_normals(wanted, tuple(map(np.uint64, key)), np.uint64(t))
        np.testing.assert_allclose(row, wanted, atol=1e-6)


def test_the_step_alone_is_predicted_to_the_exact_law():
    found = drawn(SGLD, scheme="euler", step_size=2e-3).bias
    ratio = exact(None, sgld(2e-3))
    assert found.total == found.step_alone
    assert found.total.sd_factor == pytest.approx(ratio.max(), rel=0.01)
    assert found.total.mean_shift < 1e-3  # a normal law has no third derivative
    assert found.unknown is None
    assert not found.minibatches


def test_minibatches_are_predicted_to_the_exact_law_and_the_repairs_hold():
    draws = drawn(SGLD, scheme="euler", step_size=5e-4, batch_size=20)
    found = draws.bias
    ratio = exact(20, sgld(5e-4))
    assert 1.2 < ratio.max() < 2
    assert found.total.sd_factor == pytest.approx(ratio.max(), rel=0.1)
    assert found.total.sd_coordinate == f"theta[{ratio.argmax()}]"
    assert found.step_alone.sd_factor == pytest.approx(exact(None, sgld(5e-4)).max(), rel=0.01)
    assert found.judgement == "exceeded"
    assert draws["theta"].std(axis=(0, 1)).max() > 0  # the draws are there
    (said,) = [w for w in draws.warnings if "minibatch noise" in w]
    assert f"about {found.total.sd_factor:.2g} x too wide" in said
    for way, left in (
        (found.repairs.step_size, exact(20, sgld(found.repairs.step_size))),
        (found.repairs.batch_size, exact(found.repairs.batch_size, sgld(5e-4))),
    ):
        assert f"{way:,}" in said or f"{way:g}" in said
        assert 1.02 < left.max() < 1.13  # within the budget, and not much smaller than need be


def many_rows(kind, count=100_000):
    random = np.random.default_rng(11)
    x = random.normal(size=(count, 3)) @ [[1.0, 0.5, 0.0], [0.0, 0.7, 0.0], [0.2, 0.0, 0.4]]
    z, prior = total(X * theta), -total(theta**2) / 2
    if kind == "normal":
        values = x @ [1, -1, 2] + random.normal(size=count)
        return x, values, Posterior(theta, -((y - z) ** 2) / 2, prior, {X: x, y: values})
    rate = 1 / (1 + np.exp(-x @ [1.0, -0.5, 0.5] + 1))
    labels = (random.random(count) < rate).astype(float)
    return x, labels, Posterior(theta, y * z - log(1 + exp(z)), prior, {X: x, y: labels})


def test_some_rows_stand_for_many_without_being_taken_for_noise():
    x, values, posterior = many_rows("normal")
    mode = np.linalg.solve(x.T @ x + np.eye(3), x.T @ values)
    how = {"scheme": "euler", "step_size": 1e-7, "initial": {theta: mode}}
    found = drawn(SGLD, posterior, batch_size=300, **how).bias
    assert found.unknown is None
    regression = Regression(x, values, 300)
    ratio = np.sqrt(np.diag(regression.law(sgld(1e-7))) / np.diag(regression.target)).max()
    assert 1.2 < ratio < 1.9
    assert found.total.sd_factor == pytest.approx(ratio, rel=0.1)
    assert found.total.mean_shift < 0.05
    left = Regression(x, values, found.repairs.batch_size)
    ratio = np.sqrt(np.diag(left.law(sgld(1e-7))) / np.diag(left.target)).max()
    assert 1.02 < ratio < 1.15


def test_a_wide_law_is_more_than_twice_too_wide_and_no_finer():
    draws = drawn(SGLD, scheme="euler", step_size=5e-3, batch_size=4)
    assert exact(4, sgld(5e-3)).max() > 2
    (said,) = [w for w in draws.warnings if "minibatch noise" in w]
    assert "more than 2 x too wide" in said
    assert draws.bias.total.mean_shift is None


def test_python_warns_once_and_draws_are_the_same_with_any_budget():
    how = {"scheme": "euler", "step_size": 1e-3, "batch_size": 20, "steps": 600, "progress": False}
    with pytest.warns(BiasWarning, match="too wide here") as heard:
        one = sample(bind(SGLD, {U: POSTERIOR}), **how)
    assert len([w for w in heard if w.category is BiasWarning]) == 1
    assert heard[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        other = sample(bind(SGLD, {U: POSTERIOR}), max_bias=2.0, **how)
    np.testing.assert_array_equal(one["theta"], other["theta"])
    assert other.bias.judgement == "within"
    saved = json.loads(one.groups()["posterior"].attributes["predicted_bias"])
    assert saved["judgement"] == "exceeded"
    assert saved["total"]["sd_coordinate"] == one.bias.total.sd_coordinate


def test_a_run_is_predicted_alike_whatever_the_threads():
    how = {"scheme": "euler", "step_size": 1e-3, "batch_size": 20, "steps": 800}
    assert drawn(SGLD, threads=1, **how).bias == drawn(SGLD, threads=3, **how).bias


def test_chains_in_two_places_are_not_predicted():
    far = {theta: np.array([[0.0, 0.0], [1e4, 0.0]])}
    draws = drawn(
        SGLD,
        scheme="euler",
        step_size=1e-8,
        batch_size=20,
        steps=200,
        warmup=0,
        chains=2,
        initial=far,
    )
    assert draws.bias.judgement == "unknown"
    assert "chains end in different places" in draws.bias.unknown
    assert any("cannot be predicted" in w for w in draws.warnings)


def test_columns_on_different_scales_are_said():
    data = {X: x_values * [1.0, 1000.0], y: y_values}
    posterior = Posterior(theta, POSTERIOR.log_likelihood, POSTERIOR.log_prior, data)
    draws = drawn(SGLD, posterior, scheme="euler", step_size=1e-10, steps=100, warmup=0)
    assert any(w.startswith("standardise: column 1 of x has scale ") for w in draws.warnings)


def test_chains_that_all_diverge_or_run_away_are_said():
    lost = drawn(SGLD, scheme="euler", step_size=10.0, warmup=0)
    assert any("all 4 chains diverged" in w for w in lost.warnings)
    assert lost.bias is None
    away = drawn(SGLD, scheme="euler", step_size=1.0, steps=8, warmup=0)
    assert any("theta has reached" in w for w in away.warnings)


def test_the_work_is_a_share_of_the_run_or_free():
    few = work(run_steps=100, data_rows=10**7, batch=100, columns=20, steps=100, more=256)
    many = work(run_steps=10**7, data_rows=10**4, batch=100, columns=20, steps=100, more=256)
    assert 0 < few.rows < 10**4
    assert many.rows == 0
    assert many.batches > few.batches


@pytest.mark.parametrize(("x", "down", "up"), [(0.0123, 0.012, 1), (4321.0, 4300.0, 4400)])
def test_advice_is_rounded_to_the_safe_side(x, down, up):
    assert rounded_down(x) == down
    assert rounded_up(x) == up


@pytest.mark.parametrize("replace", [True, False])
def test_a_share_of_the_variance_of_a_mean_needs_so_many_rows(replace):
    values = np.arange(60.0)

    def variance(n):  # of the mean of n values out of these 60
        return values.var() / n if replace else values.var(ddof=1) * (1 / n - 1 / 60)

    needed = batch_with_share(variance(40) / variance(8), 8, 60, replace)
    assert needed == pytest.approx(40)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "oracle"),
    [("semi-implicit", sghmc), ("baoab", baoab)],
    ids=["semi-implicit", "baoab"],
)
@pytest.mark.parametrize(("batch", "eps"), [(None, 0.06), (20, 0.008)])
def test_sghmc_is_predicted_to_the_exact_law(scheme, oracle, batch, eps):
    found = drawn(
        SGHMC, scheme=scheme, step_size=eps, params={"C": 10.0}, batch_size=batch, steps=20_000
    ).bias
    ratio = exact(batch, oracle(eps, 10.0))
    assert ratio.max() < 2
    close = 0.1 if batch else 0.01
    assert found.unknown is None
    assert found.total.sd_factor == pytest.approx(ratio[np.abs(ratio - 1).argmax()], rel=close)


@pytest.mark.slow
def test_a_schedule_is_judged_by_its_mean_step():
    draws = drawn(SGLD, scheme="euler", step_size=Cyclical(4e-3, 100), warmup=0)
    assert draws.bias.total.sd_factor == pytest.approx(exact(None, sgld(2e-3)).max(), rel=0.02)


@pytest.fixture(scope="module")
def logistic():
    random = np.random.default_rng(1)
    x = random.normal(size=(400, 3)) * [1.0, 0.5, 2.0] + [0.5, 0.0, 0.0]
    rate = 1 / (1 + np.exp(-x @ [1.5, -1.0, 0.6] - 1))
    z = total(X * theta)
    return Posterior(
        theta,
        y * z - log(1 + exp(z)),
        -total(theta**2) / 8,
        {X: x, y: (random.random(400) < rate).astype(float)},
    )


@pytest.mark.slow
@pytest.mark.parametrize(("eps", "batch"), [(1e-6, 100), (3e-6, 300), (1e-5, 1000)])
def test_a_logistic_regression_of_many_rows_is_predicted(eps, batch):
    """Against a long run that begins near the mode; the law of so many rows is nearly normal."""
    x, labels, posterior = many_rows("logistic")
    mode = np.zeros(3)
    for _ in range(8):
        rate = 1 / (1 + np.exp(-x @ mode))
        A = (x * (rate * (1 - rate))[:, None]).T @ x + np.eye(3)
        mode = mode - np.linalg.solve(A, x.T @ (rate - labels) + mode)
    how = {"scheme": "euler", "step_size": eps, "batch_size": batch, "initial": {theta: mode}}
    found = drawn(SGLD, posterior, **how).bias
    assert found.unknown is None
    long = drawn(SGLD, posterior, **{**how, "steps": 200_000, "warmup": 10_000})["theta"]
    ratio = (long.std(axis=(0, 1)) / np.sqrt(np.diag(np.linalg.inv(A)))).max()
    assert ratio > 1.1
    assert ratio / 1.3 < found.total.sd_factor < 1.3 * ratio


@pytest.mark.slow
@pytest.mark.parametrize(("eps", "batch"), [(2e-3, 20), (4e-3, 40), (1e-3, 20), (4e-3, 100)])
def test_logistic_regression_by_minibatches_is_predicted(logistic, eps, batch):
    """Against long runs: within a factor of 1.3 in standard deviations and 0.05 sd in means."""
    short = drawn(SGLD, logistic, scheme="euler", step_size=eps, batch_size=batch)
    assert short.bias.unknown is None
    many = {"steps": 400_000, "warmup": 5000, "thin": 20, "scheme": "euler"}
    long = drawn(SGLD, logistic, step_size=eps, batch_size=batch, **many)["theta"]
    true = drawn(SGLD, logistic, step_size=2e-4, **{**many, "steps": 2_000_000, "thin": 100})
    sd = true["theta"].std(axis=(0, 1))
    ratio = (long.std(axis=(0, 1)) / sd).max()
    shift = np.abs((long.mean(axis=(0, 1)) - true["theta"].mean(axis=(0, 1))) / sd).max()
    total_part = short.bias.total
    if ratio > 2.2:
        assert not total_part.predicted
        return
    assert ratio / 1.3 < total_part.sd_factor < 1.3 * ratio
    if total_part.predicted:
        assert total_part.mean_shift == pytest.approx(shift, abs=0.05)


@pytest.mark.slow
def test_the_repair_by_control_variates_holds(logistic):
    how = {"scheme": "euler", "step_size": 5e-4, "batch_size": 40}
    assert drawn(SGLD, logistic, **how).bias.repairs.control_variates
    assert drawn(SGLD, logistic, control_variates=True, **how).bias.judgement == "within"


def with_thermostat(posterior, **options):
    from catalog.sgnht import sgnht

    (V,) = sgnht.abstract
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BiasWarning)
        return sample(bind(sgnht, {V: posterior}), progress=False, **options)


@pytest.mark.slow
@pytest.mark.parametrize(("eps", "batch"), [(2e-3, 20), (4e-3, 40), (4e-3, 100)])
def test_a_thermostat_is_predicted(eps, batch):
    """Noise that differs between directions makes one direction too wide and another one too
    narrow."""
    target = np.sqrt(np.diag(Regression(x_values, y_values, None).target))
    how = {"params": {"A": 10.0}, "step_size": eps, "batch_size": batch}
    short = with_thermostat(POSTERIOR, steps=20_000, warmup=2000, **how).bias
    long = with_thermostat(POSTERIOR, steps=400_000, warmup=40_000, thin=20, **how)
    ratio = long["theta"].std(axis=(0, 1)) / target
    farthest = ratio[np.abs(ratio - 1).argmax()]
    assert short.unknown is None
    assert np.abs(ratio - 1).max() > 0.05
    assert short.total.sd_factor == pytest.approx(farthest, rel=0.1)


@pytest.mark.slow
def test_a_thermostat_absorbs_noise_that_is_the_same_in_all_directions():
    random = np.random.default_rng(4)
    z = Data("z", like=theta)
    values = random.normal(size=(400, 8))
    values -= values.mean(axis=0)
    values = np.linalg.qr(values)[0] * np.sqrt(400)  # the covariance of a row is the identity
    location = Posterior(theta, -total((z - theta) ** 2) / 2, -total(theta**2) / 2, {z: values})
    how = {"step_size": 2e-3, "batch_size": 20, "steps": 20_000, "warmup": 2000}
    found = with_thermostat(location, params={"A": 10.0}, **how).bias
    plain = drawn(SGHMC, location, scheme="semi-implicit", params={"C": 10.0}, **how).bias
    assert plain.total.sd_factor > 1.2
    assert found.total.sd_factor == pytest.approx(1.0, abs=0.03)
    assert found.judgement == "within"


@pytest.mark.parametrize("sampler", [SGLD, SGHMC], ids=["sgld", "sghmc"])
def test_a_mode_without_curvature_says_nothing_of_the_draws(sampler):
    """The linear law of x^4 is a hundred times wider than its draws."""
    given = {} if sampler is SGLD else {"params": {"C": 1}}
    scheme = "euler" if sampler is SGLD else "semi-implicit"
    U4 = total(theta**4) / 4
    how = {"scheme": scheme, "step_size": 0.1, "lengths": {theta: 2}, "progress": False}
    draws = sample(sampler, U4, steps=4000, warmup=500, **how, **given)
    assert "far from a normal one" in draws.bias.unknown
    assert not draws.warnings
    assert draws["theta"].std() == pytest.approx(0.822, rel=0.1)  # variance 2 G(3/4)/G(1/4)


def test_an_expression_is_predicted_and_what_is_seen_of_it_is_said():
    def of(expression, **options):
        how = {"steps": 2000, "step_size": 0.05, "warmup": 200, "progress": False, **options}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BiasWarning)
            return sample(bind(SGLD, {U: expression}), lengths={"theta": 2}, scheme="euler", **how)

    improper = {"unproved": True}
    stiff = of(5 * total(theta**2))
    assert stiff.bias.total.sd_factor == pytest.approx(np.sqrt(1 / (1 - 0.25)), rel=1e-3)
    assert any("the step size makes standard deviations" in w for w in stiff.warnings)
    hill = of(-total(theta**2) / 2, step_size=1e-4, **improper)
    assert hill.bias.judgement == "unknown"
    assert any("the log density is not concave" in w for w in hill.warnings)
    slope = of(total(theta), **improper)
    assert any("no mode of the density was found" in w for w in slope.warnings)


@pytest.mark.slow
def test_two_modes_are_not_predicted():
    """Between the two modes, where draws of chains that visit both have their mean, the density is
    not concave."""
    from catalog.posteriors.mixture import posterior
    from catalog.sghmc import sghmc as of_catalog

    (V,) = (a for a in of_catalog.abstract if isinstance(a, Potential))
    with pytest.warns(BiasWarning, match="cannot be predicted"):
        found = sample(
            bind(of_catalog, {V: posterior}),
            steps=50_000,
            warmup=5000,
            step_size=0.04,
            params={"C": 1.0},
            batch_size=30,
            progress=False,
        ).bias
    assert found.judgement == "unknown"


@pytest.mark.slow
def test_a_posterior_at_an_edge_is_not_predicted():
    u = Vector("u", domain=sympy.Interval(0, sympy.oo))
    V = Potential("V", u)
    x = Data("x", like=u)
    at_edge = Posterior(u, -total((x - u) ** 2) / 2, -total(u), {x: rng.normal(size=(50, 1))})
    reflected = mirror(Recipe(u, V, Matrix([[1]]), Matrix([[0]]), name="at_edge"), u)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BiasWarning)
        found = sample(
            bind(reflected, {V: at_edge}),
            steps=4000,
            step_size=1e-3,
            batch_size=10,
            progress=False,
            scheme="euler",
        ).bias
    assert found.judgement == "unknown"


@pytest.mark.slow
def test_other_coordinates_are_predicted():
    """Rates of pumps by their softplus: the standard deviation of each at a fifth of the step."""
    from catalog.corv_sgld import corv_sgld
    from catalog.posteriors.pumps import posterior

    (V,) = (a for a in corv_sgld.abstract if isinstance(a, Potential))

    def run(step_size, steps):
        bound = bind(corv_sgld, {V: posterior})
        how = {"warmup": 5000, "thin": 10, "progress": False, "max_bias": 1.0}
        return sample(bound, step_size=step_size, steps=steps, **how)

    wide, fine = run(0.05, 200_000), run(0.005, 1_000_000)
    sds = [np.log(d["theta"]).std(axis=(0, 1)) for d in (wide, fine)]
    assert wide.bias.total.sd_factor == pytest.approx((sds[0] / sds[1]).max(), rel=0.05)


def test_a_gradient_in_python_is_predicted_like_its_expression():
    from catalog.sgld import sgld as of_catalog

    z = Vector("theta")
    setting = {"step_size": 0.2, "steps": 2000, "lengths": {"theta": 2}, "chains": 2, "seed": 5}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BiasWarning)
        ours = sample(of_catalog, 2 * total(z**2), progress=False, **setting).bias
        theirs = sample(of_catalog, gradient=lambda t: 4 * t, progress=False, **setting).bias
    assert theirs.unknown is None
    assert theirs.total.sd_factor == pytest.approx(ours.total.sd_factor, rel=1e-6)
    # x' = (1 - 0.2 * 4) x + sqrt(0.4) w has the variance 0.4/(1 - 0.04), and 1/4 is wanted
    assert theirs.total.sd_factor == pytest.approx(np.sqrt(4 * 0.4 / 0.96), rel=1e-2)
