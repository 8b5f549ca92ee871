r"""Linear regression, unknown scale of the noise: 442 diabetes patients, 10 features.

    y_n ~ N(x_n . beta, sigma^2),    beta_j ~ N(0, 1),    log sigma ~ N(0, 1)

The table is the one of Efron, Hastie, Johnstone & Tibshirani (2004), "Least angle regression",
Annals of Statistics 32(2). Features (an intercept first) and response are standardised. The scale
is sampled as ``log_sigma``, which lives on the real line.

    recipe sample sghmc --posterior linear --step-size 0.01 --param C=5 \
        --steps 100000 --thin 10 --seed 1
"""

import numpy as np
from sympy import exp

from catalog.posteriors.data import standardised, table
from recipe import Data, Posterior, Scalar, Vector, total

patients = table("diabetes")
features = standardised(patients[:, :-1]) / np.sqrt(len(patients))  # of length 1, as in the paper
X = np.column_stack([np.ones(len(patients)), standardised(features)])
Y = standardised(patients[:, -1])

beta, log_sigma = Vector("beta"), Scalar("log_sigma")
x, y = Data("x", like=beta), Data("y")

posterior = Posterior(
    blocks=(beta, log_sigma),
    log_likelihood=-log_sigma - (y - total(x * beta)) ** 2 * exp(-2 * log_sigma) / 2,
    log_prior=-total(beta**2) / 2 - log_sigma**2 / 2,
    data={x: X, y: Y},
)
