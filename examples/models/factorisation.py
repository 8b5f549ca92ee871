r"""Poisson factorisation of a table of counts, with two factors; everything is positive.

    y_ij ~ Poisson(u1_i v1_j + u2_i v2_j),    u1_i, u2_i, v1_j, v2_j ~ Gamma(2, 2)

A row of the data is one of the 25 x 20 simulated cells.
"""

import numpy as np

from recipe import Data, Posterior, Vector
from recipe.laws import gamma, poisson

rng = np.random.default_rng(3)
rates = rng.gamma(2, 1, (25, 2)) @ rng.gamma(2, 1, (2, 20))
users, items = (grid.ravel() for grid in np.indices(rates.shape))
counts = rng.poisson(rates).ravel()

u1, v1 = Vector("u1", prior=gamma(2, 2)), Vector("v1", prior=gamma(2, 2))
u2, v2 = Vector("u2", like=u1, prior=gamma(2, 2)), Vector("v2", like=v1, prior=gamma(2, 2))
user, item, y = Data("user", users), Data("item", items), Data("y", counts)
posterior = Posterior(log_likelihood=poisson(y, u1[user] * v1[item] + u2[user] * v2[item]))
