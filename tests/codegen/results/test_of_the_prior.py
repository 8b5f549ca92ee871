"""Draws of the prior alone, data drawn from them, and the log prior at draws."""

import json
import re

import numpy as np
import pytest
from scipy import stats

from catalog.hmc import hmc_kernel
from catalog.posteriors.eight_schools import posterior as eight_schools
from catalog.sghmc import sghmc
from codegen import (
    Density,
    Draws,
    compute_log_likelihood,
    compute_log_prior,
    generate,
    read_draws,
    sample,
    sample_posterior_predictive,
    sample_prior_predictive,
)
from codegen.inputs.lengths import Lengths
from codegen.inputs.posterior_data import resolved_arrays
from codegen.results.diagnostics.groups import Group, Variable
from codegen.results.quantities import at_draws, derived_draws
from codegen.results.saved_draws import SavedDraws
from recipe import Data, Posterior, RecipeError, Scalar, Vector, bind, total
from recipe.laws import categorical_logit, half_normal, normal
from recipe_cli.program.translation import translation_of
from verify.verdict import Verdict

A, TAU = Vector("a", prior=normal(1, 3)), Scalar("tau", prior=half_normal(2))
Y, G, NEW = Data("y"), Data("g"), Data("new")
CHANCE = 1e-4  # that a right law fails; the seed is fixed


def model(**more):
    data = {Y: [0.5, 1.0, -1.0], G: [0, 1, 1], NEW: [0.0, 2.0]}
    return Posterior(
        log_likelihood=normal(Y, A[G], TAU), data=data, derived={"q": TAU * NEW}, **more
    )


@pytest.fixture(scope="module")
def before():
    return sample(
        hmc_kernel, model().prior(), step_size=0.5, steps=6000, warmup=200, seed=3, progress=False
    )


@pytest.mark.slow
def test_draws_of_the_prior_have_its_laws(before):
    """Thinned to nearly independent draws, by Kolmogorov and Smirnov."""
    laws = {"a": stats.norm(1, 3), "tau": stats.halfnorm(0, 2)}
    for name, law in laws.items():
        values = before[name][:, ::40].reshape(-1, *before[name].shape[2:])
        columns = values.T if values.ndim == 2 else [values]
        assert min(stats.kstest(c, law.cdf).pvalue for c in columns) > CHANCE
    assert np.array_equal(before["q"][..., 1], 2 * before["tau"])


@pytest.mark.slow
def test_data_drawn_from_the_prior_have_its_predictive_law(before):
    """Var y = Var a + E tau^2 = 9 + 4, within ten percent."""
    found = sample_prior_predictive(before, model(), seed=1)
    y = found.predictions["prior_predictive"].variables["y"].values
    assert y.shape == (4, 5800, 3)
    assert abs(y.var() / 13 - 1) < 0.1
    assert found.predictions["observed_data"].variables["y"].values.tolist() == [0.5, 1.0, -1.0]
    assert "posterior_predictive" not in found.predictions
    same = sample_prior_predictive(before, model().prior(), seed=1)
    assert np.array_equal(same.predictions["prior_predictive"].variables["y"].values, y)


def test_lengths_and_names_are_those_of_the_posterior():
    pandas = pytest.importorskip("pandas")
    beta = Vector("beta", prior=normal(0, 1))
    x = Data("x", like=beta)
    table = pandas.DataFrame({"age": [1.0], "income": [2.0]})
    law = Posterior(log_likelihood=normal(Y, total(x * beta), 1), data={x: table, Y: [1.0]})
    lengths = Lengths()
    assert resolved_arrays(law.prior(), lengths) == {}
    assert lengths.names_of(beta) == ("age", "income")


def test_the_density_of_a_prior_is_the_log_prior():
    law = Density(eight_schools.prior())
    here = {"mu": 0.3, "log_tau": 0.2, "eta": np.linspace(-1, 1, 8)}
    there = {**here, "eta": np.zeros(8)}
    expected = stats.norm.logpdf(here["eta"]).sum() - stats.norm.logpdf(there["eta"]).sum()
    assert np.isclose(law.potential(there) - law.potential(here), expected, rtol=1e-12)


def test_a_flat_prior_has_no_draws():
    mu = Scalar("mu")
    with pytest.raises(RecipeError, match=r"mu .* no law"):
        Posterior(mu, normal(Y, mu, 1), 0, {Y: [1.0]}).prior()


@pytest.mark.parametrize("predict", [compute_log_likelihood, sample_posterior_predictive])
def test_a_prior_has_no_likelihood(predict):
    with pytest.raises(RecipeError, match="give the posterior that it is the prior of"):
        predict(some_draws(), model().prior())


def some_draws():
    rng = np.random.default_rng(4)
    dims = ("chain", "draw")
    return SavedDraws(
        Group(
            {
                "a": Variable((*dims, "a_dim"), rng.normal(size=(2, 50, 2))),
                "tau": Variable(dims, rng.exponential(size=(2, 50))),
                "mu": Variable(dims, rng.normal(size=(2, 50))),
            }
        )
    )


def test_the_log_prior_is_that_of_scipy(tmp_path):
    mu = Scalar("mu")
    law = Posterior(
        log_likelihood=normal(Y, mu + A[G], TAU),
        log_prior=normal(mu, 0, 5),
        data={Y: [0.5, 1.0, -1.0], G: [0, 1, 1]},
    )
    drawn = some_draws()
    expected = {
        "a": stats.norm.logpdf(drawn["a"], 1, 3).sum(axis=-1),
        "tau": stats.halfnorm.logpdf(drawn["tau"], 0, 2),
        "log_prior": stats.norm.logpdf(drawn["mu"], 0, 5),
    }
    for each in (drawn, read_draws(drawn.save(tmp_path / "draws.nc"))):
        found = compute_log_prior(each, law, thin=2).predictions["log_prior"]
        assert set(found.variables) == set(expected)
        for name, values in expected.items():
            assert found.variables[name].dims == ("chain", "draw")
            np.testing.assert_allclose(found.variables[name].values, values[:, ::2], rtol=1e-12)


def test_the_log_prior_of_a_flat_one_is_refused():
    mu = Scalar("mu")
    law = Posterior(mu, normal(Y, mu, 1), 0, {Y: [1.0]})
    with pytest.raises(RecipeError, match="flat"):
        compute_log_prior(some_draws(), law)


@pytest.mark.slow
def test_power_scaling_takes_it():
    """The tighter of two priors matters more."""
    arviz = pytest.importorskip("arviz")
    drawn = some_draws()
    scaled = [
        arviz.psens(
            compute_log_prior(
                drawn, Posterior(log_likelihood=normal(Y, mu, 1), data={Y: [1.0]})
            ).to_arviz(),
            component="prior",
            var_names=["mu", "tau"],
        )["mu"].item()
        for mu in (Scalar("mu", prior=normal(0, 1)), Scalar("mu", prior=normal(0, 30)))
    ]
    assert scaled[0] > 10 * scaled[1] >= 0


def test_an_expression_of_a_bounded_block_is_refused_in_its_own_words():
    law = model()
    with pytest.raises(RecipeError) as refused:
        bind(hmc_kernel, -law.log_prior)
    assert "a function of tau, which lives on Interval.open(0, oo)" in str(refused.value)
    assert "posterior.prior()" in str(refused.value)
    assert "theta" not in str(refused.value)


def one(values):
    values = np.asarray(values, dtype=float)
    return Draws({"x": values}, np.full(len(values), 100), (), False, {}, np.ones(100))


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (np.random.default_rng(0).normal(size=(2, 100)), None),
        (np.random.default_rng(0).normal(size=(1, 100)), "one chain"),
        (np.repeat([[0.0], [1.0]], 100, axis=1), "infinite"),
        (np.zeros((2, 100)), "constant"),
    ],
)
def test_json_says_why_there_is_no_r_hat(values, why):
    (row,) = json.loads(json.dumps(one(values).summary().as_json()))["coordinates"]
    assert (row["r_hat"] is None) == (why is not None)
    assert row["r_hat_missing"] == why


def test_a_law_of_other_labels_is_a_derived_quantity():
    mu, z = Scalar("mu", prior=normal(0, 1)), Data("z", [0, 1, 1])
    law = Posterior(
        log_likelihood=normal(Y, mu, 1),
        data={Y: [1.0, 2.0]},
        derived={"score": categorical_logit(z, [mu, 0])},
    )
    drawn = some_draws()["mu"]
    found = derived_draws(at_draws(law, {"mu": drawn}, {}))["score"]
    chances = 1 / (1 + np.exp(-drawn))
    expected = np.log(np.stack([chances, 1 - chances, 1 - chances], axis=-1))
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    again = derived_draws(at_draws(law.prior(), {"mu": drawn}, {}))["score"]
    assert np.array_equal(again, found)


def test_data_without_a_use_are_refused():
    mu, z = Scalar("mu", prior=normal(0, 1)), Data("z")
    said = "data= has an array for z, which neither log_likelihood nor derived= uses"
    with pytest.raises(RecipeError, match=re.escape(said)):
        Posterior(log_likelihood=normal(Y, mu, 1), data={Y: [1.0], z: [1.0]})


@pytest.mark.parametrize("sampler", [hmc_kernel, sghmc], ids=["kernel", "recipe"])
def test_the_text_of_a_sampler_of_a_prior_is_proved(sampler):
    """It has a sum over no rows, with and without values of the potential."""
    module = generate(bind(sampler, eight_schools.prior()))
    assert translation_of(module).verdict is Verdict.PROVED
