"""Matrix factorisation and annealing, as their pages have them: a gradient that is written by hand
against differences of a density of scipy's, samplers that are proved, and a run without any
download.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from verify import Verdict, verify

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))


@pytest.mark.parametrize("likelihood", ["poisson", "normal"])
def test_the_gradient_is_that_of_the_density(likelihood):
    """All rows, and a minibatch scaled by N/n, by central differences."""
    import nmf

    rng = np.random.default_rng(0)
    i, j = np.array([0, 1, 1, 2]), np.array([0, 0, 1, 1])
    x = rng.poisson(3, 4).astype(float)
    theta = rng.uniform(0.5, 2, (3 + 2) * 2)

    def potential(at, rows):
        W, H = at[:6].reshape(3, 2), at[6:].reshape(2, 2)
        mu = (W[i[rows]] * H[j[rows]]).sum(1)
        law = stats.poisson(mu).logpmf if likelihood == "poisson" else stats.norm(mu, 1).logpdf
        return -len(x) / len(rows) * law(x[rows]).sum() - stats.expon.logpdf(at).sum()

    gradient = nmf.gradient_of(3, 2, likelihood)
    for rows in (np.arange(4), np.array([1, 3])):
        g = np.empty(10)
        gradient(theta, rows, i, j, x, g)
        for k in range(10):
            step = np.eye(10)[k] * 1e-6
            wanted = (potential(theta + step, rows) - potential(theta - step, rows)) / 2e-6
            assert g[k] == pytest.approx(wanted, rel=1e-5, abs=1e-6)


def test_the_samplers_leave_every_law_stationary():
    import nmf

    for name, recipe in nmf.SAMPLERS.items():
        lines = {line.name: line.outcome.verdict for line in verify(recipe).lines}
        assert lines["stationarity"] is Verdict.PROVED, name


def test_predictions_are_means_of_products():
    import nmf

    data = nmf.drawn_here()
    draws = np.random.default_rng(1).uniform(1, 2, (4, (60 + 80) * 3))
    i, j, _ = data.test
    mean = nmf.predicted(draws, data, 3, data.test)
    W, H = draws[:, : 60 * 3].reshape(4, 60, 3), draws[:, 60 * 3 :].reshape(4, 80, 3)
    wanted = np.mean([W[t] @ H[t].T for t in range(3)], axis=0)[i, j]
    np.testing.assert_allclose(mean[2], wanted)


def test_what_is_not_there_is_said(monkeypatch, tmp_path):
    import nmf

    monkeypatch.setenv("RECIPE_DATA", str(tmp_path))
    with pytest.raises(SystemExit, match="the MovieLens ratings are not here"):
        nmf.movielens()


@pytest.mark.slow
def test_every_sampler_predicts_better_than_the_mean_rating():
    call = [sys.executable, "examples/nmf.py", "--quick", "--json"]
    done = subprocess.run(
        call,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found["curves"]) == 4
    for c in found["curves"]:
        assert c["errors"][-1] < 0.85 * found["mean rating"], c["sampler"]


def test_one_short_run_without_a_file():
    """CoRV by softplus, a hundred steps: the draws are positive and finite."""
    import nmf

    draws, _ = nmf.run("CoRV, softplus", nmf.drawn_here(), 3, "poisson", 0.003, 100, 180)
    assert draws.shape == (100, (60 + 80) * 3)
    assert np.all(draws > 0)


def test_the_tempered_recipe_is_proved_at_every_temperature():
    import annealing

    report = verify(annealing.tempered)
    assert report.verdict is Verdict.PROVED
    assert annealing.share(4.0) == pytest.approx(0.552, abs=1e-3)
