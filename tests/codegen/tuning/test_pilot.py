"""The pilot run finds where a law is and how wide, and says where it cannot."""

import numpy as np
import pytest
from sympy import Interval, Rational, exp, log, oo

from codegen.tuning.pilot import MAX_UNSTABLE, pilot_run
from codegen.tuning.target import target_of
from codegen.tuning.untunable import UntunableError
from recipe import Data, Posterior, Scalar, Vector, total

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
    pilot = pilot_run(target_of(U, {}), 4, 0)
    assert pilot.agrees
    assert np.allclose((pilot.mean - [1000, -0.002]) / [100, 0.001], 0, atol=0.16)
    assert np.allclose(pilot.sd / [100, 0.001], 1, atol=0.12)
    correlation = pilot.covariance[0, 1] / np.prod(pilot.sd)
    assert correlation == pytest.approx(0.99, abs=0.003)


def test_blocks_on_intervals_have_their_laws():
    """s ~ Gamma(3, rate 2) has the mean 1.5, and p ~ Beta(2, 4) the mean 1/3."""
    U = -2 * log(POSITIVE) + 2 * POSITIVE - log(SHARE) - 3 * log(1 - SHARE)
    target = target_of(U, {})
    pilot = pilot_run(target, 4, 3)
    means = {b.name: v.mean() for b, v in target.blocks(pilot.draws).items()}
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
    pilot = pilot_run(target_of(U, {}, {theta: 9}), 4, 0)
    assert pilot.mean[-1] == pytest.approx(0.0, abs=0.25)  # the sd is 1, some 200 effective draws
    assert pilot.sd[-1] == pytest.approx(1.0, abs=0.25)


def test_a_pilot_is_a_function_of_its_seed():
    target = target_of(x**4 / 4 + (x - y) ** 2, {})
    one, same, other = (pilot_run(target, 2, seed) for seed in (1, 1, 2))
    assert np.array_equal(one.draws, same.draws)
    assert not np.array_equal(one.draws, other.draws)


def test_modes_that_are_far_apart_do_not_agree():
    assert not pilot_run(target_of(3 * (x**2 - 4) ** 2, {}), 4, 0).agrees


def test_a_funnel_is_not_taken_for_a_law_that_was_found():
    """Neal's funnel: v ~ N(0, 3^2), and nine numbers with the standard deviation exp(v/2)."""
    v, theta = Scalar("v"), Vector("theta")
    U = v**2 / 18 + total(theta**2) * exp(-v) / 2 + 9 * v / 2
    pilot = pilot_run(target_of(U, {}, {theta: 9}), 4, 0)
    assert pilot.unstable > MAX_UNSTABLE or not pilot.agrees


def test_a_density_that_is_no_number_where_a_chain_starts_is_refused_with_the_reason():
    m, s, y = Scalar("m"), Scalar("s"), Data("y")
    law = -log(s) - ((y - m) / s) ** 2 / 2
    target = target_of(Posterior((m, s), law, -(m**2) - s**2, data={y: [1.0, 2.0]}), {})
    starts = np.array([[0.0, 1.0], [0.0, -0.5]])
    said = r"chain 1 of the pilot run the log density is not a number: log\(s\) with s = -0.5; decl"
    with pytest.raises(UntunableError, match=said):
        pilot_run(target, 2, 1, starts)
