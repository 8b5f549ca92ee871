"""Models whose log prior and log likelihood are written out, which every version of this program
can read: ``benchmarks/changed_model.py`` compiles them with two versions.

Scales are sampled as their logarithms, with the Jacobian in the log prior; a row of the data picks
its group by a row of the unit matrix. Data are simulated.
"""

from __future__ import annotations

import numpy as np
from sympy import exp, log

from recipe import Data, Posterior, Scalar, Vector, total


def regression() -> Posterior:
    """Linear regression with a known scale: the model that was compiled before."""
    rng = np.random.default_rng(1)
    beta = Vector("beta")
    x, y = Data("x", like=beta), Data("y")
    X = rng.standard_normal((100, 3))
    return Posterior(
        blocks=(beta,),
        log_likelihood=-((y - total(x * beta)) ** 2) / 2,
        log_prior=-total(beta**2) / 2,
        data={x: X, y: X.sum(axis=1) + rng.standard_normal(100)},
    )


def hierarchical() -> Posterior:
    """Thirty groups with a common law of their means, non-centred, 600 rows."""
    rng = np.random.default_rng(2)
    groups = rng.integers(0, 30, 600)
    mu, log_tau, log_sigma = Scalar("mu"), Scalar("log_tau"), Scalar("log_sigma")
    eta = Vector("eta")
    z, y = Data("z", like=eta), Data("y")
    mean = mu + exp(log_tau) * total(z * eta)
    return Posterior(
        blocks=(mu, log_tau, log_sigma, eta),
        log_likelihood=-log_sigma - (y - mean) ** 2 * exp(-2 * log_sigma) / 2,
        log_prior=(
            -(mu**2) / 50
            - total(eta**2) / 2
            + (log_tau - log(1 + exp(2 * log_tau)))
            + (log_sigma - exp(2 * log_sigma) / 8)
        ),
        data={
            z: np.eye(30)[groups],
            y: 1.5 + 0.6 * rng.standard_normal(30)[groups] + rng.standard_normal(600),
        },
    )


def mixture() -> Posterior:
    """A mixture of three normal laws with weights and a common scale, 1,000 rows."""
    rng = np.random.default_rng(4)
    means = tuple(Scalar(f"m{k}") for k in range(3))
    logits, log_s, y = (Scalar("a1"), Scalar("a2")), Scalar("log_s"), Data("y")
    weights = [1, *map(exp, logits)]
    parts = [
        w * exp(-((y - m) ** 2) * exp(-2 * log_s) / 2) for w, m in zip(weights, means, strict=True)
    ]
    return Posterior(
        blocks=(*means, *logits, log_s),
        log_likelihood=log(sum(parts)) - log(sum(weights)) - log_s,
        log_prior=(
            -sum(m**2 for m in means) / 50
            - sum(a**2 for a in logits) / 2
            + (log_s - exp(2 * log_s) / 8)
        ),
        data={
            y: np.array([-3.0, 0.5, 4.0])[rng.choice(3, 1000, p=[0.3, 0.3, 0.4])]
            + rng.standard_normal(1000)
        },
    )


def logistic() -> Posterior:
    """Logistic regression with an intercept, 1,000 rows of ten features."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((1000, 10))
    a, beta = Scalar("a"), Vector("beta")
    x, y = Data("x", like=beta), Data("y")
    logit = a + total(x * beta)
    return Posterior(
        blocks=(a, beta),
        log_likelihood=y * logit - log(1 + exp(logit)),
        log_prior=-(a**2) / 50 - total(beta**2) / 2,
        data={x: X, y: (rng.random(1000) < 1 / (1 + np.exp(-X[:, 0]))).astype(float)},
    )


def softmax() -> Posterior:
    """Softmax regression: three classes by four features, 150 rows."""
    rng = np.random.default_rng(6)
    X = rng.standard_normal((150, 4))
    classes = np.argmax(X[:, :3] + rng.gumbel(size=(150, 3)), axis=1)
    a1, a2, beta1 = Scalar("a1"), Scalar("a2"), Vector("beta1")
    beta2 = Vector("beta2", like=beta1)
    x, y1, y2 = Data("x", like=beta1), Data("y1"), Data("y2")
    one, two = a1 + total(x * beta1), a2 + total(x * beta2)
    return Posterior(
        blocks=(a1, a2, beta1, beta2),
        log_likelihood=y1 * one + y2 * two - log(1 + exp(one) + exp(two)),
        log_prior=-(a1**2 + a2**2) / 50 - total(beta1**2) / 2 - total(beta2**2) / 2,
        data={x: X, y1: (classes == 1).astype(float), y2: (classes == 2).astype(float)},
    )
