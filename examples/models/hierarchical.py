r"""Thirty groups with a common law of their means, non-centred.

    y_n ~ N(mu + tau eta_group(n), sigma^2),    eta_j ~ N(0, 1)
    mu ~ N(0, 5^2),    tau ~ half-Cauchy(0, 1),    sigma ~ half-normal(0, 2)

600 simulated rows.
"""

import numpy as np
from sympy import Interval, oo

from recipe import Data, Posterior, Scalar, Vector, total
from recipe.laws import half_cauchy, half_normal, normal

rng = np.random.default_rng(2)
groups = rng.integers(0, 30, 600)
values = 1.5 + 0.6 * rng.standard_normal(30)[groups] + rng.standard_normal(600)

mu, eta = Scalar("mu"), Vector("eta")
tau = Scalar("tau", domain=Interval.open(0, oo))
sigma = Scalar("sigma", domain=Interval.open(0, oo))
group, y = Data("group"), Data("y")
posterior = Posterior(
    (mu, tau, sigma, eta),
    log_likelihood=normal(y, mu + tau * eta[group], sigma),
    log_prior=normal(mu, 0, 5)
    + half_cauchy(tau, 1)
    + half_normal(sigma, 2)
    + total(normal(eta, 0, 1)),
    data={group: groups, y: values},
)
