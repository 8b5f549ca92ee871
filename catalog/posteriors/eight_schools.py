r"""A hierarchical model, non-centred: coaching in eight schools (Rubin 1981).

    y_n ~ N(mu + tau eta_n, s_n^2)
    eta_n ~ N(0, 1),    mu ~ N(0, 5^2),    tau ~ half-Cauchy(0, 5)

A row of the data is a school; ``z`` is 1 at its own coordinate and 0 elsewhere, so that ``total(z *
eta)`` picks its ``eta``. ``tau`` is sampled as ``log_tau``, whose law has the Jacobian tau as a
further factor.

    recipe sample sghmc --posterior eight_schools --step-size 0.1 --param C=1 \
        --steps 200000 --thin 20 --seed 1
"""

import numpy as np
from sympy import exp, log

from recipe import Data, Posterior, Scalar, Vector, total

EFFECTS = np.array([28, 8, -3, 7, -1, 1, 18, 12])
ERRORS = np.array([15, 10, 16, 11, 9, 11, 10, 18])

mu, log_tau, eta = Scalar("mu"), Scalar("log_tau"), Vector("eta")
z, y, s = Data("z", like=eta), Data("y"), Data("s")

half_cauchy = -log(1 + exp(2 * log_tau) / 25)  # of tau, up to a constant
posterior = Posterior(
    blocks=(mu, log_tau, eta),
    log_likelihood=-((y - mu - exp(log_tau) * total(z * eta)) ** 2) / (2 * s**2),
    log_prior=-(mu**2) / 50 - total(eta**2) / 2 + half_cauchy + log_tau,
    data={z: np.eye(8), y: EFFECTS, s: ERRORS},
)
