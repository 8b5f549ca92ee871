"""Models with simplex, ordered, positive and bounded blocks, as they are written elsewhere, against
quadrature of their densities in plain numpy.

They are sampled by Hamiltonian steps with a Metropolis test, which keep the law exactly. Means and
standard deviations are within five standard errors, which a right sampler misses once in a million.
"""

import numpy as np
import pytest
from scipy import special, stats
from sympy import Interval, oo

from catalog.hmc import hmc
from codegen import sample
from recipe import (
    Data,
    Ordered,
    Posterior,
    Scalar,
    Simplex,
    Vector,
    compose,
    laws,
    metropolis,
    refresh,
    total,
)
from recipe.laws import normal

Y, G, BEFORE = Data("y"), Data("g"), Data("before")
pytestmark = pytest.mark.slow  # each compiles a module of its own
POSITIVE = Interval.open(0, oo)
R = next(b for b in hmc.state if b.name == "r")
EXACT = compose(refresh(hmc, R), metropolis(hmc, "leapfrog", times=(1, 10), flip=R))


def moments(log_density, *axes):
    """The means and standard deviations of each axis by the rule of rectangles on a fine grid."""
    grid = np.meshgrid(*axes, indexing="ij")
    logs = log_density(*grid)
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    means = [(weights * x).sum() for x in grid]
    return [(m, np.sqrt((weights * (x - m) ** 2).sum())) for x, m in zip(grid, means, strict=True)]


def require_moments(draws, wanted):
    rows = {row.coordinate: row for row in draws.summary().rows}
    for name, (mean, sd) in wanted.items():
        row = rows[name]
        assert row.ess_bulk > 800, name
        error = sd / np.sqrt(min(row.ess_bulk, row.ess_tail))
        assert abs(row.mean - mean) < 5 * error, (name, row.mean, mean)
        assert abs(row.sd - sd) < 6 * error, (name, row.sd, sd)  # tails are a little heavy


def drawn(posterior, **how):
    return sample(EXACT, posterior, steps=4000, warmup=300, seed=7, progress=False, **how)


def test_ordinal_regression_with_two_cutpoints():
    labels = [0] * 4 + [1] * 7 + [2] * 3
    c = Ordered("c", 2)
    prior = normal(c, 0, 3)
    posterior = Posterior(c, laws.ordered_logistic(Y, 0, c), prior, {Y: labels})

    def log_density(low, high):
        p = [special.expit(low), special.expit(high) - special.expit(low), special.expit(-high)]
        prior = stats.norm.logpdf(low, 0, 3) + stats.norm.logpdf(high, 0, 3)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = prior + sum(n * np.log(q) for n, q in zip((4, 7, 3), p, strict=True))
        return np.where(high > low, found, -np.inf)

    grid = np.linspace(-6, 6, 1201)
    low, high = moments(log_density, grid, grid)
    require_moments(drawn(posterior, step_size=0.4), {"c[0]": low, "c[1]": high})


def test_weights_of_a_mixture_of_three():
    rng = np.random.default_rng(0)
    y = rng.normal(np.repeat([-2.0, 0.0, 3.0], [8, 5, 12]), 1)
    w = Vector("w", domain=Simplex())
    parts = [normal(Y, m, 1) for m in (-2, 0, 3)]
    weights = [w[0], w[1], 1 - total(w)]
    posterior = Posterior(w, laws.mixture(weights, parts), laws.dirichlet(w, 2), {Y: y})
    densities = stats.norm.pdf(y[:, None], [-2, 0, 3], 1)

    def log_density(first, second):
        last = 1 - first - second
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.log(first) + np.log(second) + np.log(last)
            for d in densities:
                found = found + np.log(first * d[0] + second * d[1] + last * d[2])
        return np.where(last > 0, found, -np.inf)

    grid = (np.arange(800) + 0.5) / 800
    first, second = moments(log_density, grid, grid)
    require_moments(drawn(posterior, step_size=0.25), {"w[0]": first, "w[1]": second})


def test_a_series_that_depends_on_its_value_before():
    rng, z = np.random.default_rng(2), [0.0]
    for _ in range(40):
        z.append(0.6 * z[-1] + 0.5 * rng.normal())
    before, now = np.array(z[:-1]), np.array(z[1:])
    a, s = Scalar("a", domain=Interval.open(-1, 1)), Scalar("s", domain=POSITIVE)
    prior = laws.uniform(a, -1, 1) + laws.half_normal(s, 1)
    posterior = Posterior((a, s), normal(Y, a * BEFORE, s), prior, {Y: now, BEFORE: before})

    def log_density(a, s):
        rest = sum((y - a * x) ** 2 for x, y in zip(before, now, strict=True))
        return -rest / (2 * s**2) - len(now) * np.log(s) - s**2 / 2

    of_a, of_s = moments(log_density, np.linspace(-0.999, 0.999, 801), np.linspace(0.2, 1.5, 801))
    require_moments(drawn(posterior, step_size=0.15), {"a": of_a, "s": of_s})


def test_a_hierarchy_with_a_half_cauchy_scale():
    """30 groups of 4; the groups are integrated out by hand."""
    rng = np.random.default_rng(3)
    labels = np.repeat(np.arange(30), 4)
    y = rng.normal(rng.normal(1, 0.8, 30)[labels], 1)
    mu, tau, eta = Scalar("mu"), Scalar("tau", domain=POSITIVE), Vector("eta")
    prior = normal(mu, 0, 3) + laws.half_cauchy(tau, 2) + total(normal(eta, 0, 1))
    likelihood = normal(Y, mu + tau * eta[G], 1)
    derived = {"theta": mu + tau * eta}
    posterior = Posterior((mu, tau, eta), likelihood, prior, {Y: y, G: labels}, derived=derived)
    means = y.reshape(30, 4).mean(axis=1)

    def log_density(mu, tau):
        variance = tau**2 + 1 / 4
        found = -(mu**2) / 18 - np.log(1 + (tau / 2) ** 2) - 15 * np.log(variance)
        return found - sum((m - mu) ** 2 for m in means) / (2 * variance)

    of_mu, of_tau = moments(log_density, np.linspace(-1, 3, 801), np.linspace(0.005, 3, 801))
    draws = drawn(posterior, step_size=0.12)
    require_moments(draws, {"mu": of_mu, "tau": of_tau})
    assert draws["theta"].shape == (4, 3700, 30)
