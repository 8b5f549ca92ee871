"""The law of one step: kernels written by hand are compared with the rules, right ones and wrong
ones.
"""

import mpmath
import numpy as np
import pytest
from cases.catalog_recipes import catalog_recipes
from cases.kernels_by_hand import CASES, HEAVY, battery_of
from oracles import numpy_kernels as by_hand
from oracles.slow_step import slow_step
from scipy import stats
from sympy import Interval, Matrix, Symbol, exp, log, oo, sqrt

from catalog.hmc import hmc
from catalog.sghmc import sghmc
from recipe import (
    Fold,
    Noise,
    Potential,
    Recipe,
    RecipeError,
    Scalar,
    Update,
    Vector,
    discretised,
    grad,
    total,
)
from verify.statistics import ComparisonOutcome, Stepper, battery, check_kernel, reference
from verify.statistics.numbers.arrays import Meanings
from verify.statistics.recover.equations import equations_of
from verify.statistics.recover.innovations import carry_out, innovations
from verify.statistics.recover.plan import plan_of

WRONG = [
    *(("sgld", k, x) for k in ("drift", "noise") for x in (1.1, 1 / 1.1)),
    ("sgld", "drift", -1.0),
    *(
        ("sghmc", k, x)
        for k in ("identity", "move", "force", "friction", "noise")
        for x in (1.1, 1 / 1.1)
    ),
    *(
        ("sgnht", k, x)
        for k in ("friction", "force", "noise", "thermostat", "temperature", "move")
        for x in (1.1, 1 / 1.1)
    ),
    *(
        ("obabo", k, 1.1)
        for k in ("decay", "noise", "first half", "second half", "move", "second noise")
    ),
    *(("baoab", k, 1.1) for k in ("decay", "noise", "first half", "second half", "second move")),
    *(
        ("sgrhmc", k, x)
        for k in ("move", "force", "gamma", "friction", "noise")
        for x in (1.1, 0.0)
    ),
    ("sgrhmc", "gamma", -1.0),
    *(("scir", k, x) for k in ("scale", "shape", "memory") for x in (1.1, 1 / 1.1)),
    ("refreshed", "refresh", 1.1),
    ("refreshed", "refresh", np.sqrt(0.5)),
]
UNSEEN = {
    "refreshed": ("-C*step_size*r in r (2)", "r in r (2)")
}  # of a momentum that is drawn: only correlations show these


@pytest.mark.by_default(2)
@pytest.mark.parametrize("name", CASES)
def test_a_kernel_written_by_hand_agrees(name):
    found = battery_of(name).check(CASES[name][0](), seed=5)
    assert found.outcome is ComparisonOutcome.AGREES, found
    assert found.unseen == UNSEEN.get(name, ()), found


@pytest.mark.by_default(1)
@pytest.mark.parametrize(("name", "knob", "by"), WRONG)
def test_a_wrong_coefficient_is_found(name, knob, by):
    found = battery_of(name).check(CASES[name][0]({knob: by}), seed=7)
    assert found.outcome is ComparisonOutcome.DIFFERS, found


@pytest.mark.slow
def test_states_whose_noise_is_beyond_all_numbers_are_left_out():
    """exp(x^2) overflows at some of those that are tried."""
    x, y, h = Scalar("x"), Scalar("y"), Symbol("h", positive=True)
    v, w = Noise("v", like=x), Noise("w", like=y)
    rule = Update(h, {x: x + exp(x**2) * v + w, y: y + v - w}, x**2 / 2 + y**2 / 2)
    found = battery(rule, step_size=0.1, batched=True).check(reference(rule, step_size=0.1))
    assert found.outcome is ComparisonOutcome.AGREES, found


def test_the_sign_of_a_noise_is_no_mistake():
    """The law is the same."""
    found = battery_of("sgld").check(CASES["sgld"][0]({"noise": -1.0}), seed=7)
    assert found.outcome is ComparisonOutcome.AGREES, found


def test_the_size_of_a_mistake_is_estimated():
    (line,) = [
        x
        for x in battery_of("sgld").check(CASES["sgld"][0]({"drift": 1.1})).differing
        if "grad" in x.name
    ]
    assert abs(float(line.where.split()[4]) - 1.1) < 0.05, line


@pytest.mark.by_default(1)
@pytest.mark.parametrize("name", ["sgrhmc", "sgnht"])
def test_two_states_with_one_seed_show_any_error_of_a_drift(name):
    _, rule, how = CASES[name]
    how = {**how, "step_size": 0.01}
    knob = {"sgrhmc": "gamma", "sgnht": "friction"}[name]
    few = battery(rule, batched=True, coupled=True, **how)
    assert few.experiment.unseen == ()
    numbers = [0.01] if name == "sgrhmc" else [0.01, 0.7]
    assert few.check(getattr(by_hand, name)(*numbers)).outcome is ComparisonOutcome.AGREES
    found = few.check(getattr(by_hand, name)(*numbers, wrong={knob: 1.0001}))
    assert any("one seed" in line.name for line in found.differing), found


def shared_between_coordinates(kernel):
    """The noise of the first coordinate in all of them; a kernel that draws by
    ``rng.standard_normal``.
    """

    class Rng:
        def __init__(self, rng):
            self.rng = rng

        def standard_normal(self, shape):
            return np.broadcast_to(self.rng.standard_normal((shape[0], 1)), shape)

    return lambda state, rng: kernel(state, Rng(rng))


class Reused:
    """A generator whose numbers repeat: those of ``axis`` 0, the same ones for all replicas; or
    every array is drawn only once.
    """

    def __init__(self, rng, how):
        self.rng, self.how, self.kept = rng, how, None

    def standard_normal(self, shape):
        if self.how == "chains":
            return np.broadcast_to(self.rng.standard_normal((1, *shape[1:])), shape)
        if self.how == "pairs of chains":
            return np.repeat(
                self.rng.standard_normal(((shape[0] + 1) // 2, *shape[1:])), 2, axis=0
            )[: shape[0]]
        if self.how == "halves":
            half = self.rng.standard_normal(((shape[0] + 1) // 2, *shape[1:]))
            return np.concatenate([half, -half])[: shape[0]]
        if self.kept is None or self.how == "nothing":
            self.kept = self.rng.standard_normal(shape)
        return self.kept * (self.rng.choice([-1, 1], size=shape) if self.how == "signs" else 1)


@pytest.mark.by_default(2)
@pytest.mark.parametrize("how", ["chains", "pairs of chains", "halves", "draws", "signs"])
def test_a_reused_random_number_is_found(how):
    right, _, _ = CASES["obabo"]
    kernel = right()
    found = battery_of("obabo").check(lambda state, rng: kernel(state, Reused(rng, how)), seed=8)
    assert found.outcome is ComparisonOutcome.DIFFERS, found
    assert (
        battery_of("obabo")
        .check(lambda state, rng: kernel(state, Reused(rng, "nothing")), seed=8)
        .outcome
        is ComparisonOutcome.AGREES
    )


def test_noise_shared_between_coordinates_is_found():
    found = battery_of("sgld").check(shared_between_coordinates(CASES["sgld"][0]()), seed=9)
    assert {line.name for line in found.differing} >= {"numbers, coordinates, steps"}, found


def test_noise_that_is_used_again_in_the_next_step_is_found():
    class Once:
        def __init__(self):
            self.first = None

        def standard_normal(self, shape):
            self.first = (
                np.random.default_rng(3).standard_normal(shape)
                if self.first is None
                else self.first
            )
            return self.first[: shape[0]]

    kernel, once = CASES["sgld"][0](), Once()
    found = battery_of("sgld").check(lambda state, rng: kernel(state, once), seed=10)
    assert [line.name for line in found.differing if "steps" in line.name], found


def test_noise_that_is_not_normal_is_found():
    class Uniform:
        def __init__(self, rng):
            self.rng = rng

        def standard_normal(self, shape):
            return self.rng.uniform(-np.sqrt(3), np.sqrt(3), shape)

    kernel = CASES["sgld"][0]()
    found = battery_of("sgld").check(lambda state, rng: kernel(state, Uniform(rng)), seed=12)
    assert [line.name for line in found.differing] == ["the law of w"], found


def test_a_kernel_of_one_chain_gives_what_it_gives_for_many():
    kernel = by_hand.sgld(0.3)

    def one(state, rng):
        assert state["theta"].shape == (3,)
        return {"theta": kernel({"theta": state["theta"][None]}, rng)["theta"][0]}

    _, rule, how = CASES["sgld"]
    found = check_kernel(one, rule, seed=4, replicas=2048, **how)
    assert found.outcome is ComparisonOutcome.AGREES, found
    assert found.replicas == 2048
    assert check_kernel(one, rule, seed=4, replicas=2048, **how).as_json() == found.as_json()


@pytest.mark.parametrize("name", ["sgnht", "obabo", "sgrhmc"])
def test_predicted_moments_are_those_of_fifty_digits(name):
    """The rule itself as arrays against a second implementation, which walks it with 50-digit
    numbers.
    """
    _, rule, how = CASES[name]
    rng = np.random.default_rng(2)
    equations = equations_of(rule)
    update = getattr(rule, "update", rule)
    numbers = {update.step.name: how["step_size"], **how.get("params", {})}
    lengths = dict.fromkeys({b.length.name for b in update.state if isinstance(b, Vector)}, 3)
    meanings = Meanings(numbers, lengths, {"U": by_hand.quartic})
    state = {b.name: rng.normal(size=(1, 3 if isinstance(b, Vector) else 1)) for b in update.state}
    drawn = {w.base: rng.normal(size=(1, 3)) for w in equations.noises}
    fast = carry_out(equations, state, drawn, meanings)
    values = {**numbers, **{k: v[0] for k, v in (state | drawn).items()}}

    def gradient(theta):
        return [[x**3 + x**2 + mpmath.mpf("0.1") * x - 2 for x in theta]]

    for block, x in slow_step(update, values, gradient).items():
        np.testing.assert_allclose(fast[block][0], x, rtol=1e-13, atol=1e-13)
    read = innovations(plan_of(equations), state, fast, meanings, rounding=1e-10)
    for w, u in read.noise.items():
        np.testing.assert_allclose(u, drawn[w], rtol=1e-9, atol=1e-9)


def test_noise_that_couples_coordinates_is_whitened():
    theta = Vector("theta")
    h, w, v = Symbol("h", positive=True), Noise("w", like=theta), Noise("v", like=theta)
    rule = Update(h, {theta: theta / 2 + sqrt(h) * (w + total(w) + theta * v)}, total(theta**2) / 2)
    plan = plan_of(equations_of(rule))
    rng = np.random.default_rng(1)
    theta0, W, V = rng.normal(size=(3, 20000, 4))
    new = theta0 / 2 + np.sqrt(0.3) * (W + W.sum(axis=1, keepdims=True) + theta0 * V)
    found = innovations(
        plan,
        {"theta": theta0},
        {"theta": new},
        Meanings({"h": 0.3}, {"d_theta": 4}),
        rounding=1e-10,
    )
    (u,) = found.noise.values()
    assert u.shape == (20000, 4)
    far = np.abs(np.sqrt(20000) * (np.cov(u.T) - np.eye(4)))
    assert far.max() < 6
    assert stats.kstest(u.ravel(), "norm").pvalue > 1e-6


def test_a_milstein_step_has_its_law():
    x = Vector("x", domain=Interval.open(0, oo))
    cir = Recipe(state=(x,), H=total(x - 2 * log(x)), D=Matrix([[x]]), Q=Matrix([[0]]))
    rule = discretised(cir, "milstein")

    def milstein(noise):
        def step(state, rng):
            y, h = state["x"], 0.01
            w = rng.standard_normal(y.shape)
            return {"x": y + h * (3 - y) + noise * np.sqrt(2 * y * h) * w + h / 2 * (w**2 - 1)}

        return step

    found = battery(rule, step_size=0.01, batched=True, replicas=20000)
    assert found.check(milstein(1.0)).outcome is ComparisonOutcome.AGREES
    assert found.check(milstein(1.1)).outcome is ComparisonOutcome.DIFFERS


@pytest.mark.by_default(1)
@pytest.mark.parametrize("end", [oo, 2])
def test_a_reflected_step_has_its_law(end):
    """Also where one step is reflected many times."""
    theta = Vector("theta", domain=Interval(0, end))
    h, w, U = Symbol("h", positive=True), Noise("w", like=theta), Potential("U", theta)
    step = Update(h, {theta: theta - h * grad(U, theta) + sqrt(2 * h) * w}, U)
    rule = Update(h, {theta: Fold(dict(step.rule)[theta], 0, end)}, U)
    how = {"gradients": {"U": by_hand.quartic}, "batched": True, "length": 2, "replicas": 20_000}
    for size in (0.02, 3.0):
        found = battery(rule, step_size=size, **how)
        right, wrong = (
            by_hand.mirrored(size, by_hand.quartic, 0.0, float(end), knob)
            for knob in (None, {"noise": 1.1})
        )
        assert found.check(right, seed=1).outcome is ComparisonOutcome.AGREES
        if end == 2 and size == 3.0:
            assert found.experiment.unseen, "the law is nearly uniform, whatever the noise"
        else:
            assert found.check(wrong, seed=1).outcome is ComparisonOutcome.DIFFERS


@pytest.mark.parametrize("name", catalog_recipes())
def test_the_noise_of_every_printed_rule_of_the_catalog_is_read_off(name):
    assert plan_of(equations_of(discretised(catalog_recipes()[name], "printed"))).operations


def test_a_rule_without_noise_is_an_identity():
    how = {"step_size": 0.3, "gradients": HEAVY, "batched": True}
    right = by_hand.sghmc(0.3, 0.0)
    found = check_kernel(right, discretised(hmc, "euler"), **how)
    assert found.outcome is ComparisonOutcome.AGREES
    assert found.unseen == (), found
    assert check_kernel(
        by_hand.sghmc(0.3, 0.0, wrong={"force": 1.00001}), discretised(hmc, "euler"), **how
    ).differing


@pytest.mark.parametrize(
    ("kernel", "says"),
    [
        (
            lambda state, rng: None,
            "the kernel returned NoneType: return a dict with the blocks theta",
        ),
        (
            lambda state, rng: {"x": state["theta"]},
            "the kernel returned the blocks x, and the state has theta",
        ),
        (lambda state, rng: {"theta": state["theta"][:1]}, "the kernel returned theta of shape"),
        (
            lambda state, rng: {"theta": "no"},
            "the kernel returned a theta that is no array of real numbers",
        ),
        (lambda state, rng: {"theta": state["theta"] + 1j}, "no array of real numbers"),
        (
            lambda state, rng: {"theta": np.ma.masked_less(state["theta"], 0.0)},
            "no array of real numbers",
        ),
    ],
)
def test_what_is_no_state_is_said(kernel, says):
    with pytest.raises(RecipeError, match=says):
        battery_of("sgld").check(kernel)


def test_numbers_that_are_no_numbers_differ():
    found = battery_of("sgld").check(lambda state, rng: {"theta": state["theta"] * np.nan})
    assert [line.name for line in found.differing] == ["values that the rule can have"]


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"step_size": 0}, "step_size=0 must be a positive number"),
        ({"params": {}}, "the parameter A has no value"),
        ({"params": {"A": 1, "B": 2}}, "params= names B"),
        ({"params": {"A": [1, 2]}}, "has the shape"),
        ({"gradients": {}}, "grad.U. is abstract"),
        ({"gradients": {"U": lambda x: x[:, :1]}}, "the gradient of U has shapes"),
        ({"length": 0}, "must be a positive whole number"),
        ({"level": 2}, "level=2 must be between 0 and 1"),
        ({"power": 1}, "power=1 must be"),
        ({"factor": 1}, "factor=1 must be above 1"),
        ({"seed": -1}, "seed=-1 must be"),
        ({"rounding": 1}, "rounding=1 must be"),
        ({"states": {"theta": np.zeros((2, 3))}}, "states= has no rows for the block r"),
        (
            {"states": {"theta": np.zeros((0, 3)), "r": np.zeros((0, 3)), "xi": np.zeros((0, 1))}},
            "states= has no rows; give one",
        ),
        (
            {
                "states": {
                    "theta": np.zeros((2, 3)),
                    "r": np.array([[1.0] * 3, [1e9] * 3]),
                    "xi": np.ones((2, 1)),
                }
            },
            "states=: row 2 is",
        ),
        ({"level": "no"}, "level='no' must be a number"),
        ({"factor": None}, "factor=None must be a number"),
        ({"replicas": 0}, "replicas=0 must be a whole number, 1 or more"),
        ({"replicas": 1e4}, "replicas=10000.0 must be a whole number"),
        ({"params": {"A": 1, "epsilon": 2}}, "params= names epsilon, the step size"),
    ],
)
def test_a_mistake_is_one_sentence(changed, says):
    _, rule, how = CASES["sgnht"]
    with pytest.raises(RecipeError, match=says):
        battery(rule, **{**how, **changed})


def test_what_hides_its_noise_is_named():
    with pytest.raises(RecipeError, match=r"because of r <- "):
        plan_of(equations_of(discretised(sghmc, "oabao")))


def test_the_reference_is_the_rule():
    _, rule, how = CASES["sgrhmc"]
    kernel = reference(rule, **how)
    assert isinstance(kernel, Stepper)
    assert check_kernel(kernel, rule, **how).outcome is ComparisonOutcome.AGREES
