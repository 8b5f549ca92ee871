r"""Poisson factorisation of a table of counts, with two factors; everything is positive.

    y_ij ~ Poisson(u1_i v1_j + u2_i v2_j),    u1_i, u2_i, v1_j, v2_j ~ Gamma(2, 2)

A row of the data is one of the 25 x 20 simulated cells.
"""

import numpy as np
from sympy import Interval, oo

from recipe import Data, Posterior, Vector, total
from recipe.laws import gamma, poisson

rng = np.random.default_rng(3)
rates = rng.gamma(2, 1, (25, 2)) @ rng.gamma(2, 1, (2, 20))
users, items = (grid.ravel() for grid in np.indices(rates.shape))
counts = rng.poisson(rates).ravel()

positive = Interval.open(0, oo)
u1, v1 = Vector("u1", domain=positive), Vector("v1", domain=positive)
u2, v2 = Vector("u2", like=u1, domain=positive), Vector("v2", like=v1, domain=positive)
user, item, y = Data("user"), Data("item"), Data("y")
posterior = Posterior(
    (u1, u2, v1, v2),
    log_likelihood=poisson(y, u1[user] * v1[item] + u2[user] * v2[item]),
    log_prior=sum(total(gamma(block, 2, 2)) for block in (u1, u2, v1, v2)),
    data={user: users, item: items, y: counts},
)
