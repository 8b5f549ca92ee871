r"""Logistic regression: 569 tumours of the breast, 30 features and an intercept.

The table is Breast Cancer Wisconsin (Diagnostic). Columns are standardised; labels are -1
(malignant) and +1 (benign); every coefficient has a standard normal prior.

    recipe sample sghmc --posterior breast_cancer --step-size 0.05 \
        --param C=1 --steps 40000 --thin 10 --seed 1
"""

import numpy as np
from sympy import exp, log

from catalog.posteriors.data import standardised, table
from recipe import Data, Posterior, Vector, total

tumours = table("breast_cancer")
X = np.column_stack([np.ones(len(tumours)), standardised(tumours[:, :-1])])
Y = np.where(tumours[:, -1] == 1, 1.0, -1.0)

theta = Vector("theta")
x, y = Data("x", like=theta), Data("y")

posterior = Posterior(
    blocks=(theta,),
    log_likelihood=-log(1 + exp(-y * total(x * theta))),
    log_prior=-total(theta**2) / 2,
    data={x: X, y: Y},
)
