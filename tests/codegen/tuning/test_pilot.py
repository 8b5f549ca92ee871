"""The pilot run finds where a law is and how wide, and says where it cannot."""

import numpy as np
import pytest
from sympy import Interval, Rational, exp, log, oo

from codegen.tuning.law import pilot
from codegen.tuning.law.pilot import MAX_UNSTABLE, pilot_run
from codegen.tuning.law.target import Target, target_of
from codegen.tuning.law.untunable import UntunableError
from recipe import Data, Posterior, Scalar, Vector, total
from recipe.laws import half_normal, normal

x, y = Scalar("x"), Scalar("y")
POSITIVE = Scalar("s", domain=Interval.open(0, oo))
SHARE = Scalar("p", domain=Interval.open(0, 1))


def test_mean_and_covariance_of_a_law_of_unlike_scales():
    """N((1000, -0.002), C) with standard deviations 100 and 0.001 and the correlation 0.99; 1600
    draws with about 1000 effective ones have a standard error of 0.03 sd.
    """
    rho = Rational(99, 100)
    u, v = (x - 1000) / 100, 1000 * y + 2
    U = (u**2 - 2 * rho * u * v + v**2) / (2 * (1 - rho**2))
    found = pilot_run(target_of(U, {}), 4, 0)
    assert found.agrees
    assert np.allclose((found.mean - [1000, -0.002]) / [100, 0.001], 0, atol=0.16)
    assert np.allclose(found.sd / [100, 0.001], 1, atol=0.12)
    correlation = found.covariance[0, 1] / np.prod(found.sd)
    assert correlation == pytest.approx(0.99, abs=0.003)


def test_blocks_on_intervals_have_their_laws():
    """s ~ Gamma(3, rate 2) has the mean 1.5, and p ~ Beta(2, 4) the mean 1/3."""
    U = -2 * log(POSITIVE) + 2 * POSITIVE - log(SHARE) - 3 * log(1 - SHARE)
    target = target_of(U, {})
    found = pilot_run(target, 4, 3)
    means = {b.name: v.mean() for b, v in target.blocks(found.draws).items()}
    assert means["s"] == pytest.approx(1.5, abs=0.15)  # sd 0.87, some 1000 draws: five errors
    assert means["p"] == pytest.approx(1 / 3, abs=0.03)  # sd 0.178


def test_the_gradient_on_the_line_is_the_derivative_of_the_value():
    U = POSITIVE**2 + exp(SHARE) + (x - SHARE) ** 2
    target = target_of(U, {})
    z, h = np.array([0.3, -0.7, 1.1]), 1e-6
    slopes = [(target(z + h * e)[0] - target(z - h * e)[0]) / (2 * h) for e in np.eye(3)]
    assert np.allclose(target(z)[1], slopes, rtol=1e-6)


def test_the_start_is_where_the_mass_is():
    """A centred hierarchical law has no mode: its density grows without bound as v falls."""
    v, theta = Scalar("v"), Vector("theta")
    U = v**2 / 2 + total(theta**2) * exp(-v) / 2 + 9 * v / 2
    found = pilot_run(target_of(U, {}, {theta: 9}), 4, 0)
    assert found.mean[-1] == pytest.approx(0.0, abs=0.25)  # the sd is 1, some 200 effective draws
    assert found.sd[-1] == pytest.approx(1.0, abs=0.25)


def test_a_pilot_is_a_function_of_its_seed():
    target = target_of(x**4 / 4 + (x - y) ** 2, {})
    one, same, other = (pilot_run(target, 2, seed) for seed in (1, 1, 2))
    assert np.array_equal(one.draws, same.draws)
    assert not np.array_equal(one.draws, other.draws)


def test_a_trajectory_computes_one_value(monkeypatch):
    """Most of a pilot run's time is that of slopes, of which a trajectory has several."""
    target = target_of(x**2 / 2 + (x - y) ** 2, {})
    values, value = [], Target.value

    def counted(self, z):
        values.append(z)
        return value(self, z)

    monkeypatch.setattr(Target, "value", counted)
    found = pilot_run(target, 2, 1)
    rounds = 2 * (pilot.FAST + sum(pilot.SLOW) + pilot.LAST + pilot.DRAWS)
    assert rounds < len(values) < 1.1 * rounds
    assert found.evaluations > 1.5 * rounds


def test_modes_that_are_far_apart_do_not_agree():
    assert not pilot_run(target_of(3 * (x**2 - 4) ** 2, {}), 4, 0).agrees


def test_a_funnel_is_not_taken_for_a_law_that_was_found():
    """Neal's funnel: v ~ N(0, 3^2), and nine numbers with the standard deviation exp(v/2)."""
    v, theta = Scalar("v"), Vector("theta")
    U = v**2 / 18 + total(theta**2) * exp(-v) / 2 + 9 * v / 2
    found = pilot_run(target_of(U, {}, {theta: 9}), 4, 0)
    assert found.unstable > MAX_UNSTABLE or not found.agrees


def test_a_density_that_is_no_number_where_a_chain_starts_is_refused_with_the_reason():
    m, s, y = Scalar("m"), Scalar("s"), Data("y")
    law = -log(s) - ((y - m) / s) ** 2 / 2
    target = target_of(Posterior((m, s), law, -(m**2) - s**2, data={y: [1.0, 2.0]}), {})
    starts = np.array([[0.0, 1.0], [0.0, -0.5]])
    said = r"chain 1 of the pilot run the log density is not a number: log\(s\) with s = -0.5; decl"
    with pytest.raises(UntunableError, match=said):
        pilot_run(target, 2, 1, starts)


def test_a_pilot_that_is_stuck_begins_again_outside_of_the_spike(monkeypatch):
    real, least = pilot._pilot, []

    def stuck_at_first(*given):
        least.append(given[-1])
        if len(least) == 1:
            raise pilot._StuckError("rejected")
        return real(*given)

    monkeypatch.setattr(pilot, "_pilot", stuck_at_first)
    assert pilot_run(target_of(x**2 / 2, {}), 2, 0).agrees
    assert least == [-np.inf, pilot.LEAST_LOG_SCALE]


def slopes_of_groups():
    """40 groups of 5 data with intercepts and slopes of their own; slopes hardly differ."""
    random, groups = np.random.default_rng(4), 40
    g, v = np.repeat(np.arange(groups), 5), random.normal(size=5 * groups)
    a0, b0 = 1 + 0.5 * random.normal(size=groups), 0.5 + 0.3 * random.normal(size=groups)
    values = a0[g] + b0[g] * v + random.normal(size=5 * groups)
    mu, nu = Scalar("mu", prior=normal(0, 5)), Scalar("nu", prior=normal(0, 5))
    ta, tb, s = (Scalar(n, prior=half_normal(2)) for n in ("ta", "tb", "s"))
    group, z, data = Data("g", g), Data("z", v), Data("data", values)
    a, b = Vector("a", prior=normal(0, 1)), Vector("b", prior=normal(0, 1))
    line = mu + ta * a[group] + (nu + tb * b[group]) * z
    return Posterior(log_likelihood=normal(data, line, s))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_the_metric_of_many_coordinates_has_the_draws_that_it_needs(seed):
    """The law of (mu, nu, log ta, log tb, log s) with a and b integrated out, by 150,000 draws of a
    random walk (differential evolution) in these five coordinates.
    """
    target = target_of(slopes_of_groups(), {})
    found = pilot_run(target, 4, seed)
    assert found.agrees
    at = [target.labels.index(n) for n in ("mu", "nu", "ta", "s")]
    mean, sd = [0.919, 0.591, -0.513, -0.015], np.array([0.117, 0.084, 0.184, 0.058])
    np.testing.assert_allclose((found.mean[at] - mean) / sd, 0, atol=0.3)
    np.testing.assert_allclose(found.sd[at] / sd, 1, atol=0.25)
