r"""A latent time series: states that nobody sees, each of which depends on the one before.

    y_t ~ N(q x_t, 0.5^2)
    x_0 ~ N(0, 1),    x_t ~ N(rho x_(t-1), 1)
    q ~ half-normal(1),    rho ~ uniform(0, 1)

40 simulated times. The states are a block, and a row of the data is a time: `now` is its number and
`before` the one before it, so that `x[now]` and `x[before]` are neighbours. The prior of the block
is that of independent states; `moves` takes it away from each row but the first, and puts the law
given the state before in its place. Stochastic volatility is the same model with another law of y,
`normal(y, 0, exp((mu + q * x[now]) / 2))`.
"""

import numpy as np

from recipe import Data, Posterior, Scalar, Vector
from recipe.laws import half_normal, normal, uniform

COUNT = 40
rng = np.random.default_rng(8)
path = [rng.normal()]
for _ in range(COUNT - 1):
    path.append(0.9 * path[-1] + rng.normal())
series = 0.5 * np.array(path) + 0.5 * rng.normal(size=COUNT)

x = Vector("x", prior=normal(0, 1))
q, rho = Scalar("q", prior=half_normal(1)), Scalar("rho", prior=uniform(0, 1))
y, now = Data("y", series), Data("now", range(COUNT))
before, later = Data("before", [0, *range(COUNT - 1)]), Data("later", [0, *[1] * (COUNT - 1)])
moves = later * (normal(x[now], rho * x[before], 1) - normal(x[now], 0, 1))
posterior = Posterior(log_likelihood=normal(y, q * x[now], 0.5) + moves)
