"""Derived quantities, new data and log likelihoods at draws, against scipy and plain numpy."""

import numpy as np
import pytest
from scipy import stats
from sympy import Interval, exp, oo

from catalog.sghmc import sghmc
from codegen import (
    compute_log_likelihood,
    read_draws,
    sample,
    sample_posterior_predictive,
)
from codegen.results.predictive_laws import DRAWN
from recipe import Data, Ordered, Posterior, RecipeError, Scalar, Simplex, Vector, laws, total
from recipe.laws import normal

MU, TAU = Scalar("mu"), Scalar("tau", domain=Interval.open(0, oo))
ETA, G, Y, X = Vector("eta"), Data("g"), Data("y"), Data("x")
NEW = Data("new")
GROUPS, VALUES = [0, 1, 2, 1, 0], [0.5, 1.0, -1.0, 2.0, 0.1]


def hierarchical(**more):
    prior = normal(MU, 0, 2) + laws.half_cauchy(TAU, 1) + total(normal(ETA, 0, 1))
    data = {G: GROUPS, Y: VALUES, **more.pop("data", {})}
    return Posterior((MU, TAU, ETA), normal(Y, MU + TAU * ETA[G], 1), prior, data, **more)


def drawn(posterior, **more):
    how = {"step_size": 0.1, "params": {"C": 1}, "steps": 40, "chains": 2, "seed": 5} | more
    return sample(sghmc, posterior, progress=False, **how)


def test_derived_quantities_are_those_of_numpy():
    derived = {
        "theta": MU + TAU * ETA,
        "log_tau": exp(TAU) * 2,
        "both": [MU, MU + TAU],
        "rate": exp(MU + NEW * ETA[0]),
        "spread": total(ETA**2) / ETA.dim,
    }
    coords = {ETA: ["a", "b", "c"]}
    posterior = hierarchical(derived=derived, data={NEW: [0.0, 0.5]}, coords=coords)
    draws = drawn(posterior)
    mu, tau, eta = draws["mu"], draws["tau"], draws["eta"]
    assert np.allclose(draws["theta"], mu[..., None] + tau[..., None] * eta, rtol=1e-14)
    assert np.allclose(draws["both"], np.stack([mu, mu + tau], axis=-1), rtol=1e-14)
    expected = np.exp(mu[..., None] + np.array([0.0, 0.5]) * eta[..., :1])
    assert np.allclose(draws["rate"], expected, rtol=1e-13)
    assert np.allclose(draws["spread"], (eta**2).mean(axis=-1), rtol=1e-14)
    assert draws.coords["theta"] == ("a", "b", "c")
    assert "theta[b]" in repr(draws)


def test_what_is_derived_is_saved_and_read(tmp_path):
    draws = drawn(hierarchical(derived={"theta": MU + TAU * ETA, "two": 2}))
    saved = read_draws(draws.save(tmp_path / "draws.nc"))
    assert not [w for w in saved.summary().warnings if "never moved" in w]  # two is a constant
    assert np.array_equal(saved["theta"], draws["theta"])


def test_no_block_changes_by_what_is_derived():
    plain, derived = drawn(hierarchical()), drawn(hierarchical(derived={"q": MU**2}))
    assert all(np.array_equal(plain[n], derived[n]) for n in ("mu", "tau", "eta"))


def test_a_quantity_of_a_block_that_is_not_kept_is_left_out():
    draws = drawn(hierarchical(derived={"q": MU**2}), keep=["mu"])
    assert list(draws.values) == ["mu"]


def test_draws_of_an_ordered_block_are_its_numbers():
    c = Ordered("c", 2)
    prior = sum(normal(k, 0, 3) for k in c)
    posterior = Posterior(c, laws.ordered_logistic(Y, 0, c), prior, {Y: [0, 1, 2, 1]})
    draws = drawn(posterior)
    assert list(draws.values) == ["c"]
    assert np.all(np.diff(draws["c"], axis=-1) > 0)
    kept = drawn(posterior, keep=["c_0", "c_gap_1"])
    assert np.array_equal(kept["c_0"], draws["c"][..., 0])
    for keep in ("c", c, [c]):
        named = drawn(posterior, keep=keep, steps=3)
        assert list(named.values) == ["c"]
        assert np.array_equal(named["c"], draws["c"][:, :3])
    both = drawn(posterior, keep=["c", "c_0"], steps=3)
    assert set(both.values) == {"c", "c_0"}
    with pytest.raises(RecipeError, match="keep= names d, which is no block; the blocks are c, c_"):
        drawn(posterior, keep=["d"])
    rows = compute_log_likelihood(draws, posterior).predictions["log_likelihood"]
    below = stats.logistic.cdf(draws["c"])
    first = np.log(below[..., 0])
    assert np.allclose(rows.variables["y"].values[..., 0], first, rtol=1e-9)


def test_an_ordered_block_is_kept_without_the_other_blocks():
    c = Ordered("c", 3, prior=normal(0, 3))
    posterior = Posterior(
        (Scalar("mu"), c),
        log_likelihood=laws.ordered_logistic(Y, MU * X, c),
        log_prior=normal(MU, 0, 1),
        data={Y: [0, 1, 2, 3], X: [1.0, 2.0, 0.0, 1.0]},
        derived={"twice": 2 * MU},
    )
    every = drawn(posterior, steps=5)
    assert list(every.values) == ["mu", "c", "twice"]
    alone = drawn(posterior, keep=["c"], steps=5)
    assert list(alone.values) == ["c"]
    assert np.array_equal(alone["c"], every["c"])
    assert list(drawn(posterior, keep=["mu", "c"], steps=5).values) == ["mu", "c", "twice"]


def test_the_log_likelihood_is_that_of_scipy():
    posterior = hierarchical()
    draws = compute_log_likelihood(drawn(posterior), posterior)
    mean = draws["mu"][..., None] + draws["tau"][..., None] * draws["eta"][..., GROUPS]
    found = draws.predictions["log_likelihood"].variables["y"]
    assert found.dims == ("chain", "draw", "y_dim")
    assert np.allclose(found.values, stats.norm.logpdf(VALUES, mean, 1), rtol=1e-12)


def mixed(weights, means):
    return laws.mixture(weights, [normal(Y, m, 1) for m in means])


W = Vector("w", domain=Simplex())


def test_the_log_likelihood_of_a_mixture_and_of_a_simplex():
    labels = [0, 2, 1, 2]
    posterior = Posterior(
        W,
        mixed([W[0], W[1], 1 - total(W)], [-40, 0, 40]) + laws.categorical(X, W),
        laws.dirichlet(W, 1),
        {Y: [-39.0, 0.3, 41.0, 900.0], X: labels},
    )
    draws = compute_log_likelihood(drawn(posterior), posterior)
    p = np.concatenate([draws["w"], 1 - draws["w"].sum(-1, keepdims=True)], axis=-1)
    parts = np.log(p)[..., None, :] + stats.norm.logpdf(
        np.array([-39.0, 0.3, 41.0, 900.0])[:, None], [-40, 0, 40], 1
    )
    expected = np.logaddexp.reduce(parts, axis=-1) + np.log(p)[..., labels]
    found = draws.predictions["log_likelihood"].variables["likelihood"].values
    assert np.allclose(found, expected, rtol=1e-10)


def test_loo_takes_it():
    arviz = pytest.importorskip("arviz")
    posterior = hierarchical()
    draws = compute_log_likelihood(drawn(posterior, steps=400, warmup=100), posterior)
    assert np.isfinite(arviz.loo(draws.to_arviz()).elpd_loo)


# a law of recipe.laws, its arguments, and the same law of scipy
LAWS = [
    ("normal", {"mean": 1.0, "sd": 2.0}, stats.norm(1, 2)),
    ("student_t", {"df": 5.0, "location": 1.0, "scale": 2.0}, stats.t(5, 1, 2)),
    ("cauchy", {"location": 1.0, "scale": 2.0}, stats.cauchy(1, 2)),
    ("laplace", {"location": 1.0, "scale": 2.0}, stats.laplace(1, 2)),
    ("logistic", {"location": 1.0, "scale": 2.0}, stats.logistic(1, 2)),
    ("half_normal", {"scale": 2.0}, stats.halfnorm(0, 2)),
    ("half_cauchy", {"scale": 2.0}, stats.halfcauchy(0, 2)),
    ("half_student_t", {"df": 1.0, "scale": 2.0}, stats.halfcauchy(0, 2)),
    ("exponential", {"rate": 2.0}, stats.expon(0, 0.5)),
    ("gamma", {"shape": 3.0, "rate": 2.0}, stats.gamma(3, 0, 0.5)),
    ("inverse_gamma", {"shape": 3.0, "scale": 2.0}, stats.invgamma(3, 0, 2)),
    ("log_normal", {"mean": 0.5, "sd": 0.7}, stats.lognorm(0.7, 0, np.exp(0.5))),
    ("weibull", {"shape": 1.5, "scale": 2.0}, stats.weibull_min(1.5, 0, 2)),
    ("beta", {"a": 2.0, "b": 3.0}, stats.beta(2, 3)),
    ("uniform", {"low": -1.0, "high": 2.0}, stats.uniform(-1, 3)),
    ("poisson", {"rate": 3.0}, stats.poisson(3)),
    ("binomial", {"n": 7.0, "p": 0.3}, stats.binom(7, 0.3)),
    ("binomial_logit", {"n": 7.0, "logit": 0.3}, stats.binom(7, 1 / (1 + np.exp(-0.3)))),
    ("negative_binomial", {"mean": 3.0, "concentration": 2.0}, stats.nbinom(2, 2 / 5)),
    ("bernoulli", {"p": 0.3}, stats.bernoulli(0.3)),
    ("bernoulli_logit", {"logit": -1.0}, stats.bernoulli(1 / (1 + np.e))),
]
COUNT = 20_000
CHANCE = 1e-4  # that a right law fails; the seed is fixed


@pytest.mark.parametrize(("name", "arguments", "known"), LAWS, ids=[n for n, _, _ in LAWS])
def test_new_data_have_the_law_of_scipy(name, arguments, known):
    rng = np.random.default_rng(3)
    given = {k: np.array([v]) for k, v in arguments.items()}
    numbers = DRAWN[name](rng, (COUNT,), **given)
    if hasattr(known.dist, "pdf"):
        assert stats.kstest(numbers, known.cdf).pvalue > CHANCE
        return
    values, counts = np.unique(numbers, return_counts=True)
    expected = COUNT * known.pmf(values)
    often = expected > 10
    left = COUNT - expected[often].sum(), COUNT - counts[often].sum()
    observed, wanted = (
        np.append(counts[often], left[1]),
        np.append(expected[often], left[0]),
    )
    enough = wanted > 1e-6
    assert stats.chisquare(observed[enough], wanted[enough]).pvalue > CHANCE


@pytest.mark.parametrize(
    ("name", "arguments", "chances"),
    [
        ("categorical", {"p": [[0.2, 0.5, 0.3]]}, [0.2, 0.5, 0.3]),
        ("categorical_logit", {"logits": [[0.0, 1.0]]}, [1 / (1 + np.e), np.e / (1 + np.e)]),
        (
            "ordered_logistic",
            {"location": [0.5], "cutpoints": [[0.0, 1.5]]},
            np.diff([0, *stats.logistic.cdf([-0.5, 1.0]), 1]),
        ),
    ],
)
def test_new_labels_have_their_probabilities(name, arguments, chances):
    given = {k: np.array(v) for k, v in arguments.items()}
    labels = DRAWN[name](np.random.default_rng(3), (COUNT,), **given).astype(int)
    found = np.bincount(labels, minlength=len(chances))
    assert stats.chisquare(found, COUNT * np.asarray(chances)).pvalue > CHANCE


def test_every_law_of_data_can_be_drawn_from():
    renamed = {"poisson_log": "poisson", "negative_binomial_log": "negative_binomial"}
    missing = {n for n in laws.__all__ if renamed.get(n, n) not in DRAWN}
    assert missing == {"dirichlet", "mixture"}  # of a block alone, and drawn from its parts


def test_new_data_are_those_of_the_posterior_predictive_law():
    """Known scale: new data are normal around the draws of the mean, so that their variance is the
    sum of both; five standard errors.
    """
    posterior = hierarchical()
    draws = drawn(posterior, steps=3000, warmup=200)
    new = sample_posterior_predictive(draws, posterior, seed=1)
    found = new.predictions["posterior_predictive"].variables["y"].values
    mean = draws["mu"][..., None] + draws["tau"][..., None] * draws["eta"][..., GROUPS]
    z = found - mean
    assert abs(z.mean()) < 5 / np.sqrt(z.size)
    assert abs(z.var() - 1) < 5 * np.sqrt(2 / z.size)
    observed = new.predictions["observed_data"].variables["y"].values
    assert observed.tolist() == VALUES


def test_new_data_of_a_mixture():
    posterior = Posterior(
        W,
        mixed([W[0], W[1], 1 - total(W)], [-40, 0, 40]),
        laws.dirichlet(W, 1),
        {Y: [-40.0] * 5 + [0.0] * 3 + [40.0] * 2},
    )
    draws = drawn(posterior, steps=2000, warmup=200)
    new = sample_posterior_predictive(draws, posterior)
    found = new.predictions["posterior_predictive"].variables["y"].values
    shares = [(found < -20).mean(), ((found > -20) & (found < 20)).mean()]
    assert np.allclose(shares, draws["w"].mean(axis=(0, 1)), atol=0.01)
    assert abs((found + 40)[found < -20].var() - 1) < 0.05


def test_new_data_are_a_function_of_seed_chain_and_draw():
    posterior = hierarchical()
    draws = drawn(posterior)

    def new(**how):
        found = sample_posterior_predictive(draws, posterior, **how)
        return found.predictions["posterior_predictive"].variables["y"].values

    assert np.array_equal(new(seed=2), new(seed=2))
    assert np.array_equal(new(seed=2)[:, ::3], new(seed=2, thin=3))
    assert not np.any(new(seed=2) == new(seed=3))
    assert not np.any(new()[0] == new()[1])


def test_predictions_are_made_of_saved_draws_as_well(tmp_path):
    posterior = hierarchical()
    draws = drawn(posterior)
    saved = read_draws(draws.save(tmp_path / "draws.nc"))
    ours, theirs = (compute_log_likelihood(d, posterior) for d in (draws, saved))
    found = [d.predictions["log_likelihood"].variables["y"].values for d in (ours, theirs)]
    assert np.array_equal(*found)
    again = read_draws(theirs.save(tmp_path / "more.nc"))
    assert np.array_equal(again["eta"], draws["eta"])
    assert list(again.predictions) == ["sample_stats", "log_likelihood"]
    more = sample_posterior_predictive(again, posterior, seed=3)
    assert list(more.predictions) == [*again.predictions, "posterior_predictive", "observed_data"]
    steps = again.predictions["sample_stats"].variables["step_size"].values
    assert np.array_equal(steps, np.broadcast_to(draws.step_sizes, steps.shape))
    assert not read_draws(tmp_path / "more.nc", groups=[]).predictions
    asked = read_draws(tmp_path / "more.nc", groups=["log_likelihood"])
    assert list(asked.predictions) == ["log_likelihood"]


def test_a_likelihood_that_is_no_law_by_name_has_no_new_data():
    prior = normal(MU, 0, 1)
    for likelihood in (normal(Y, MU, 1) * 2, -((Y - MU) ** 2), normal(Y, MU, 1) - Y**4):
        posterior = Posterior(MU, likelihood, prior, {Y: [1.0, 2.0]})
        with pytest.raises(RecipeError, match="law"):
            sample_posterior_predictive(drawn(posterior), posterior)


def test_what_does_not_fit_into_memory_is_refused_with_its_size(monkeypatch):
    monkeypatch.setattr("codegen.system.memory.available_memory", lambda: 1000)
    posterior = hierarchical()
    with pytest.raises(RecipeError, match=r"5 numbers for each of 80 draws.*thin="):
        compute_log_likelihood(draws_made_before(), posterior)


def draws_made_before():
    from codegen.results.diagnostics.groups import Group, Variable
    from codegen.results.saved_draws import SavedDraws

    dims = ("chain", "draw")
    variables = {n: Variable(dims, np.ones((2, 40))) for n in ("mu", "tau")}
    variables["eta"] = Variable((*dims, "eta_dim"), np.ones((2, 40, 3)))
    return SavedDraws(Group(variables))


def test_draws_of_another_posterior_are_refused():
    posterior = Posterior(Scalar("nu"), normal(Y, Scalar("nu"), 1), 0, {Y: [1.0]})
    said = r"these are draws of another model, of .*; the posterior has nu"
    with pytest.raises(RecipeError, match=said):
        compute_log_likelihood(draws_made_before(), posterior)


@pytest.mark.parametrize("predict", [compute_log_likelihood, sample_posterior_predictive])
def test_what_is_no_posterior_is_refused(predict):
    with pytest.raises(RecipeError, match="no Posterior"):
        predict(draws_made_before(), "eight_schools")


@pytest.mark.parametrize("predict", [compute_log_likelihood, sample_posterior_predictive])
def test_arguments_in_the_other_order_are_one_sentence(predict):
    with pytest.raises(RecipeError) as refused:
        predict(hierarchical(), draws_made_before())
    assert str(refused.value) == (
        f"{predict.__name__}(draws, posterior): the draws come first and their posterior second;"
        " swap them"
    )
    with pytest.raises(RecipeError, match="give those of sample"):
        predict({"mu": np.ones((2, 40))}, hierarchical())
