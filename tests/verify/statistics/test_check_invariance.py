"""Kernels started in the law that they leave invariant: right ones written by hand, and
wrong ones.
"""

import numpy as np
import pytest
from cases.kernels_of_a_mixture import ghmc, log_density, mixture, score, target
from oracles import numpy_kernels as by_hand
from scipy import stats

from catalog.sghmc import sghmc
from recipe import RecipeError, discretised
from verify.statistics import (
    ComparisonOutcome,
    check_invariance,
    indicate_law,
    indicate_order,
    invariant_normal_law,
)
from verify.statistics.law.two_sample import _hypergeometric as counted
from verify.statistics.null.normal import threshold_of


def positions(rng, n):
    return {"theta": mixture(rng, n)}


def mala(h, wrong=None):
    k = by_hand.knobs(wrong)

    def step(state, rng):
        x = state["theta"]
        y = x + h * score(x) + k["noise"] * np.sqrt(2 * h) * rng.standard_normal(x.shape)
        there, back = (
            ((b - a - h * score(a)) ** 2).sum(axis=1) / (4 * h) for a, b in ((x, y), (y, x))
        )
        ratio = k["energy"] * (log_density(y) - log_density(x)) + k["proposal"] * (there - back)
        return {"theta": np.where(np.log(rng.uniform(size=len(x)))[:, None] < ratio[:, None], y, x)}

    return step


@pytest.mark.parametrize(("kernel", "law"), [(mala(0.4), positions), (ghmc(0.9, 0.6), target)])
def test_a_kernel_that_leaves_the_law_invariant_agrees(kernel, law):
    found = check_invariance(kernel, law, batched=True, seed=3, steps=8)
    assert found.outcome is ComparisonOutcome.AGREES, found
    assert found.unseen == ()


@pytest.mark.by_default(1)
@pytest.mark.parametrize(
    ("kernel", "law"),
    [
        (mala(0.4, {"energy": 1.1}), positions),
        (mala(0.4, {"proposal": 0.0}), positions),
        (mala(0.4, {"proposal": -1.0}), positions),
        (mala(0.4, {"noise": 1.1}), positions),
        (ghmc(0.9, 0.6, {"refresh": 1.1}), target),
        (ghmc(0.9, 0.6, {"kinetic": 0.0}), target),
        (ghmc(0.9, 0.6, {"flip": -1.0}), target),
    ],
)
def test_a_wrong_metropolis_kernel_is_found(kernel, law):
    found = check_invariance(kernel, law, batched=True, seed=3, steps=20, replicas=25_000)
    assert found.outcome is ComparisonOutcome.DIFFERS, found


def test_a_momentum_that_is_refreshed_at_half_its_variance_is_found_in_the_auxiliaries():
    found = check_invariance(
        ghmc(0.01, 0.6, {"refresh": np.sqrt(0.5)}),
        target,
        batched=True,
        seed=3,
        steps=2,
        replicas=5000,
    )
    assert {line.name for line in found.differing} & {"counts of r[1]", "counts of |r|^2"}, found


def test_replicas_that_share_their_noise_are_found():
    """All replicas are right, and no two are independent."""

    def step(state, rng):
        w = np.repeat(rng.standard_normal(((len(state["theta"]) + 1) // 2, 2)), 2, axis=0)[
            : len(state["theta"])
        ]
        return {"theta": 0.5 * state["theta"] + np.sqrt(0.75) * w}

    def normal(rng, n):
        return {"theta": rng.standard_normal((n, 2))}

    found = check_invariance(step, normal, batched=True, seed=1, steps=10, replicas=20_000)
    assert any(line.name.startswith("replicas of") for line in found.differing), found


AFFINE = {
    "euler": (lambda k, wrong: by_hand.sghmc(0.3, 1.3, lambda x: k * x, wrong), "euler"),
    "obabo": (lambda k, wrong: by_hand.obabo(0.6, 1.3, lambda x: k * x, wrong), "obabo"),
    "baoab": (lambda k, wrong: by_hand.baoab(0.6, 1.3, lambda x: k * x, wrong), "baoab"),
}


@pytest.mark.by_default(1)
@pytest.mark.parametrize("name", AFFINE)
def test_an_affine_step_has_the_covariance_that_is_proved_of_it(name):
    make, scheme = AFFINE[name]
    h = 0.3 if name == "euler" else 0.6
    law = invariant_normal_law(
        discretised(sghmc, scheme), step_size=h, params={"C": 1.3}, curvature=2.5
    )
    assert np.abs(law.covariance - np.diag([1 / 2.5, 1])).max() > 0.01, "with its bias"
    found = check_invariance(make(2.5, None), law, batched=True, steps=30, seed=2)
    assert found.outcome is ComparisonOutcome.AGREES, found
    assert (
        check_invariance(make(2.5, {"noise": 1.1}), law, batched=True, steps=30, seed=2).outcome
        is ComparisonOutcome.DIFFERS
    )


def test_the_law_of_the_target_is_not_that_of_the_step():
    """Sampling exp(-U) itself is a difference, as the proved law has the bias of the step."""
    law = invariant_normal_law(
        discretised(sghmc, "euler"), step_size=0.3, params={"C": 1.3}, curvature=2.5
    )

    def exact(state, rng):
        return {
            "theta": rng.standard_normal(state["theta"].shape) / np.sqrt(2.5),
            "r": rng.standard_normal(state["r"].shape),
        }

    assert check_invariance(exact, law, batched=True, steps=1).outcome is ComparisonOutcome.DIFFERS


def test_a_thermostat_absorbs_a_wrong_noise_so_that_only_one_step_shows_it():
    """A friction that adapts: from the law of (theta, r) alone a noise factor of 1.1 is hardly
    seen. See test_one_step_law.
    """
    rng = np.random.default_rng(0)
    state = {
        "theta": rng.standard_normal((4000, 3)),
        "r": rng.standard_normal((4000, 3)),
        "xi": np.full((4000, 1), 1.0),
    }
    step = by_hand.sgnht(0.02, 1.0, lambda x: x, {"noise": 1.1})
    for _ in range(1500):
        state = step(state, rng)
    assert abs(state["r"].var() - 1) < 0.06
    assert abs(state["xi"].mean() - 1.21) < 0.06, "where the wrong noise went"


def test_counts_have_their_level_also_where_there_is_hardly_any():
    """Two samples of one law: no cut may differ more often than its level, the rarest ones
    included.
    """
    rng = np.random.default_rng(5)
    far = np.array(
        [
            np.abs(
                counted(rng.normal(size=250), rng.normal(size=500), np.array([-4, -2.6, 0, 2.6, 4]))
            )
            for _ in range(500)
        ]
    )
    assert ((far > threshold_of(0.01, 1)).sum(axis=0) <= stats.binom.isf(1e-9, 500, 0.01)).all()
    assert (counted(rng.normal(size=250), 1.5 * rng.normal(size=500), np.array([1.5])) > 3).all()


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"curvature": None}, "give curvature=k"),
        ({"step_size": 3.0}, "the step is not stable with these numbers"),
        ({"params": {}}, "the parameter C has no value"),
    ],
)
def test_a_law_that_is_not_there_is_said(changed, says):
    how = {"step_size": 0.3, "params": {"C": 1.3}, "curvature": 1.0} | changed
    with pytest.raises(RecipeError, match=says):
        invariant_normal_law(discretised(sghmc, "euler"), **how)


@pytest.mark.parametrize(
    ("law", "says"),
    [
        (lambda rng, n: None, "must return a dict"),
        (lambda rng, n: {"theta": np.zeros(n)}, "returned theta of shape"),
        (lambda rng, n: {"theta": np.full((n, 2), np.nan)}, "of finite numbers"),
    ],
)
def test_a_target_that_is_none_is_said(law, says):
    with pytest.raises(RecipeError, match=says):
        check_invariance(mala(0.1), law, batched=True)


def test_a_target_that_is_one_point_is_one_sentence():
    with pytest.raises(RecipeError, match="all draws of the target are one point"):
        check_invariance(
            lambda state, rng: state, lambda rng, n: {"theta": np.ones((n, 3))}, batched=True
        )


def test_the_order_of_a_bias_is_indicated():
    """Langevin dynamics by Euler has a bias of first order in the second moment."""

    def normal(rng, n):
        return {"theta": 2.0 * rng.standard_normal((n, 1))}

    def step_of(h):
        return by_hand.sgld(h, lambda x: x / 4)

    how = {
        "step_sizes": [0.5, 1.0, 2.0],
        "time": 24.0,
        "replicas": 40_000,
        "batched": True,
        "seed": 1,
    }
    found = indicate_order(step_of, normal, lambda s: s["theta"][:, 0] ** 2, order=1, **how)
    assert found.outcome is ComparisonOutcome.INDICATIVE, found
    (line,) = found.lines
    assert line.distance < line.threshold, found
    (wrong,) = indicate_order(
        step_of, normal, lambda s: s["theta"][:, 0] ** 2, order=2, **how
    ).lines
    assert wrong.distance > wrong.threshold
    assert wrong.outcome is ComparisonOutcome.INDICATIVE


@pytest.mark.slow
def test_a_stein_discrepancy_is_indicated():
    rng = np.random.default_rng(4)
    x = mixture(rng, 1500)
    (right,) = indicate_law(x, score(x), seed=1).lines
    (wrong,) = indicate_law(1.3 * x, score(1.3 * x), seed=1).lines
    assert right.distance < right.threshold < wrong.distance
    assert {right.outcome, wrong.outcome} == {ComparisonOutcome.INDICATIVE}


def test_the_kernel_of_langevin_dynamics_is_not_exact():
    found = check_invariance(
        by_hand.sgld(0.4, lambda x: -score(x)), positions, batched=True, steps=20, replicas=20_000
    )
    assert found.outcome is ComparisonOutcome.DIFFERS, found
