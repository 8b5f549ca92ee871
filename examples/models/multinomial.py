r"""Counts of twelve categories, whose probabilities have a Dirichlet prior.

    y ~ Multinomial(p),    p ~ Dirichlet(1/2, ..., 1/2)

The probabilities are ``g / total(g)``, with independent ``g_k ~ Gamma(1/2, 1)``: that is the same
law of p, and any sampler of positive numbers takes it. The data are one row of counts, the
multinomial coefficient is a constant.
"""

import numpy as np
from sympy import log

from recipe import Data, Posterior, Vector, total
from recipe.laws import gamma

counts = np.array([[0, 1, 2, 4, 7, 11, 18, 29, 47, 76, 123, 199]])

g = Vector("g", prior=gamma(1 / 2, 1))
y = Data("y", counts, like=g)
posterior = Posterior(log_likelihood=total(y * log(g)) - total(y) * log(total(g)))
