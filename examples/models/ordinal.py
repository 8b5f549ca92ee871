r"""Answers on a scale of four: an ordered logistic law.

    P(y <= k) = 1/(1 + exp(x . beta - c_k)),    beta_j ~ N(0, 1)
    c_0 = c ~ N(0, 5^2),    c_1 = c + d,    c_2 = c + d + e,    d, e ~ half-normal(0, 5)

500 simulated answers with three features.
"""

import numpy as np

from recipe import Data, Posterior, Scalar, Vector, total
from recipe.laws import half_normal, normal, ordered_logistic

rng = np.random.default_rng(6)
X = rng.standard_normal((500, 3))
answers = np.digitize(X @ [0.8, -0.5, 0.2] + rng.logistic(size=500), [-1.0, 0.0, 1.5])

beta, c = Vector("beta", prior=normal(0, 1)), Scalar("c", prior=normal(0, 5))
d, e = Scalar("d", prior=half_normal(5)), Scalar("e", prior=half_normal(5))
x, y = Data("x", X, like=beta), Data("y", answers)
cutpoints = [c, c + d, c + d + e]
posterior = Posterior(log_likelihood=ordered_logistic(y, total(x * beta), cutpoints))
