"""Each reason for which a pilot run is not trusted has a sentence of its own."""

from dataclasses import dataclass

import numpy as np
import pytest
from sympy import Interval, oo

from codegen.tuning.law.pilot import Pilot, pilot_run
from codegen.tuning.law.spike import spike_of
from codegen.tuning.law.target import target_of
from codegen.tuning.law.why_no_agreement import why_no_agreement
from recipe import Data, Posterior, Scalar, Vector, total
from recipe.laws import half_cauchy, normal

RANDOM = np.random.default_rng(5)


@dataclass(frozen=True)
class Law:
    """A target that is a function of numbers: a, b, and the logarithm of tau."""

    potential: object
    labels = ("a", "b", "tau")
    are_scales = np.array([False, False, True])

    def __call__(self, z):
        return self.potential(z), np.zeros(3)


NORMAL = Law(lambda z: z @ z / 2)


def pilot(draws, unstable=0.0, r_hat=2.0, worst="a"):
    flat = draws.reshape(-1, draws.shape[-1])
    spike = spike_of(NORMAL, draws)
    return Pilot(
        draws, flat.mean(0), flat.std(0), r_hat, worst, 1000, 0.8, 0.5, 0.8, unstable, spike
    )


def draws(chains=4):
    return RANDOM.standard_normal((chains, 200, 3))


def test_a_pilot_that_agrees_is_trusted():
    assert why_no_agreement(NORMAL, pilot(draws(), r_hat=1.01)) is None


def test_several_modes_are_named_with_their_places():
    far = draws()
    far[2:, :, 0] += 20
    said = why_no_agreement(NORMAL, pilot(far))
    assert "several modes in a (chain 0 near " in said
    assert "non-centred" not in said


def test_a_scale_near_0_is_named_and_not_the_worst_coordinate():
    spiked = draws()
    spiked[1, :, 2] -= 9
    spiked[1, :, 0] = 0.3 + 1e-4 * spiked[1, :, 0]
    said = why_no_agreement(NORMAL, pilot(spiked, worst="a"))
    assert said.startswith("chain 1 of the pilot run went to tau -> 0 (0.0001)")


def test_a_scale_that_runs_away_has_perhaps_no_finite_integral():
    away = draws()
    away[0, :, 2] -= np.linspace(0, 90, 200)
    said = why_no_agreement(NORMAL, pilot(away))
    assert said.startswith("tau goes to 0 in the pilot run (to e^-9")
    assert "give tau a prior" in said


def test_a_ridge_names_the_coordinates_that_stand_in_a_sum():
    along = 30 * np.cumsum(draws(), axis=1)
    along[..., 1] = 1.0 - along[..., 0] + draws()[..., 1]
    along[..., 2] = draws()[..., 2]
    law = Law(lambda z: (z[0] + z[1] - 1) ** 2 / 2 + z[2] ** 2 / 2)
    said = why_no_agreement(law, pilot(along))
    assert said.startswith("the density is the same along a line in a and b, which stand only in a")
    assert "along a line" not in why_no_agreement(NORMAL, pilot(along))


def test_unstable_trajectories_of_chains_that_agree_are_a_narrow_place():
    said = why_no_agreement(NORMAL, pilot(draws(), unstable=0.02, r_hat=1.0))
    assert said.startswith("2.0% of the trajectories")


mu, tau, theta = Scalar("mu"), Scalar("tau", domain=Interval.open(0, oo)), Vector("theta")
group, y = Data("group"), Data("y")


def centred(groups, rows):
    """Centred intercepts of many rows each, and the standard deviation of the means of groups: no
    spike is near the law, and its mode is in one.
    """
    random = np.random.default_rng(3)
    at = np.arange(rows) % groups
    values = random.normal(0, 0.5, groups)[at] + random.normal(0, 0.5, rows)
    means = [values[at == k].mean() for k in range(groups)]
    posterior = Posterior(
        (mu, tau, theta),
        normal(y, theta[group], 0.5),
        normal(mu, 0, 5) + half_cauchy(tau, 1) + total(normal(theta, mu, tau)),
        data={group: at, y: values},
    )
    return posterior, np.std(means, ddof=1)


@pytest.mark.slow
def test_centred_intercepts_are_sampled_outside_of_the_spike():
    posterior, spread = centred(12, 240)
    pilot = pilot_run(target_of(posterior, {}), 4, 1)
    assert pilot.agrees
    assert pilot.spike is None
    assert np.exp(pilot.mean[1]) == pytest.approx(spread, rel=0.3)


@pytest.mark.slow
def test_chains_begin_at_first_values():
    target = target_of(centred(12, 240)[0], {})
    starts = np.zeros((4, 14))
    assert pilot_run(target, 4, 1, starts).agrees
