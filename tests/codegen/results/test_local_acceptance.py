"""Where Metropolis tests reject: a narrow place that a hand-set step does not reach is said."""

import re

import numpy as np
import pytest
from sympy import Interval, exp, oo, sqrt

from catalog.hmc import hmc_kernel
from codegen import read_draws, sample
from codegen.results.diagnostics.across_coordinates import rejecting_direction
from codegen.results.diagnostics.diagnosis import CoordinateDiagnostics
from codegen.results.diagnostics.local_acceptance import narrow_place
from codegen.results.diagnostics.words import Apart, badly_mixed
from recipe import Data, Posterior, Scalar, Vector, total
from recipe.laws import half_cauchy, half_normal, normal

CHAINS, DRAWS = 4, 2000


def run(rates, seed: int = 1):
    """Draws of a normal x and of an unrelated y, and tests that accept at the rate ``rates(x)``."""
    random = np.random.default_rng(seed)
    x, y = random.standard_normal((2, CHAINS, DRAWS))
    accepted = random.uniform(size=x.shape) < rates(x)
    return {"y": y, "theta": np.stack([y, x], axis=2)}, accepted.astype(float)


def test_an_end_at_which_tests_reject_is_named():
    found = narrow_place(*run(lambda x: np.where(x < -2, 0.1, 0.9)))
    assert found.coordinate == "theta[1]"
    assert found.lowest
    assert found.share == 0.01
    assert 0.8 < found.elsewhere < 0.92
    assert found.acceptance < 0.25
    assert found.bound == pytest.approx(-2.33, abs=0.2)
    assert "in the lowest 1% of theta[1] (below -2." in str(found)


def test_the_upper_end_is_seen_too():
    found = narrow_place(*run(lambda x: np.where(x > 2, 0.1, 0.9)))
    assert not found.lowest
    assert "in the highest 1% of theta[1] (above 2." in str(found)


@pytest.mark.parametrize("rate", [0.15, 0.3, 0.574, 0.8, 0.99, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_tests_that_accept_everywhere_alike_are_no_narrow_place(rate, seed):
    """60 runs, each with 12 ends of independent draws beyond five standard deviations of a number
    of accepted tests: a chance below 1e-4 in all."""
    assert narrow_place(*run(lambda x: np.full_like(x, rate), seed)) is None


def across(scale=1.0):
    """Draws of which those with a small x + y/scale are rejected; z says nothing."""
    random = np.random.default_rng(3)
    x, y, z = random.standard_normal((3, CHAINS, DRAWS))
    accepted = random.uniform(size=x.shape) < np.where(x + y < -2.8, 0.0, 0.95)
    return {"x": x, "z": z, "y": scale * y}, accepted.astype(float)


@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_a_narrow_place_across_coordinates_is_seen_and_named(scale):
    values, accepted = across(scale)
    assert all(narrow_place({n: v}, accepted) is None for n, v in values.items())
    found = narrow_place(values, accepted)
    assert set(re.findall("[xyz]", found.coordinate)) == {"x", "y"}  # and not z
    assert found.share in {0.01, 0.05}
    assert found.acceptance < 0.3
    assert f" of {found.coordinate} (" in str(found)


def test_a_direction_is_judged_by_other_draws_than_those_that_show_it():
    random = np.random.default_rng(4)
    names = [f"x[{k}]" for k in range(100)]
    for _ in range(3):
        x, accepted = random.standard_normal((2000, 100)), random.uniform(size=2000) < 0.9
        assert rejecting_direction(names, x, accepted.astype(float)) is not None
        values = {"x": x.reshape(4, 500, 100)}
        assert narrow_place(values, accepted.astype(float).reshape(4, 500)) is None


def test_no_direction_is_seen_of_few_tests_or_one_coordinate():
    x, accepted = np.random.default_rng(5).standard_normal((500, 2)), np.ones(500)
    accepted[:20] = 0.0
    assert rejecting_direction(["a", "b"], x, accepted) is None
    assert rejecting_direction(["a"], x[:, :1], 0 * accepted) is None
    still = np.stack([x[:, 0], np.ones(500)], axis=1)
    assert rejecting_direction(["a", "b"], still, 0 * accepted) is None


@pytest.mark.slow
def test_a_funnel_in_a_rotated_basis_says_so():
    a, b = Scalar("a"), Scalar("b")
    v, x = (a + b) / sqrt(2), (a - b) / sqrt(2)
    potential = v**2 / 18 + x**2 * exp(-v) / 2 + v / 2
    draws = sample(hmc_kernel, potential, step_size=0.3, steps=20_000, warmup=2000, seed=1)
    (said,) = [w for w in draws.warnings if "narrow place" in w]
    assert re.search(r"% of -?[\d.]* ?a [+-] [\d.]* ?b ", said)


def test_a_step_that_is_too_large_everywhere_is_said_elsewhere():
    assert narrow_place(*run(lambda x: np.where(x < -2, 0.0, 0.1))) is None


def test_a_rate_that_is_no_number_is_left_out():
    values, accepted = run(lambda x: np.where(x < -2, 0.1, 0.9))
    accepted[0, :100] = np.nan
    assert narrow_place(values, accepted).coordinate == "theta[1]"
    assert narrow_place(values, np.full_like(accepted, np.nan)) is None


@pytest.fixture(scope="module")
def funnel():
    """Neal's funnel in two dimensions, with a step that its neck has no room for."""
    v, x = Scalar("v"), Scalar("x")
    potential = v**2 / 18 + x**2 * exp(-v) / 2 + v / 2
    return sample(hmc_kernel, potential, step_size=0.2, steps=5000, warmup=500, seed=3)


def test_a_funnel_says_so_in_its_warnings_its_table_and_its_file(funnel, tmp_path):
    assert any("of v (below" in w and "more steps do not help" in w for w in funnel.warnings)
    assert sum("that narrow place" in w for w in funnel.summary().warnings) == 1
    saved = read_draws(funnel.save(tmp_path / "draws.nc"))
    assert saved.attributes["narrow_place"].startswith("in the lowest")
    shown = saved.summary().warnings
    assert sum("that narrow place" in w for w in shown) == 1
    assert not any("times the steps" in w or "take more steps" in w for w in shown)


@pytest.mark.parametrize("narrow", [None, "in the lowest 1% of r (below 0.1)"])
def test_more_steps_are_proposed_where_no_place_is_narrow(narrow):
    row = CoordinateDiagnostics("r", "r", 0, 1, -1, 0, 1, 0.1, 0.1, 30, 20, 1.2)
    apart = [Apart("slow", "", [row])]
    said = list(badly_mixed([row], apart, 4, 1000, narrow))
    assert len(said) == 2
    for sentence in said:
        assert ("times the steps" in sentence or "take more steps" in sentence) == (narrow is None)
        assert ("more steps do not help before tests accept in the" in sentence) == bool(narrow)


@pytest.mark.slow
def test_centred_eight_schools_say_so():
    mu, tau, theta = Scalar("mu"), Scalar("tau", domain=Interval.open(0, oo)), Vector("theta")
    school, y, sd = Data("school"), Data("y"), Data("sd")
    posterior = Posterior(
        (mu, tau, theta),
        normal(y, theta[school], sd),
        normal(mu, 0, 5) + half_cauchy(tau, 5) + total(normal(theta, mu, tau)),
        data={
            school: range(8),
            y: [28, 8, -3, 7, -1, 1, 18, 12],
            sd: [15, 10, 16, 11, 9, 11, 10, 18],
        },
    )
    draws = sample(hmc_kernel, posterior, step_size=0.2, steps=20_000, warmup=1000, seed=2)
    assert any("% of tau (below" in w for w in draws.warnings)


@pytest.mark.slow
def test_a_local_level_series_says_so():
    """The law of r goes down to 0.017, and leapfrogs of length 0.1 are stable above 0.05."""
    random, n = np.random.default_rng(8), 40
    series = np.cumsum(random.normal(0, 0.5, n)) + random.normal(0, 0.8, n)
    xs = Vector("x")
    q, r = (Scalar(s, domain=Interval.open(0, oo)) for s in "qr")
    y, now, before, first = Data("y"), Data("now"), Data("before"), Data("first")
    posterior = Posterior(
        (q, r, xs),
        normal(y, xs[now], r)
        + first * normal(xs[now], 0, 3)
        + (1 - first) * normal(xs[now], xs[before], q),
        half_normal(q, 1) + half_normal(r, 1),
        data={y: series, now: range(n), before: [0, *range(n - 1)], first: [1] + [0] * (n - 1)},
    )
    draws = sample(hmc_kernel, posterior, step_size=0.1, steps=20_000, warmup=2000, seed=2)
    assert any("% of r (below" in w for w in draws.warnings)
