"""examples/models/latent_series.py: its draws against Kalman's smoother, averaged over a grid."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from oracles.kalman import smoothed
from scipy import stats

from catalog.hmc import hmc_kernel
from codegen import sample

FILE = Path(__file__).resolve().parents[2] / "examples" / "models" / "latent_series.py"


def test_the_smoother_is_the_conditional_law_of_a_joint_normal_law():
    rng = np.random.default_rng(4)
    y, rho, q, r, count = rng.normal(size=7), 0.8, 0.6, 0.9, 7
    lower = np.tril(rho ** np.abs(np.subtract.outer(np.arange(count), np.arange(count))))
    prior = lower @ lower.T
    of_y = q**2 * prior + r**2 * np.eye(count)
    gain = q * prior @ np.linalg.inv(of_y)
    means, variances, likelihood = smoothed(y, rho, q, r)
    assert np.allclose(means, gain @ y, rtol=1e-10)
    assert np.allclose(variances, np.diag(prior - q * gain @ prior), rtol=1e-10)
    assert likelihood == pytest.approx(stats.multivariate_normal(cov=of_y).logpdf(y), rel=1e-10)


def test_states_and_parameters_are_those_of_the_smoother():
    """Each of 42 means within five Monte Carlo errors: a right program fails once in 40,000."""
    model = runpy.run_path(str(FILE))
    places = (np.arange(200) + 0.5) / 200
    q, rho = np.meshgrid(2 * places, places, indexing="ij")
    means, variances, likelihood = smoothed(model["series"], rho, q, 0.5)
    weight = np.exp(likelihood - likelihood.max() - q**2 / 2)
    weight /= weight.sum()
    mean = (weight * means).sum(axis=(1, 2))
    sd = np.sqrt((weight * (variances + means**2)).sum(axis=(1, 2)) - mean**2)
    how = {"step_size": 0.1, "steps": 6000, "warmup": 1000, "seed": 1, "progress": False}
    draws = sample(hmc_kernel, model["posterior"], **how)
    rows = draws.summary().to_dict()
    for k in range(len(mean)):
        row = rows[f"x[{k}]"]
        assert abs(row["mean"] - mean[k]) < 5 * row["mcse_mean"]
        assert abs(row["sd"] - sd[k]) < 5 * row["mcse_sd"]
    for name, at in (("q", q), ("rho", rho)):
        assert abs(rows[name]["mean"] - (weight * at).sum()) < 5 * rows[name]["mcse_mean"]
    assert min(row["ess_bulk"] for row in rows.values()) > 200
