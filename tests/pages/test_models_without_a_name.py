"""The densities that docs/sampling.md writes where no law has a name for them, against scipy."""

import numpy as np
import pytest
from scipy import stats
from sympy import exp, log

from codegen import Density
from recipe import Data, Posterior, Scalar
from recipe.laws import beta, half_normal, mixture, normal, poisson, poisson_log, uniform

COUNTS = np.array([0, 0, 3, 1, 0])
TIMES, SEEN = np.array([1.0, 2.0, 3.0]), np.array([1, 0, 1])


def test_zero_inflation():
    psi, eta, y = (
        Scalar("psi", prior=beta(1, 1)),
        Scalar("eta", prior=normal(0, 2)),
        Data("y", COUNTS),
    )
    law = mixture([psi, 1 - psi], [poisson_log(y, -1000), poisson_log(y, eta)])
    found = Density(Posterior(log_likelihood=law)).potential({"psi": 0.3, "eta": 0.4})
    p = 0.3 * (COUNTS == 0) + 0.7 * stats.poisson.pmf(COUNTS, np.exp(0.4))
    assert found == pytest.approx(-np.log(p).sum() - stats.norm.logpdf(0.4, 0, 2))


def test_censoring():
    k, s = Scalar("k", prior=half_normal(2)), Scalar("s", prior=half_normal(5))
    t, seen = Data("t", TIMES), Data("seen", SEEN)
    law = seen * (log(k / s) + (k - 1) * log(t / s)) - (t / s) ** k
    found = Density(Posterior(log_likelihood=law)).potential({"k": 1.3, "s": 2.0})
    weibull = stats.weibull_min(1.3, scale=2.0)
    parts = np.where(SEEN, weibull.logpdf(TIMES), weibull.logsf(TIMES)).sum()
    priors = stats.halfnorm.logpdf(1.3, scale=2) + stats.halfnorm.logpdf(2.0, scale=5)
    assert found == pytest.approx(-parts - priors)


def test_a_change_point():
    tau = Scalar("tau", prior=uniform(0, 10))
    e, late_rate = (Scalar(name, prior=half_normal(5)) for name in "el")
    n, time = Data("n", COUNTS), Data("time", np.arange(5.0))
    late = 1 / (1 + exp(-(time - tau) / 0.5))
    law = poisson(n, e + (late_rate - e) * late)
    found = Density(Posterior(log_likelihood=law)).potential({"tau": 2.3, "e": 1.0, "l": 5.0})
    rate = 1 + 4 / (1 + np.exp(-(np.arange(5) - 2.3) / 0.5))
    priors = stats.halfnorm.logpdf([1.0, 5.0], scale=5).sum() - np.log(10)
    assert found == pytest.approx(-stats.poisson.logpmf(COUNTS, rate).sum() - priors)
