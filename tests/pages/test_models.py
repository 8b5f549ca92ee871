"""The models of examples/models: their densities against scipy's, and own gradients against
differences of a density written by hand.
"""

import importlib
import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sympy import tanh

from catalog.sghmc import sghmc
from codegen import Density
from recipe import Data, Posterior, Scalar, Vector, bind, laws, total

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "models"
# These have tests of their own: test_lda.py, test_binary_network.py, test_dirichlet_process.py,
# test_matrix_factorisation.py.
NO_POSTERIOR = {"lda", "binary_network", "dirichlet_process", "nonnegative_factors"}
NAMES = sorted(p.stem for p in FOLDER.glob("*.py") if p.stem not in NO_POSTERIOR)
OWN_GRADIENT = {"gaussian_process", "network", "network_jax"}
NO_TWIN = {"latent_series"}  # its reference is Kalman's smoother: test_latent_series.py


def model(name):
    if name == "network_jax":
        pytest.importorskip("jax")
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def normal(x, mean, sd):
    return stats.norm.logpdf(x, mean, sd).sum()


def positive(x, sd):
    return stats.halfnorm.logpdf(x, scale=sd).sum()


def logistic(z, d):
    eta = z["a"] + d["x"].to_numpy() @ z["beta"]
    labels = stats.bernoulli.logpmf(d["y"], 1 / (1 + np.exp(-eta))).sum()
    return labels + normal(z["a"], 0, 5) + normal(z["beta"], 0, 1)


def hierarchical(z, d):
    rows = normal(d["y"], z["mu"] + z["tau"] * z["eta"][d["group"]], z["sigma"])
    scales = stats.halfcauchy.logpdf(z["tau"]) + positive(z["sigma"], 2)
    return rows + normal(z["mu"], 0, 5) + scales + normal(z["eta"], 0, 1)


def factorisation(z, d):
    rates = z["u1"][d["user"]] * z["v1"][d["item"]] + z["u2"][d["user"]] * z["v2"][d["item"]]
    priors = sum(stats.gamma.logpdf(z[n], 2, scale=1 / 2).sum() for n in ("u1", "u2", "v1", "v2"))
    return stats.poisson.logpmf(d["y"], rates).sum() + priors


def mixture(z, d):
    weights = [z["p"], (1 - z["p"]) * z["q"], (1 - z["p"]) * (1 - z["q"])]
    means = np.cumsum([z["m"], z["d"], z["e"]])
    parts = [w * stats.norm.pdf(d["y"], m, z["s"]) for w, m in zip(weights, means, strict=True)]
    scales = positive(z["d"], 5) + positive(z["e"], 5) + positive(z["s"], 2)
    weighted = stats.beta.logpdf(z["p"], 1, 2) + stats.beta.logpdf(z["q"], 1, 1)
    return np.log(sum(parts)).sum() + normal(z["m"], 0, 5) + scales + weighted


def autoregression(z, d):
    rows = normal(d["y"], z["a"] + z["rho"] * np.asarray(d["before"]), z["sigma"])
    return rows + normal(z["a"], 0, 2) + np.log(1 / 2) + positive(z["sigma"], 2)


def latent_series(z, d):
    rows = normal(d["y"], z["q"] * z["x"], 0.5) + normal(z["x"][0], 0, 1)
    return rows + normal(z["x"][1:], z["rho"] * z["x"][:-1], 1) + positive(z["q"], 1)


def multinomial(z, d):
    counts, p = d["y"][0], z["g"] / z["g"].sum()
    law = stats.multinomial.logpmf(counts, counts.sum(), p)
    return law + stats.gamma.logpdf(z["g"], 1 / 2).sum()


def softmax(z, d):
    scores = np.column_stack(
        [np.zeros(150), *(z[f"a{k}"] + d["x"] @ z[f"beta{k}"] for k in (1, 2))]
    )
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    priors = sum(normal(z[f"a{k}"], 0, 5) + normal(z[f"beta{k}"], 0, 1) for k in (1, 2))
    return np.log(p[np.arange(150), d["y"].astype(int)]).sum() + priors


def ordinal(z, d):
    cuts = np.cumsum([z["c"], z["d"], z["e"]])
    below = stats.logistic.cdf(cuts - (d["x"] @ z["beta"])[:, None])
    below = np.column_stack([np.zeros(len(below)), below, np.ones(len(below))])
    rows = np.diff(below)[np.arange(len(below)), d["y"]]
    scales = positive(z["d"], 5) + positive(z["e"], 5)
    return np.log(rows).sum() + normal(z["beta"], 0, 1) + normal(z["c"], 0, 5) + scales


def negative_binomial(z, d):
    means = np.exp(z["a"] + d["x"] @ z["beta"])
    rows = stats.nbinom.logpmf(d["y"], z["c"], z["c"] / (z["c"] + means)).sum()
    return rows + normal(z["a"], 0, 2) + normal(z["beta"], 0, 1) + positive(z["c"], 5)


def gaussian_process(z, d):
    x = np.asarray(d["x"])
    K = np.exp(2 * z["a"] - (x[:, None] - x) ** 2 / np.exp(2 * z["ell"]) / 2)
    law = stats.multivariate_normal(cov=K + np.exp(2 * z["s"]) * np.eye(x.size))
    return (
        law.logpdf(d["y"]) + normal(z["ell"], 0, 1) + normal(z["a"], 0, 1) + normal(z["s"], -1, 1)
    )


def network(z, d):
    curve = z["c"] + np.tanh(np.outer(d["x"], z["w"]) + z["b"]) @ z["v"]
    priors = (
        normal(z["w"], 0, 2) + normal(z["b"], 0, 2) + normal(z["v"], 0, 1) + normal(z["c"], 0, 1)
    )
    return normal(d["y"], curve, 0.2) + priors


BY_HAND = {
    f.__name__: f
    for f in (
        logistic, hierarchical, factorisation, mixture, autoregression, multinomial, softmax,
        ordinal, negative_binomial, gaussian_process, network, latent_series,
    )
} | {"network_jax": network}  # fmt: skip


def point(posterior, lengths, seed):
    """Values of all blocks; those on an interval are below 1."""
    rng = np.random.default_rng(seed)
    sizes = {b.name: lengths.get(b.name) for b in posterior.blocks}
    return {
        b.name: (
            rng.uniform(0.2, 0.8, sizes[b.name])
            if b.domain.inf == 0
            else rng.normal(0, 0.3, sizes[b.name])
        )
        for b in posterior.blocks
    }


LENGTHS = {
    "logistic": {"beta": 20},
    "hierarchical": {"eta": 30},
    "factorisation": {"u1": 25, "u2": 25, "v1": 20, "v2": 20},
    "multinomial": {"g": 12},
    "latent_series": {"x": 40},
    "softmax": {"beta1": 4, "beta2": 4},
    "ordinal": {"beta": 3},
    "negative_binomial": {"beta": 4},
    "network": {"w": 4, "b": 4, "v": 4},
    "network_jax": {"w": 4, "b": 4, "v": 4},
}


def given(posterior):
    return {str(s): a for s, a in posterior.given.items()}


@pytest.mark.slow_for("logistic")  # its table is written and read
@pytest.mark.parametrize("name", NAMES)
def test_a_sampler_takes_the_model_as_it_stands(name):
    found = model(name)
    assert isinstance(found.posterior, Posterior)
    assert found.__doc__
    state = bind(sghmc, found.posterior).state
    assert set(found.posterior.blocks) <= {*state, *(b.image for b in state)}


@pytest.mark.by_default("autoregression")
@pytest.mark.parametrize("name", sorted(set(NAMES) - OWN_GRADIENT))
def test_the_density_is_the_one_by_hand(name):
    """Up to a constant, which cancels between two points."""
    posterior = model(name).posterior
    density, data, lengths = Density(posterior), given(posterior), LENGTHS.get(name, {})
    a, b = (point(posterior, lengths, seed) for seed in (1, 2))
    expected = BY_HAND[name](b, data) - BY_HAND[name](a, data)
    assert density.potential(a) - density.potential(b) == pytest.approx(expected, rel=1e-9)


def test_a_network_is_a_model_like_any_other():
    """As docs/models.md says beside the network with a gradient of its own."""
    w, c = Vector("w", prior=laws.normal(0, 2)), Scalar("c", prior=laws.normal(0, 1))
    b = Vector("b", like=w, prior=laws.normal(0, 2))
    v = Vector("v", like=w, prior=laws.normal(0, 1))
    x, y = Data("x", [0.3, -1.2, 0.8]), Data("y", [0.1, -0.4, 1.1])
    posterior = Posterior(log_likelihood=laws.normal(y, c + total(v * tanh(w * x + b)), 0.2))
    density, data = Density(posterior), {n: np.array(a) for n, a in given(posterior).items()}
    one, other = (point(posterior, LENGTHS["network"], seed) for seed in (1, 2))
    expected = network(other, data) - network(one, data)
    assert density.potential(one) - density.potential(other) == pytest.approx(expected, rel=1e-9)


@pytest.mark.slow_for("network")  # the compilation of its gradient
@pytest.mark.parametrize("name", sorted(OWN_GRADIENT))
def test_a_gradient_of_ones_own_is_the_one_of_differences(name):
    """Central differences, with an error near 1e-6 of the largest derivative."""
    posterior = model(name).posterior
    data, z = given(posterior), point(posterior, LENGTHS.get(name, {}), 1)
    arrays = [np.asarray(a, dtype=float) for a in data.values()]
    values = [np.atleast_1d(z[b.name]) for b in posterior.blocks]
    rows = np.arange(arrays[0].size)
    if name == "network":
        found = [np.zeros_like(v) for v in values]
        posterior.user_gradient(*values, rows, *arrays, *found)
    else:
        blocks = [z[b.name] for b in posterior.blocks]
        found = [np.atleast_1d(g) for g in posterior.user_gradient(*blocks, rows, *arrays)]
    largest = max(abs(np.concatenate(found)))
    for b, slope in zip(posterior.blocks, found, strict=True):
        for k in range(slope.size):
            moved = []
            for h in (1e-5, -1e-5):
                shifted = np.array(z[b.name], dtype=float)
                shifted.reshape(-1)[k] += h
                moved.append(BY_HAND[name]({**z, b.name: shifted}, data))
            assert slope[k] == pytest.approx((moved[1] - moved[0]) / 2e-5, abs=1e-6 * largest)


def test_the_tables_of_the_page_are_those_of_the_results(monkeypatch):
    root = FOLDER.parents[1]
    monkeypatch.syspath_prepend(str(root / "benchmarks" / "models"))
    page = importlib.import_module("page")
    text = (root / "docs" / "models.md").read_text()
    assert page.page(text, page.tables_of(root / "docs" / "models")) == text
    assert all(f"| {name} |" in text for name in set(NAMES) - NO_TWIN)


@pytest.mark.parametrize("name", sorted(set(NAMES) - OWN_GRADIENT - NO_TWIN))
def test_a_model_is_no_longer_than_its_twin_in_pymc(name, monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER.parents[1] / "benchmarks" / "models"))
    lines = importlib.import_module("lines")
    assert 3 <= lines.lines_here(name) <= lines.lines_in_pymc(name)
