r"""Poisson regression with the log link: nine counts of a randomised trial.

    y_n ~ Poisson(exp(x_n . beta)),    beta_j ~ N(0, 1)

The table is that of Dobson (1990), "An Introduction to Generalized Linear Models", page 93, the
first example of R's ``glm``: three outcomes of three treatments. The first outcome and the first
treatment are the reference; columns are intercept, outcome 2 and 3, treatment 2 and 3.

    recipe sample sghmc --posterior poisson --step-size 0.02 --param C=5 \
        --steps 100000 --thin 10 --seed 1
"""

import numpy as np
from sympy import exp

from recipe import Data, Posterior, Vector, total

COUNTS = np.array([18, 17, 15, 20, 10, 20, 25, 13, 12])
OUTCOME = np.tile([1, 2, 3], 3)
TREATMENT = np.repeat([1, 2, 3], 3)
X = np.column_stack(
    [np.ones(9), OUTCOME == 2, OUTCOME == 3, TREATMENT == 2, TREATMENT == 3]
).astype(float)

beta = Vector("beta")
x, y = Data("x", like=beta), Data("y")
eta = total(x * beta)

posterior = Posterior(
    blocks=(beta,),
    log_likelihood=y * eta - exp(eta),
    log_prior=-total(beta**2) / 2,
    data={x: X, y: COUNTS},
)
