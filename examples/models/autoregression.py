r"""A time series in which each value remembers the one before: AR(1), given its first value.

    y_t ~ N(a + rho y_(t-1), sigma^2)
    a ~ N(0, 2^2),    rho ~ uniform(-1, 1),    sigma ~ half-normal(0, 2)

500 simulated times; a row of the data is a value with the one before it.
"""

import numpy as np

from recipe import Data, Posterior, Scalar
from recipe.laws import half_normal, normal, uniform

rng = np.random.default_rng(5)
series = [0.0]
for _ in range(500):
    series.append(0.5 + 0.8 * series[-1] + rng.normal(0, 0.7))

a = Scalar("a", prior=normal(0, 2))
rho = Scalar("rho", prior=uniform(-1, 1))
sigma = Scalar("sigma", prior=half_normal(2))
y, before = Data("y", series[1:]), Data("before", series[:-1])
posterior = Posterior(log_likelihood=normal(y, a + rho * before, sigma))
