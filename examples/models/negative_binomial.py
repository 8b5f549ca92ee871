r"""Counts that vary more than Poisson's: negative binomial regression with a log link.

    y_n ~ NegativeBinomial(mean exp(a + x . beta), concentration c)
    a ~ N(0, 2^2),    beta_j ~ N(0, 1),    c ~ half-normal(0, 5)

1,000 simulated counts with four features.
"""

import numpy as np

from recipe import Data, Posterior, Scalar, Vector, total
from recipe.laws import half_normal, negative_binomial_log, normal

rng = np.random.default_rng(7)
X = rng.standard_normal((1000, 4))
means = np.exp(1 + X @ [0.5, -0.3, 0.2, 0.0])
counts = rng.poisson(means * rng.gamma(2, 1 / 2, 1000))

a, beta = Scalar("a", prior=normal(0, 2)), Vector("beta", prior=normal(0, 1))
c = Scalar("c", prior=half_normal(5))
x, y = Data("x", X, like=beta), Data("y", counts)
posterior = Posterior(log_likelihood=negative_binomial_log(y, a + total(x * beta), c))
