"""The models of examples/models as a user of PyMC writes them, with the same priors.

A variable has the name of the block there, and the arguments are the arrays of the data there.
"""

from __future__ import annotations

import numpy as np
import pymc as pm


def logistic(x, y):
    with pm.Model() as model:
        a = pm.Normal("a", 0, 5)
        beta = pm.Normal("beta", 0, 1, shape=x.shape[1])
        pm.Bernoulli("y", logit_p=a + x @ beta, observed=y)
    return model


def hierarchical(group, y):
    with pm.Model() as model:
        mu = pm.Normal("mu", 0, 5)
        tau = pm.HalfCauchy("tau", 1)
        sigma = pm.HalfNormal("sigma", 2)
        eta = pm.Normal("eta", 0, 1, shape=30)
        pm.Normal("y", mu + tau * eta[group], sigma, observed=y)
    return model


def factorisation(user, item, y):
    with pm.Model() as model:
        u1, u2 = pm.Gamma("u1", 2, 2, shape=25), pm.Gamma("u2", 2, 2, shape=25)
        v1, v2 = pm.Gamma("v1", 2, 2, shape=20), pm.Gamma("v2", 2, 2, shape=20)
        pm.Poisson("y", u1[user] * v1[item] + u2[user] * v2[item], observed=y)
    return model


def mixture(y):
    with pm.Model() as model:
        m = pm.Normal("m", 0, 5)
        d, e = pm.HalfNormal("d", 5), pm.HalfNormal("e", 5)
        s = pm.HalfNormal("s", 2)
        p, q = pm.Beta("p", 1, 2), pm.Beta("q", 1, 1)
        weights = pm.math.stack([p, (1 - p) * q, (1 - p) * (1 - q)])
        means = pm.math.stack([m, m + d, m + d + e])
        pm.NormalMixture("y", weights, means, sigma=s, observed=y)
    return model


def autoregression(y, before):
    with pm.Model() as model:
        a = pm.Normal("a", 0, 2)
        rho = pm.Uniform("rho", -1, 1)
        sigma = pm.HalfNormal("sigma", 2)
        pm.Normal("y", a + rho * before, sigma, observed=y)
    return model


def multinomial(y):
    with pm.Model() as model:
        p = pm.Dirichlet("p", np.full(y.shape[1], 0.5))
        pm.Multinomial("y", y[0].sum(), p, observed=y[0])
    return model


def softmax(x, y):
    with pm.Model() as model:
        a1, a2 = pm.Normal("a1", 0, 5), pm.Normal("a2", 0, 5)
        beta1 = pm.Normal("beta1", 0, 1, shape=x.shape[1])
        beta2 = pm.Normal("beta2", 0, 1, shape=x.shape[1])
        logits = pm.math.stack([np.zeros(len(x)), a1 + x @ beta1, a2 + x @ beta2], axis=1)
        pm.Categorical("y", logit_p=logits, observed=y)
    return model


def ordinal(x, y):
    with pm.Model() as model:
        beta, c = pm.Normal("beta", 0, 1, shape=x.shape[1]), pm.Normal("c", 0, 5)
        d, e = pm.HalfNormal("d", 5), pm.HalfNormal("e", 5)
        cutpoints = pm.math.stack([c, c + d, c + d + e])
        pm.OrderedLogistic("y", x @ beta, cutpoints, observed=y)
    return model


def negative_binomial(x, y):
    with pm.Model() as model:
        a, beta = pm.Normal("a", 0, 2), pm.Normal("beta", 0, 1, shape=x.shape[1])
        c = pm.HalfNormal("c", 5)
        pm.NegativeBinomial("y", mu=pm.math.exp(a + x @ beta), alpha=c, observed=y)
    return model


def gaussian_process(x, y):
    with pm.Model() as model:
        ell, a, s = pm.Normal("ell", 0, 1), pm.Normal("a", 0, 1), pm.Normal("s", -1, 1)
        covariance = pm.math.exp(2 * a) * pm.gp.cov.ExpQuad(1, ls=pm.math.exp(ell))
        process = pm.gp.Marginal(cov_func=covariance)
        process.marginal_likelihood("y", x[:, None], y, sigma=pm.math.exp(s))
    return model


def network(x, y):
    with pm.Model() as model:
        w, b = pm.Normal("w", 0, 2, shape=4), pm.Normal("b", 0, 2, shape=4)
        v, c = pm.Normal("v", 0, 1, shape=4), pm.Normal("c", 0, 1)
        curve = c + pm.math.tanh(x[:, None] * w + b) @ v
        pm.Normal("y", curve, 0.2, observed=y)
    return model


network_jax = network
