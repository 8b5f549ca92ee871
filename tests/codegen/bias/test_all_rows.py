"""The noise of minibatches over all rows: rows that outweigh all others are found, and named."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from cases.samplers_of_a_regression import SGHMC, SGLD, U, X, theta, y
from oracles.discrete_law import Regression, baoab, sghmc, sgld
from sympy import Symbol, sqrt

from codegen import BiasWarning, sample
from codegen.bias.linear import work as work_of
from codegen.bias.linear.minibatch_noise import distinct_rows
from codegen.bias.linear.work import BATCH_ROUNDS, BATCH_SHARE, FREE_NUMBERS, work
from codegen.bias.step.partition import partition
from recipe import Noise, Posterior, Update, bind, grad, total

FAR = 4.0  # of the answer of a heavy row from what the others say


def heavy_regression(rows, d, heavy, leverage, far=FAR):
    """Rows of a linear regression, some of which are so many times as long as others."""
    random = np.random.default_rng(5)
    x = random.normal(size=(rows, d))
    values = x @ np.ones(d) + random.normal(size=rows)
    for i in heavy:
        x[i] = leverage / np.sqrt(d) * random.choice([1.0, -1.0], size=d)
        values[i] = x[i] @ np.ones(d) + far
    return x, values


def posterior_of(x, values):
    return Posterior(
        theta, -((y - total(X * theta)) ** 2) / 2, -total(theta**2) / 2, {X: x, y: values}
    )


def drawn(what, x, values, mode, **options):
    given = {"progress": False, "steps": 20_000, "seed": 3, "initial": {theta: mode}, **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BiasWarning)
        return sample(bind(what, {U: posterior_of(x, values)}), **given)


def of(x, values, batch, step):
    regression = Regression(x, values, batch)
    ratio = np.sqrt(np.diag(regression.law(step)) / np.diag(regression.target))
    return regression.mean, ratio.max()


def test_one_row_among_many_that_outweighs_all_others_is_found_and_named():
    """Some hundred minibatches do not have it, and predict 1.05."""
    x, values = heavy_regression(300_000, 2, [123_456], 100.0, far=34.0)
    eps = 5e-11
    mode, ratio = of(x, values, 20, sgld(eps))
    others = np.delete(np.arange(len(x)), 123_456)
    assert of(x[others], values[others], 20, sgld(eps))[1] < 1.1
    assert 1.5 < ratio < 1.9
    draws = drawn(SGLD, x, values, mode, scheme="euler", step_size=eps, batch_size=20)
    found = draws.bias
    assert found.total.sd_factor == pytest.approx(ratio, rel=0.05)
    assert (found.rows, found.rows_seen) == (300_000, 300_000)
    assert found.heavy_row == 123_456
    assert found.heavy_share > 0.9
    (said,) = [w for w in draws.warnings if "minibatch noise" in w]
    assert "of its variance from row 123,456 of the data; for at most 10%: a step size of" in said
    left = of(x, values, 20, sgld(found.repairs.step_size))[1]
    assert 1.02 < left < 1.13


@pytest.mark.slow_for("sgld-0", "sgld-1", "sgld-distinct", "sghmc-10")
@pytest.mark.parametrize(
    ("what", "scheme", "oracle", "heavy", "eps", "more"),
    [
        (SGLD, "euler", sgld, 0, 1e-7, {}),
        (SGLD, "euler", sgld, 1, 1e-7, {}),
        (SGLD, "euler", sgld, 10, 4e-8, {}),
        (SGLD, "euler", sgld, 10, 4e-8, {"replace": False}),
        (SGHMC, "semi-implicit", sghmc, 10, 4e-6, {"params": {"C": 100.0}}),
        (SGHMC, "baoab", baoab, 10, 4e-6, {"params": {"C": 100.0}}),
    ],
    ids=["sgld-0", "sgld-1", "sgld-10", "sgld-distinct", "sghmc-10", "baoab-10"],
)
def test_heavy_rows_are_predicted_to_the_exact_law(what, scheme, oracle, heavy, eps, more):
    x, values = heavy_regression(20_000, 3, range(40, 40 + 300 * heavy, 300), 40.0)
    rule = oracle(eps, *more.get("params", {}).values())
    mode, ratio = of(x, values, 20, rule)
    assert 1.1 < ratio < 2.0
    found = drawn(what, x, values, mode, scheme=scheme, step_size=eps, batch_size=20, **more).bias
    assert found.unknown is None
    assert found.rows_seen == 20_000
    # the variance that minibatches add is known within that, and is 1 - 1/ratio^2 of all
    close = 2.0 * found.noise_error * (1.0 - 1.0 / ratio**2) / 2.0
    assert found.total.sd_factor == pytest.approx(ratio, rel=0.01 + close)
    if heavy == 10:
        assert found.noise_error < 0.06  # nothing of the heavy rows is unknown
        assert found.heavy_row % 300 == 40


def test_few_rows_are_all_known():
    x, values = heavy_regression(569, 2, [7], 10.0)
    mode, ratio = of(x, values, 20, sgld(8e-5))
    found = drawn(SGLD, x, values, mode, scheme="euler", step_size=8e-5, batch_size=20).bias
    assert ratio > 1.2
    assert found.noise_error == 0.0
    assert found.total.sd_factor == pytest.approx(ratio, rel=0.003)


def test_a_row_of_large_leverage_is_judged_over_the_law_that_it_widens():
    """At the mode it has a small residual; the wider the law, the larger its gradient."""
    x, values = heavy_regression(20_000, 2, [11], 300.0)
    mode, ratio = of(x, values, 20, sgld(1e-8))
    assert abs(values[11] - x[11] @ mode) < 0.1 * FAR
    assert 1.09 < ratio < 1.2
    how = {"scheme": "euler", "batch_size": 20}
    found = drawn(SGLD, x, values, mode, step_size=1e-8, **how).bias
    assert found.total.sd_factor == pytest.approx(ratio, rel=0.01)
    assert found.heavy_row == 11
    x, values = heavy_regression(20_000, 2, [11], 1000.0)
    mode, ratio = of(x, values, 20, sgld(2e-9))
    assert ratio > 1.4  # where each law widens the next one by 98 percent of what it was widened by
    found = drawn(SGLD, x, values, mode, step_size=2e-9, **how).bias
    assert found.total.sd_factor == pytest.approx(ratio, rel=0.02)
    assert of(x, values, 20, sgld(3e-9))[1] > 1e6  # there is no such law
    found = drawn(SGLD, x, values, mode, step_size=3e-9, **how).bias
    assert "the noise of minibatches grows with the law that it widens" in found.unknown


def test_rows_that_are_not_looked_at_are_said(monkeypatch):
    monkeypatch.setattr(work_of, "FREE_NUMBERS", 10_000)
    x, values = heavy_regression(20_000, 2, [], 1.0)
    mode = of(x, values, 20, sgld(1e-8))[0]
    how = {"scheme": "euler", "step_size": 1e-8, "batch_size": 20}
    short = drawn(SGLD, x, values, mode, **{**how, "steps": 400})
    assert short.bias.judgement == "within"
    assert 0 < short.bias.rows_seen < 20_000
    said = f"seen on {short.bias.rows_seen:,} of 20,000 rows only"
    assert any(said in w for w in short.warnings)
    assert said in repr(short.bias)
    with pytest.warns(BiasWarning, match=said):
        sample(
            bind(SGLD, {U: posterior_of(x, values)}),
            steps=400, progress=False, initial={theta: mode}, **how,
        )  # fmt: skip
    long = drawn(SGLD, x, values, mode, **{**how, "steps": 40_000})
    assert long.bias.rows_seen == 20_000
    assert not any("rows only" in w for w in long.warnings)


def test_where_rows_cannot_be_chosen_the_rows_of_the_minibatches_are_counted():
    x, values = heavy_regression(20_000, 3, [], 1.0)
    how = {"scheme": "euler", "step_size": 2e-8, "batch_size": 20, "compensate": True}
    found = drawn(SGLD, x, values, of(x, values, 20, sgld(2e-8))[0], **how)
    assert found.bias.rows_seen == distinct_rows(20_000, 307 * 20)
    assert any(f"seen on {found.bias.rows_seen:,} of 20,000 rows only" in w for w in found.warnings)
    seen = {len(set(np.random.default_rng(n).integers(1000, size=700))) for n in range(40)}
    assert min(seen) < distinct_rows(1000, 700) < max(seen)


def test_a_rule_that_is_refuted_is_judged_against_its_own_law_and_says_so():
    eps, w = Symbol("epsilon", positive=True), Noise("w", like=theta)
    wrong = Update(eps, {theta: theta - eps * grad(U, theta) + sqrt(eps) * w}, U, name="wrong")
    x, values = heavy_regression(200, 2, [], 1.0)
    how = {"steps": 2000, "progress": False, "unproved": True, "batch_size": 100}
    how["initial"] = {theta: of(x, values, None, sgld(1e-5))[0]}
    for size, judgement in ((1e-5, "within"), (4e-3, "exceeded")):
        with pytest.warns(BiasWarning, match="of the sampler itself, which is refuted, and not"):
            draws = sample(wrong, posterior_of(x, values), step_size=size, **how)
        assert draws.bias.refuted
        assert draws.bias.judgement == judgement
        assert any("which is refuted, and not against the posterior" in w for w in draws.warnings)


@pytest.mark.parametrize("weight", [1.0, 3.0])
def test_a_partition_has_the_covariance_of_its_rows(weight):
    """Against the sum over single rows; with two that outweigh all others, and a constant."""
    random = np.random.default_rng(0)
    gradients = random.normal(size=(5000, 2, 3)) @ random.normal(size=(3, 3))
    gradients[[17, 4000]] *= 200.0
    constant = random.normal(size=(2, 3))

    def results(rows):
        return constant + gradients[rows].sum(axis=0)

    parts = np.array_split(random.permutation(5000), 400)
    found = partition(results, parts, np.full(400, weight))
    assert sorted(np.concatenate(found.parts)) == list(range(5000))
    np.testing.assert_allclose(found.constant, constant, atol=1e-9)
    for point in (0, 1):
        exact = np.cov(gradients[:, point], rowvar=False, ddof=0)
        sd = np.sqrt(np.diag(exact))
        # the heavy rows have all but 1/17 of the variance; of the rest 400 parts say 7 percent
        np.testing.assert_allclose(
            found.covariance(point) / np.outer(sd, sd), exact / np.outer(sd, sd), atol=0.02
        )
        row, share = found.heaviest([point])
        assert row in (17, 4000)
        assert share > 0.4 / weight
    if weight == 1.0:
        assert found.relative_error(0) < 0.02


def test_a_partition_says_how_well_its_variances_are_known():
    """Over many partitions of one set of rows."""
    random = np.random.default_rng(1)
    gradients = random.normal(size=(4000, 1, 1))
    exact = gradients.var()
    found = [
        partition(
            lambda rows: gradients[rows].sum(axis=0),
            np.array_split(random.permutation(4000), 64),
            np.ones(64),
        )
        for _ in range(300)
    ]
    ratios = np.array([f.covariance(0)[0, 0] / exact for f in found])
    # standard errors: 0.18/sqrt(300) = 0.010 of the mean, and 0.18/sqrt(600) = 0.0073 of the sd
    assert ratios.mean() == pytest.approx(1.0, abs=0.04)
    said = np.mean([f.relative_error(0) for f in found])
    assert said == pytest.approx(ratios.std(), abs=0.03)


def test_a_result_that_is_no_sum_over_rows_has_no_partition():
    values = np.random.default_rng(2).normal(size=(400, 1, 1))
    parts = np.array_split(np.arange(400), 50)
    assert partition(lambda rows: values[rows].mean(axis=0), parts, np.ones(50)) is None
    assert partition(lambda rows: values[rows].sum(axis=0) ** 2, parts, np.ones(50)) is None
    assert partition(lambda rows: values[rows].sum(axis=0), parts[:3], np.ones(3)) is None


def test_the_rows_of_the_noise_are_a_share_of_the_work():
    few = work(run_steps=10, data_rows=10**8, batch=100, columns=20, steps=100, more=256)
    assert few.once < 10**8
    allowed = FREE_NUMBERS / 20
    assert few.once + BATCH_ROUNDS * few.again <= BATCH_SHARE * allowed + (
        BATCH_ROUNDS * few.batches * 100
    )
    many = work(run_steps=10**7, data_rows=10**5, batch=100, columns=20, steps=100, more=256)
    assert many.once == many.again == 10**5
