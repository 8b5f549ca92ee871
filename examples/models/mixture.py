r"""A mixture of three normal laws with ordered means, and weights with a uniform law.

    y_n ~ p N(m, s^2) + (1-p) q N(m + d, s^2) + (1-p)(1-q) N(m + d + e, s^2)
    m ~ N(0, 5^2),    d, e ~ half-normal(0, 5),    s ~ half-normal(0, 2)
    p ~ Beta(1, 2),    q ~ Beta(1, 1): the three weights have the law Dirichlet(1, 1, 1)

1,000 simulated points.
"""

import numpy as np

from recipe import Data, Posterior, Scalar
from recipe.laws import beta, half_normal, mixture, normal

rng = np.random.default_rng(4)
values = np.array([-3.0, 0.5, 4.0])[rng.choice(3, 1000, p=[0.3, 0.3, 0.4])]
values = values + rng.standard_normal(1000)

m = Scalar("m", prior=normal(0, 5))
d, e = Scalar("d", prior=half_normal(5)), Scalar("e", prior=half_normal(5))
s = Scalar("s", prior=half_normal(2))
p, q = Scalar("p", prior=beta(1, 2)), Scalar("q", prior=beta(1, 1))
y = Data("y", values)
parts = [normal(y, mean, s) for mean in (m, m + d, m + d + e)]
posterior = Posterior(log_likelihood=mixture([p, (1 - p) * q, (1 - p) * (1 - q)], parts))
