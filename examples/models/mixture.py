r"""A mixture of three normal laws with ordered means, and weights with a uniform law.

    y_n ~ p N(m, s^2) + (1-p) q N(m + d, s^2) + (1-p)(1-q) N(m + d + e, s^2)
    m ~ N(0, 5^2),    d, e ~ half-normal(0, 5),    s ~ half-normal(0, 2)
    p ~ Beta(1, 2),    q ~ Beta(1, 1): the three weights have the law Dirichlet(1, 1, 1)

1,000 simulated points.
"""

import numpy as np
from sympy import Interval, oo

from recipe import Data, Posterior, Scalar
from recipe.laws import beta, half_normal, mixture, normal

rng = np.random.default_rng(4)
values = np.array([-3.0, 0.5, 4.0])[rng.choice(3, 1000, p=[0.3, 0.3, 0.4])]
values = values + rng.standard_normal(1000)

m, y = Scalar("m"), Data("y")
d, e, s = (Scalar(name, domain=Interval.open(0, oo)) for name in "des")
p, q = (Scalar(name, domain=Interval.open(0, 1)) for name in "pq")
posterior = Posterior(
    (m, d, e, s, p, q),
    log_likelihood=mixture(
        [p, (1 - p) * q, (1 - p) * (1 - q)],
        [normal(y, m, s), normal(y, m + d, s), normal(y, m + d + e, s)],
    ),
    log_prior=normal(m, 0, 5)
    + half_normal(d, 5)
    + half_normal(e, 5)
    + half_normal(s, 2)
    + beta(p, 1, 2)
    + beta(q, 1, 1),
    data={y: values},
)
