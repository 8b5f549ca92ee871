r"""Bayesian logistic regression on scikit-learn's breast-cancer table (569 tumours, 30 features and
an intercept).

Columns are standardised; labels are -1 (malignant) and +1 (benign); every coefficient has a
standard normal prior.

    recipe sample sghmc --posterior examples/breast_cancer.py --step-size 0.05 \
        --param C=1 --steps 40000 --thin 10 --seed 1
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sympy import exp, log

from recipe import Data, Posterior, Vector, total

table = load_breast_cancer()
features = (table.data - table.data.mean(axis=0)) / table.data.std(axis=0)
X = np.column_stack([np.ones(len(features)), features])
Y = np.where(table.target == 1, 1.0, -1.0)

theta = Vector("theta")
x, y = Data("x", like=theta), Data("y")

posterior = Posterior(
    blocks=(theta,),
    log_likelihood=-log(1 + exp(-y * total(x * theta))),
    log_prior=-total(theta**2) / 2,
    data={x: X, y: Y},
)
