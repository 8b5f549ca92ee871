r"""Bayesian linear regression with an unknown scale of the noise, on scikit-learn's diabetes table
(442 patients, 10 features).

    y_n ~ N(x_n . beta, sigma^2),    beta_j ~ N(0, 1),    log sigma ~ N(0, 1)

Features (an intercept first) and response are standardised. The scale is sampled as ``log_sigma``,
which lives on the real line.

    recipe sample sghmc --posterior examples/linear.py --step-size 0.01 --param C=5 \
        --steps 100000 --thin 10 --seed 1
"""

import numpy as np
from sklearn.datasets import load_diabetes
from sympy import exp

from recipe import Data, Posterior, Scalar, Vector, total

features, response = load_diabetes(return_X_y=True)
X = np.column_stack(
    [np.ones(len(features)), (features - features.mean(axis=0)) / features.std(axis=0)]
)
Y = (response - response.mean()) / response.std()

beta, log_sigma = Vector("beta"), Scalar("log_sigma")
x, y = Data("x", like=beta), Data("y")

posterior = Posterior(
    blocks=(beta, log_sigma),
    log_likelihood=-log_sigma - (y - total(x * beta)) ** 2 * exp(-2 * log_sigma) / 2,
    log_prior=-total(beta**2) / 2 - log_sigma**2 / 2,
    data={x: X, y: Y},
)
