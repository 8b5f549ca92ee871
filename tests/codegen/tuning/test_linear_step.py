"""What is predicted of a linear step, beside formulas that are worked out by hand."""

import numpy as np
import pytest
from sympy import Rational

from catalog.sgld import sgld
from codegen.inputs.options import SamplingOptions
from codegen.tuning.law.pilot import pilot_run
from codegen.tuning.law.target import target_of
from codegen.tuning.linear_step import linear_step, setting_near
from codegen.tuning.prepared import prepared, scaled
from recipe import Data, Posterior, Scalar

ROWS, PRECISION = 400, 2
mu, y = Scalar("mu"), Data("y")
Y = np.random.default_rng(0).standard_normal(ROWS)
NORMAL = Posterior(
    mu, -Rational(PRECISION, 2 * ROWS) * (y - mu) ** 2, log_prior=-(mu**2) / 2, data={y: Y}
)
CURVATURE = PRECISION + 1  # of the posterior of mu


@pytest.fixture(scope="module")
def step():
    target = target_of(NORMAL, {})
    pilot = pilot_run(target, 4, 0)
    what = scaled(sgld, NORMAL, target, pilot, {})
    made = prepared(what, SamplingOptions(steps=1, step_size=1.0, params=what.params))
    near = setting_near(made, target, pilot, 0.2, 40)
    return linear_step(made, pilot, *near, target.labels), float(what.scales[0])


@pytest.mark.parametrize("size", [0.05, 0.3, 1.0])
def test_bias_and_autocorrelation_of_an_euler_step(step, size):
    """``z' = (1 - a) z + sqrt(2 h) s w`` with a = h s^2 A has the variance 1/(A (1 - a/2)), the
    autocorrelation time (2 - a)/a, and (1 + r^2)/(1 - r^2) for its square, r = 1 - a.
    """
    linear, scale = step
    a = size * scale**2 * CURVATURE
    found = linear.predicted(linear.at(size), size, None)
    assert found.bias.variance[0] == pytest.approx(1 / (1 - a / 2), rel=2e-3)  # small step: 1/256
    r = 1 - a
    assert found.time == pytest.approx(max((2 - a) / a, (1 + r**2) / (1 - r**2), 1.0), rel=1e-3)


def test_the_noise_of_minibatches_adds_its_variance(step):
    """n of N rows with replacement add h^2 s^4 N^2 Var(g)/n to the variance of a step; 96 batches
    know it within 15 %, of which three are allowed here.
    """
    linear, scale = step
    size, batch = 0.1, 40
    a = size * scale**2 * CURVATURE
    gradient = PRECISION * Y / ROWS
    noise = (size * scale**2) ** 2 * ROWS**2 * gradient.var() / batch
    variance = (2 * size * scale**2 + noise) / (1 - (1 - a) ** 2)
    found = linear.predicted(linear.at(size), size, batch)
    excess = variance * CURVATURE - 1
    assert found.bias.variance[0] - 1 == pytest.approx(excess, rel=0.45)


def test_no_law_beyond_the_stability_bound(step):
    linear, scale = step
    size = 2.1 / (scale**2 * CURVATURE)
    found = linear.predicted(linear.at(size), size, None)
    assert found.law is None
    assert not np.isfinite(found.bias.size)
