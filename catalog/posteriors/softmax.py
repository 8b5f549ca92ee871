r"""Softmax regression: 150 irises of three species, four features and an intercept.

    P(species c | x) = exp(x . beta_c) / (1 + exp(x . beta_1) + exp(x . beta_2))
    beta_cj ~ N(0, 1)

Species 0 is the reference, with the coefficients 0; ``y1`` and ``y2`` say whether a flower is of
species 1, 2. Features are standardised.

    recipe sample sghmc --posterior softmax --step-size 0.05 --param C=2 \
        --steps 100000 --thin 10 --seed 1
"""

import numpy as np
from sympy import exp, log

from catalog.posteriors.data import standardised, table
from recipe import Data, Posterior, Vector, total

flowers = table("iris")
X = np.column_stack([np.ones(len(flowers)), standardised(flowers[:, :-1])])
species = flowers[:, -1]

beta1 = Vector("beta1")
beta2 = Vector("beta2", like=beta1)
x, y1, y2 = Data("x", like=beta1), Data("y1"), Data("y2")
eta1, eta2 = total(x * beta1), total(x * beta2)

posterior = Posterior(
    blocks=(beta1, beta2),
    log_likelihood=y1 * eta1 + y2 * eta2 - log(1 + exp(eta1) + exp(eta2)),
    log_prior=-total(beta1**2) / 2 - total(beta2**2) / 2,
    data={x: X, y1: species == 1, y2: species == 2},
)
