"""The minimiser beside scipy's, on functions that are hard to go down, and its lines beside the
conditions that they must satisfy.
"""

import numpy as np
import pytest
from scipy.optimize import minimize, rosen, rosen_der

from codegen.inputs.density import minimise as ours
from codegen.inputs.density.minimise import minimise

OPTIONS = {"maxiter": 5000, "maxfun": 10_000, "ftol": 1e-15, "gtol": 1e-8}


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def quadratic(size, condition, lowest=0.0, turned=False):
    """A parabola whose curvatures are from 1 to ``condition``, along the axes or turned."""
    rng = np.random.default_rng(size)
    centre, curvatures = rng.normal(size=size), np.geomspace(1, condition, size)
    turn = np.linalg.qr(rng.normal(size=(size, size)))[0] if turned else np.eye(size)

    def function(x):
        z = turn.T @ (x - centre)
        return float(z @ (curvatures * z)) / 2 + lowest, turn @ (curvatures * z)

    return function


def logistic(x):
    rng = np.random.default_rng(5)
    rows, labels = rng.normal(size=(300, 20)), rng.choice([-1.0, 1.0], 300)
    margins = labels * (rows @ x)
    value = float(np.logaddexp(0, -margins).sum() + x @ x / 2)
    return value, x - rows.T @ (labels / (1 + np.exp(margins)))


def rosenbrock(x):
    return float(rosen(x)), rosen_der(x)


def quartic(x):
    return float(np.sum((x - 1) ** 4 / 4 + (x - 1) ** 2 / 2)), (x - 1) ** 3 + (x - 1)


def overflows(x):  # inf from 27 on
    return float(np.sum(np.exp(x**2) + x)), 2 * x * np.exp(x**2) + 1


def has_an_edge(x):  # NaN below 0
    return float(np.sum(x - np.log(x))), 1 - 1 / x


def has_no_slope_far_out(x):
    return float(x @ x), np.where(np.abs(x) > 3, np.nan, 2 * x)


def flat_far_out(x):
    root = np.sqrt(1 + x @ x)
    return float(root), x / root


CASES = {
    "well scaled": (quadratic(10, 10.0), np.zeros(10)),
    "condition 1e4, turned": (quadratic(20, 1e4, turned=True), np.zeros(20)),
    "condition 1e8": (quadratic(5, 1e8), np.zeros(5)),
    "condition 1e8, turned": (quadratic(3, 1e8, turned=True), np.zeros(3)),
    "condition 1e8, above 10": (quadratic(5, 1e8, 10.0), np.zeros(5)),
    "10,000 coordinates": (quartic, np.full(10_000, 30.0)),
    "a valley": (rosenbrock, np.array([-1.2, 1.0])),
    "a valley in 50 dimensions": (rosenbrock, np.tile([-1.2, 1.0], 25)),
    "logistic": (logistic, np.zeros(20)),
    "overflow": (overflows, np.full(3, 15.0)),
    "an edge": (has_an_edge, np.full(3, 50.0)),
    "no slope far out": (has_no_slope_far_out, np.full(2, 2.9)),
    "flat far out": (flat_far_out, np.full(4, 1e6)),
}


@pytest.mark.parametrize("name", CASES)
def test_the_minimum_is_that_of_scipy_and_no_harder_to_find(name):
    function, start = CASES[name]
    visited = []

    def counted(x):
        visited.append(x)
        return function(x)

    found = minimise(counted, start)
    evaluations = len(visited)
    theirs = minimize(function, start, jac=True, method="L-BFGS-B", options=OPTIONS)
    assert found.last.value <= theirs.fun + 1e-12 * max(1.0, abs(theirs.fun))
    np.testing.assert_allclose(found.last.point, theirs.x, rtol=1e-5, atol=1e-5)
    assert found.last.steepest <= max(1e-6, 1e-9 * found.first.steepest)
    assert evaluations <= 3 * theirs.nfev + 30
    np.testing.assert_array_equal(found.first.point, start)
    assert found.last.value == function(found.last.point)[0]


def test_a_start_at_the_minimum_stays():
    for function, at in ((quartic, np.ones(3)), (rosenbrock, np.ones(4))):
        found = minimise(function, at)
        assert found.iterations == 0
        np.testing.assert_array_equal(found.last.point, at)


def test_a_start_without_a_value_is_given_back():
    found = minimise(has_an_edge, np.full(2, -1.0))
    assert found.iterations == 0
    assert not found.last.finite
    assert np.isnan(has_no_slope_far_out(np.full(2, 9.0))[1]).all()
    assert np.isnan(minimise(has_no_slope_far_out, np.full(2, 9.0)).last.steepest)


@pytest.mark.parametrize("slope", [1.0, 1e-5, 1e200])
def test_a_function_without_a_minimum_ends(slope):
    visited = []

    def falls(x):
        visited.append(x)
        return slope * float(x.sum()), np.full(2, slope)

    found = minimise(falls, np.zeros(2))
    assert found.last.steepest == slope
    assert len(visited) <= ours.MAX_EVALUATIONS + 2 * ours.STEPS_OF_A_SEARCH


def test_rounding_of_a_large_value_does_not_keep_it_going():
    """The value ends in digits that do not change any more long before the slope is small."""
    function = quadratic(20, 100.0, lowest=1e12)
    visited = []

    def counted(x):
        visited.append(x)
        return function(x)

    found = minimise(counted, np.full(20, 3.0))
    assert len(visited) < 500
    assert found.last.steepest < 1e-2 * found.first.steepest


@pytest.mark.parametrize("seed", range(30))
def test_a_line_ends_where_the_strong_wolfe_conditions_hold(seed):
    rng = np.random.default_rng(seed)
    size, waves = 3, rng.normal(size=(4, 3))
    function = quadratic(size, 10 ** rng.uniform(0, 3), turned=True)

    def wavy(x):
        value, slope = function(x)
        return value + float(np.sin(waves @ x).sum()), slope + waves.T @ np.cos(waves @ x)

    here = ours._visit(wavy, 3 * rng.normal(size=size))
    direction = -here.gradient * rng.uniform(0.1, 3, size) * 10 ** rng.uniform(-4, 2)
    there = ours._along(wavy, here, direction, scaled=bool(seed % 2))
    step = np.linalg.norm(there.point - here.point) / np.linalg.norm(direction)
    before, after = here.gradient @ direction, there.gradient @ direction
    assert there.value <= here.value + ours.DECREASE * step * before
    assert abs(after) <= ours.CURVATURE * abs(before)
