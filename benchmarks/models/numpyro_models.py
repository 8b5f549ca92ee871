"""The models of examples/models as a user of NumPyro writes them, with the same priors.

A site has the name of the block there, and the arguments are the arrays of ``data=`` there.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpyro.distributions as dist
from numpyro import sample


def logistic(x, y):
    a = sample("a", dist.Normal(0, 5))
    beta = sample("beta", dist.Normal(0, 1).expand([x.shape[1]]).to_event(1))
    sample("y", dist.Bernoulli(logits=a + x @ beta), obs=y)


def hierarchical(group, y):
    mu = sample("mu", dist.Normal(0, 5))
    tau = sample("tau", dist.HalfCauchy(1))
    sigma = sample("sigma", dist.HalfNormal(2))
    eta = sample("eta", dist.Normal(0, 1).expand([30]).to_event(1))
    sample("y", dist.Normal(mu + tau * eta[group], sigma), obs=y)


def factorisation(user, item, y):
    u1 = sample("u1", dist.Gamma(2, 2).expand([25]).to_event(1))
    u2 = sample("u2", dist.Gamma(2, 2).expand([25]).to_event(1))
    v1 = sample("v1", dist.Gamma(2, 2).expand([20]).to_event(1))
    v2 = sample("v2", dist.Gamma(2, 2).expand([20]).to_event(1))
    sample("y", dist.Poisson(u1[user] * v1[item] + u2[user] * v2[item]), obs=y)


def mixture(y):
    m = sample("m", dist.Normal(0, 5))
    d = sample("d", dist.HalfNormal(5))
    e = sample("e", dist.HalfNormal(5))
    s = sample("s", dist.HalfNormal(2))
    p = sample("p", dist.Beta(1, 2))
    q = sample("q", dist.Beta(1, 1))
    weights = jnp.array([p, (1 - p) * q, (1 - p) * (1 - q)])
    means = jnp.array([m, m + d, m + d + e])
    law = dist.MixtureSameFamily(dist.Categorical(weights), dist.Normal(means, s))
    sample("y", law, obs=y)


def autoregression(y, before):
    a = sample("a", dist.Normal(0, 2))
    rho = sample("rho", dist.Uniform(-1, 1))
    sigma = sample("sigma", dist.HalfNormal(2))
    sample("y", dist.Normal(a + rho * before, sigma), obs=y)


def multinomial(y):
    p = sample("p", dist.Dirichlet(0.5 * jnp.ones(y.shape[1])))
    sample("y", dist.Multinomial(y[0].sum(), p), obs=y[0])


def softmax(x, y):
    a = jnp.array([0.0, sample("a1", dist.Normal(0, 5)), sample("a2", dist.Normal(0, 5))])
    coefficients = dist.Normal(0, 1).expand([x.shape[1]]).to_event(1)
    beta1, beta2 = sample("beta1", coefficients), sample("beta2", coefficients)
    beta = jnp.stack([jnp.zeros_like(beta1), beta1, beta2], axis=1)
    sample("y", dist.Categorical(logits=a + x @ beta), obs=y.astype(int))


def ordinal(x, y):
    beta = sample("beta", dist.Normal(0, 1).expand([x.shape[1]]).to_event(1))
    c = sample("c", dist.Normal(0, 5))
    d = sample("d", dist.HalfNormal(5))
    e = sample("e", dist.HalfNormal(5))
    sample("y", dist.OrderedLogistic(x @ beta, jnp.array([c, c + d, c + d + e])), obs=y)


def negative_binomial(x, y):
    a = sample("a", dist.Normal(0, 2))
    beta = sample("beta", dist.Normal(0, 1).expand([x.shape[1]]).to_event(1))
    c = sample("c", dist.HalfNormal(5))
    sample("y", dist.NegativeBinomial2(jnp.exp(a + x @ beta), c), obs=y)


def gaussian_process(x, y):
    ell = sample("ell", dist.Normal(0, 1))
    a = sample("a", dist.Normal(0, 1))
    s = sample("s", dist.Normal(-1, 1))
    squares = (x[:, None] - x) ** 2 * jnp.exp(-2 * ell)
    K = jnp.exp(2 * a - squares / 2) + jnp.exp(2 * s) * jnp.eye(x.size)
    sample("y", dist.MultivariateNormal(0, K), obs=y)


def network(x, y):
    w = sample("w", dist.Normal(0, 2).expand([4]).to_event(1))
    b = sample("b", dist.Normal(0, 2).expand([4]).to_event(1))
    v = sample("v", dist.Normal(0, 1).expand([4]).to_event(1))
    c = sample("c", dist.Normal(0, 1))
    sample("y", dist.Normal(c + jnp.tanh(x[:, None] * w + b) @ v, 0.2), obs=y)


network_jax = network
