"""Kernels that are wrong in ways that no coefficient shows: they remember, they lose replicas, they
have no noise later.
"""

from dataclasses import replace

import numpy as np
import pytest
from cases.kernels_by_hand import CASES, battery_of
from oracles import numpy_kernels as by_hand
from sympy import Interval, Symbol, exp, log, oo, sqrt

from catalog.sghmc import sghmc
from recipe import Noise, RecipeError, Scalar, Update, Vector, discretised, total
from verify.statistics import (
    ComparisonOutcome,
    Stepper,
    battery,
    check_invariance,
    invariant_normal_law,
    reference,
)
from verify.statistics.numbers.arrays import Meanings
from verify.statistics.recover.equations import equations_of
from verify.statistics.recover.innovations import innovations
from verify.statistics.recover.plan import plan_of
from verify.statistics.step.coefficients import Signature, weakest_signature


class Later:
    """A kernel that is right when it is called first, and another one afterwards."""

    def __init__(self, first, later):
        self.first, self.later, self.calls = first, later, 0

    def __call__(self, state, rng):
        self.calls += 1
        return (self.first if self.calls == 1 else self.later)(state, rng)


@pytest.mark.parametrize(
    ("name", "wrong", "line"),
    [
        ("sgld", {"noise": 0.0}, "the variance of each number"),
        ("sgld", {"noise": 1.5}, "the variance of each number"),
        ("sgld", {"drift": -1.0}, "the mean of each number"),
        ("sghmc", {"move": 0.5}, "theta (1), without noise"),
    ],
)
def test_a_kernel_that_is_right_only_once_is_found(name, wrong, line):
    make = CASES[name][0]
    found = battery_of(name).check(Later(make(), make(wrong)), seed=3)
    assert line in {x.name for x in found.differing}, found


def test_noise_of_another_replica_in_the_next_step_is_found():
    """The numbers of all replicas are drawn once, and in the second step each has those of the next
    one but two.
    """
    table = np.random.default_rng(5).standard_normal((400_000, 3))

    class Table:
        calls = 0

        def standard_normal(self, shape):
            self.calls += 1
            return table[3 * (self.calls - 1) :][: shape[0]]

    kernel, numbers = CASES["sgld"][0](), Table()
    found = battery_of("sgld").check(lambda state, rng: kernel(state, numbers), seed=3)
    assert [x.name for x in found.differing] == ["numbers drawn twice"], found


def test_a_kernel_may_change_the_state_that_it_is_given():
    kernel = CASES["sgld"][0]()

    def in_place(state, rng):
        state["theta"][:] = kernel(state, rng)["theta"]
        return state

    one, other = (battery_of("sgld").check(k, seed=3) for k in (kernel, in_place))
    assert one.as_json() == other.as_json()


def test_a_kernel_in_single_precision_is_compared_in_its_own():
    _, rule, how = CASES["sghmc"]

    class Single:
        def __init__(self, rng):
            self.rng = rng

        def standard_normal(self, shape):
            return self.rng.standard_normal(shape, dtype=np.float32)

    def single(wrong):
        kernel = CASES["sghmc"][0](wrong)

        def step(state, rng):
            new = kernel({k: v.astype(np.float32) for k, v in state.items()}, Single(rng))
            return {k: v.astype(np.float32) for k, v in new.items()}

        return step

    assert battery_of("sghmc").check(single(None)).outcome is ComparisonOutcome.DIFFERS
    chosen = battery(rule, batched=True, rounding=1e-6, **how)
    assert chosen.experiment.unseen == ()
    assert chosen.check(single(None)).outcome is ComparisonOutcome.AGREES
    assert chosen.check(single({"friction": 1.1})).outcome is ComparisonOutcome.DIFFERS


def test_one_lost_replica_among_many_is_found():
    """Under a normal law, where one number of many hardly moves a sum."""
    law = invariant_normal_law(
        discretised(sghmc, "obabo"), step_size=0.6, params={"C": 1.3}, curvature=2.5, length=1
    )
    kernel = by_hand.obabo(0.6, 1.3, lambda x: 2.5 * x)

    def losing(state, rng):
        new = kernel(state, rng)
        new["r"][17] = np.nan
        return new

    found = check_invariance(losing, law, batched=True, steps=1, replicas=200_000)
    assert [x.name for x in found.differing] == ["finite numbers"]


def test_too_few_replicas_of_a_normal_law_are_said():
    law = invariant_normal_law(
        discretised(sghmc, "obabo"), step_size=0.6, params={"C": 1.3}, curvature=2.5
    )
    kernel = by_hand.obabo(0.6, 1.3, lambda x: 2.5 * x)
    assert check_invariance(kernel, law, batched=True, steps=1, replicas=500).unseen == (
        "the variances",
    )
    assert check_invariance(kernel, law, batched=True, steps=1).unseen == ()


def normal(rng, n):
    return {"x": rng.standard_normal((n, 1)) + 9}


def test_a_feature_that_is_no_number_differs():
    """The logarithm of a coordinate whose sign is turned: it was counted nowhere, and as
    agreeing.
    """

    def turned(state, rng):
        return {"x": state["x"] * np.where(np.arange(len(state["x"])) % 2, 1, -1)[:, None]}

    def logarithm(state):
        with np.errstate(invalid="ignore"):
            return np.log(state["x"][:, 0])

    found = check_invariance(turned, normal, features={"log": logarithm}, batched=True, steps=1)
    assert "law of log" in {x.name for x in found.differing}
    with pytest.raises(
        RecipeError, match="the feature log is not finite at some draws of the target"
    ):
        check_invariance(
            turned,
            lambda rng, n: {"x": -normal(rng, n)["x"]},
            features={"log": logarithm},
            batched=True,
        )


def test_a_value_at_the_vertex_of_its_square_is_no_mistake():
    """Where ``b + 2 c w`` vanishes, rounding decided whether the noise was read off at all."""
    x = Vector("x", domain=Interval.open(0, oo))
    h, w = Symbol("h", positive=True), Noise("w", like=x)
    rule = Update(h, {x: x * (1 + sqrt(h) * w + h * (w**2 - 1) / 2)}, total(x - log(x)))
    rng = np.random.default_rng(0)
    start = rng.uniform(0.1, 9, (4000, 3))
    W = -1 / np.sqrt(0.3) + rng.choice([0, 1e-12, -1e-9, 1e-8], start.shape)
    new = start * (1 + np.sqrt(0.3) * W + 0.3 * (W**2 - 1) / 2)
    new = np.where(rng.random(new.shape) < 0.5, np.nextafter(new, -np.inf), new)
    meanings, plan = Meanings({"h": 0.3}, {x.length.name: 3}), plan_of(equations_of(rule))
    (u,) = innovations(plan, {"x": start}, {"x": new}, meanings, rounding=1e-10).noise.values()
    assert np.isfinite(u).all()
    assert u.min() > -8
    (u,) = innovations(
        plan, {"x": start}, {"x": new - 1e-6 * start}, meanings, rounding=1e-10
    ).noise.values()
    assert np.isnan(u).all(), "the rule has no such value"


@pytest.mark.parametrize(
    ("other", "gain"),
    [([[-1.0], [0.0]], 3.0), ([[0.0], [2.0]], 0.0), ([[-1.0], [1.0]], 3 / np.sqrt(2))],
)
def test_the_inverse_of_a_factor_counts_along_the_shift_of_the_factor(other, gain):
    """Which is where the noise is looked at."""
    one = Signature(
        "c",
        {"w": np.array([[1.0], [0.0]])},
        {"w": np.ones((2, 1))},
        4.0,
        1.0,
        1.0,
        certain=False,
        apart=False,
    )
    assert weakest_signature(
        one, replace(one, shift={"w": np.array(other)}, gain=3.0)
    ).gain == pytest.approx(gain)


def test_two_coefficients_of_one_name_are_two():
    """Names are cut where they are long: that the one is seen must not hide that the other
    is not.
    """
    x, y = Scalar("x"), Scalar("y")
    h, w = Symbol("h", positive=True), Noise("w", like=x)
    long = -(x**2) / (x**2 + 3) - (x**2 + 1) ** 2 / (7 * x**2 + 35) - x**2 / (x**2 + 11)
    for size in (-15, 15):  # the second term is far below the noise, or the first one
        drift = h * y * exp(long) + h * y * exp(long + size)
        rule = Update(h, {x: drift + exp(max(size, 0)) * sqrt(h) * w, y: y}, x**2 / 2 + y**2)
        chosen = battery(rule, step_size=0.1, batched=True).experiment
        assert [s.name[:10] for s, _ in chosen.signatures].count("y*h*exp(-x") == 2
        assert [name[:10] for name in chosen.unseen] == ["y*h*exp(-x"], size


def test_an_effect_of_the_size_of_rounding_is_not_seen_by_shared_noise():
    x = Scalar("x")
    h, c, w = Symbol("h", positive=True), Symbol("c", positive=True), Noise("w", like=x)
    how = {"step_size": 0.1, "batched": True, "coupled": True}
    rule = Update(h, {x: x + sqrt(h) * w - c * x}, x**2 / 2)
    for c_of, unseen in ((3e-9, ("-x*c in x", "c")), (3e-6, ())):
        chosen = battery(rule, params={"c": c_of}, **how)
        found = chosen.check(reference(rule, params={"c": 1.1 * c_of}, step_size=0.1))
        assert chosen.experiment.unseen == unseen
        assert found.outcome is (ComparisonOutcome.AGREES if unseen else ComparisonOutcome.DIFFERS)


def test_a_battery_for_shared_noise_refuses_a_kernel_that_has_none():
    x = Scalar("x")
    h, w = Symbol("h", positive=True), Noise("w", like=x)
    chosen = battery(
        Update(h, {x: x / 2 + sqrt(h) * w}, x**2 / 2), step_size=0.1, batched=True, coupled=True
    )
    with pytest.raises(RecipeError, match=r"compares steps that share their noise"):
        chosen.check(Stepper(lambda state, rng: state, batched=True))
