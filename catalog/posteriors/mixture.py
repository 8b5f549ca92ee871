r"""Two modes: a mixture of two normal laws with a tied mean, 300 simulated points.

The model is that of Welling & Teh (2011), section 5.1.

    theta1 ~ N(0, 10),    theta2 ~ N(0, 1)    (variances)
    x_n ~ N(theta1, 2)/2 + N(theta1 + theta2, 2)/2

The points were simulated at theta = (0, 1). The likelihood is the same at (theta1 + theta2,
-theta2): the other mode is near (1, -1).

    recipe sample sghmc --posterior mixture --step-size 0.04 --param C=1 \
        --steps 200000 --thin 20 --seed 1
"""

import numpy as np
from sympy import exp, log

from recipe import Data, Posterior, Scalar

ROWS = 300
rng = np.random.default_rng(2011)
X = rng.normal(np.where(rng.random(ROWS) < 0.5, 0.0, 1.0), np.sqrt(2.0))

theta1, theta2 = Scalar("theta1"), Scalar("theta2")
x = Data("x")

posterior = Posterior(
    blocks=(theta1, theta2),
    log_likelihood=log(
        exp(-((x - theta1) ** 2) / 4) / 2 + exp(-((x - theta1 - theta2) ** 2) / 4) / 2
    ),
    log_prior=-(theta1**2) / 20 - theta2**2 / 2,
    data={x: X},
)
