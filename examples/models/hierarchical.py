r"""Thirty groups with a common law of their means, non-centred.

    y_n ~ N(mu + tau eta_group(n), sigma^2),    eta_j ~ N(0, 1)
    mu ~ N(0, 5^2),    tau ~ half-Cauchy(0, 1),    sigma ~ half-normal(0, 2)

600 simulated rows.
"""

import numpy as np

from recipe import Data, Posterior, Scalar, Vector
from recipe.laws import half_cauchy, half_normal, normal

rng = np.random.default_rng(2)
groups = rng.integers(0, 30, 600)
values = 1.5 + 0.6 * rng.standard_normal(30)[groups] + rng.standard_normal(600)

mu = Scalar("mu", prior=normal(0, 5))
tau = Scalar("tau", prior=half_cauchy(1))
sigma = Scalar("sigma", prior=half_normal(2))
eta = Vector("eta", prior=normal(0, 1))
group, y = Data("group", groups), Data("y", values)
posterior = Posterior(log_likelihood=normal(y, mu + tau * eta[group], sigma))
