"""A row that outweighs all others: tuning sees it, although few minibatches have it."""

import numpy as np
import pytest

from catalog.sgld import sgld
from codegen import sample, tune
from recipe import Data, Posterior, Vector, total
from recipe.laws import normal

ROWS = 20_000


@pytest.mark.slow
def test_tuning_looks_at_every_row():
    """Tuning once drew 400 minibatches of 20, few of which have the row."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(ROWS, 2))
    x[777] *= 150
    answer = x @ np.ones(2) + rng.normal(size=ROWS)
    theta = Vector("theta", prior=normal(0, 1))
    X, Y = Data("X", x, like=theta), Data("Y", answer)
    posterior = Posterior(log_likelihood=normal(Y, total(X * theta), 1))
    found = tune(
        sgld, posterior, batch_size=20, control_variates=True, seed=1, chains=2, progress=False
    )
    precision = x.T @ x + np.eye(2)
    sd = np.sqrt(np.diag(np.linalg.inv(precision)))
    draws = sample(progress=False, **found.settings)["theta"].reshape(-1, 2)
    assert np.all(np.abs(draws.std(axis=0) / sd - 1) < 0.15)
