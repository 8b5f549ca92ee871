r"""Logistic regression: does a customer come back? A table with missing values and a category.

    P(back) = 1/(1 + exp(-eta)),    eta = a + x . beta,    a ~ N(0, 5^2),    beta_j ~ N(0, 1)

50,000 rows of a CSV file with 16 numbers and a region of five, simulated. Pandas fills missing
values with the median of their column, makes four columns of the regions, and standardises numbers.
"""

from io import StringIO

import numpy as np
import pandas as pd

from recipe import Data, Posterior, Scalar, Vector, total
from recipe.laws import bernoulli_logit, normal


def csv() -> StringIO:
    """A file as it may come from elsewhere."""
    rng = np.random.default_rng(1)
    numbers = rng.standard_normal((50_000, 16)) * np.arange(1, 17) + np.arange(16)
    table = pd.DataFrame(np.round(numbers, 3), columns=[f"number_{k}" for k in range(1, 17)])
    region = rng.integers(0, 5, len(table))
    table["region"] = np.array(["north", "east", "south", "west", "abroad"])[region]
    eta = (numbers / np.arange(1, 17)) @ rng.normal(0, 0.3, 16) + 0.3 * region - 3
    table["back"] = (rng.random(len(table)) < 1 / (1 + np.exp(-eta))).astype(int)
    table = table.mask(rng.random(table.shape) < [0.02] * 16 + [0] * 2)
    return StringIO(table.to_csv(index=False))


table = pd.read_csv(csv())
numbers = table.filter(like="number_").fillna(table.median(numeric_only=True))
regions = pd.get_dummies(table["region"], prefix="region", drop_first=True, dtype=float)
X = pd.concat([(numbers - numbers.mean()) / numbers.std(), regions], axis=1)

a, beta = Scalar("a", prior=normal(0, 5)), Vector("beta", prior=normal(0, 1))
x, y = Data("x", X, like=beta), Data("y", table["back"])
posterior = Posterior(log_likelihood=bernoulli_logit(y, a + total(x * beta)))
