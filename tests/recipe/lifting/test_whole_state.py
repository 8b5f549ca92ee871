"""A tuple or a dictionary of arrays as one argument: the rule is that of the single arrays."""

from typing import Any, NamedTuple

import numpy as np
import pytest
import sympy
from sympy import Symbol

from recipe import CannotLiftError, Potential, RecipeError, Scalar, Vector, grad, lift, total
from verify import verify
from verify.verdict import Verdict

theta = Vector("theta")
p = Vector("p", like=theta)
xi = Scalar("xi")
U = Potential("U", theta)
h = Symbol("h", positive=True)
CLAIM = {
    "step": h,
    "target": U + total(p**2) / 2,
    "gradient": {"g": grad(U, theta)},
    "noise": "rng",
}
BY_NAME = {"x": theta, "v": p}


class State(NamedTuple):
    x: Any
    v: Any


def single(x, v, h, g, rng):
    v = v - h * g(x) - h * v + np.sqrt(2 * h) * rng.normal(size=x.shape)
    return x + h * v, v


def of_tuple(state, h, g, rng):
    return single(*state, h, g, rng)


def of_named(state, h, g, rng):
    return State(*single(state.x, state.v, h, g, rng))


def of_dict(state, h, g, rng):
    x, v = single(state["x"], state["v"], h, g, rng)
    return {"v": v, "x": x}


def replaced(state, h, g, rng):
    state["x"], state["v"] = single(state["x"], state["v"], h, g, rng)


def changed(state, h, g, rng):
    x, v = state
    v -= h * g(x) + h * v - np.sqrt(2 * h) * rng.normal(size=x.shape)
    x += h * v


def nested(state, h, /, g, rng, scale=1):
    (x,), more = state
    x, v = single(x, more["v"], h, g, rng)
    return [x], {"v": v * scale}


def not_changed(state, h, g, rng):
    single(*state, h, g, rng)


def with_a_counter(state, h, g, rng, seen=[0]):  # noqa: B006
    seen[0] += 1
    return single(*state, h, g, rng)


EXPECTED = lift(single, state=BY_NAME, **CLAIM)


@pytest.mark.parametrize(
    ("code", "state"),
    [
        (of_tuple, (theta, p)),
        (of_tuple, [theta, p]),
        (of_named, State(theta, p)),
        (of_dict, BY_NAME),
        (replaced, BY_NAME),
        (changed, (theta, p)),
        (nested, ([theta], {"v": p})),
    ],
)
def test_the_rule_is_that_of_single_arrays(code, state):
    rule = lift(code, state={"state": state}, **CLAIM)
    assert dict(rule.rule) == dict(EXPECTED.rule)
    assert rule.state == (theta, p)
    assert verify(rule).verdict is Verdict.PROVED
    assert rule.reading.function == code.__name__
    assert rule.reading.place.line == code.__code__.co_firstlineno
    assert rule.reading.compared == EXPECTED.reading.compared


def test_a_state_may_stand_beside_a_block_and_outputs_may_be_left_out():
    def thermostat(state, z, h, g, rng):
        x, v = single(*state, h, g, rng)
        return (x, v), z + h * (np.sum(v**2) - 1), "more"

    claim = {**CLAIM, "target": CLAIM["target"] + xi**2 / 2}
    rule = lift(
        thermostat, state={"state": (theta, p), "z": xi}, returns=((theta, p), xi, None), **claim
    )
    assert rule.state == (theta, p, xi)
    assert dict(rule.rule)[theta] == dict(EXPECTED.rule)[theta]


@pytest.mark.parametrize(
    ("code", "state", "error", "said"),
    [
        (of_tuple, (theta, h), RecipeError, r"state\['state_1'\] = h is no block"),
        (of_tuple, (theta, theta), RecipeError, "names a block twice"),
        (of_tuple, (theta, p, xi), CannotLiftError, "takes 5 positional arguments but 6"),
        (of_dict, {"x": theta, "w": p}, CannotLiftError, "KeyError"),
        (not_changed, (theta, p), CannotLiftError, "changes none of its arguments"),
        (with_a_counter, (theta, p), CannotLiftError, "in each call: it keeps a state of its own"),
    ],
)
def test_what_does_not_fit_is_refused(code, state, error, said):
    with pytest.raises(error, match=said):
        lift(code, state={"state": state}, **CLAIM)


def test_a_tuple_of_jax():
    jax = pytest.importorskip("jax", reason="JAX is not installed: code of it is not read here")

    def code(key, state, h, g):
        x, v = state["x"], state["v"]
        v = v - h * g(x) - h * v + (2 * h) ** 0.5 * jax.random.normal(key, x.shape)
        return {"x": x + h * v, "v": v}

    rule = lift(code, state={"state": BY_NAME}, **{**CLAIM, "noise": "key", "library": "jax"})
    assert dict(rule.rule) == dict(EXPECTED.rule)


def counted(state, h, g, rng):
    x, v = single(state["x"], state["v"], h, g, rng)
    return {"x": x, "v": v, "count": state["count"] + 1}


def fading(state, h, g, rng):
    eta = h / np.sqrt(1 + state["count"])
    noise = rng.normal(size=state["x"].shape)
    return {"x": state["x"] - eta * g(state["x"]) + np.sqrt(2 * eta) * noise, "count": 0}


t = Symbol("t", positive=True)


@pytest.mark.parametrize("count", [3, np.int32(3), t])
def test_a_counter_of_steps_is_a_number_or_a_letter(count):
    rule = lift(counted, state={"state": {**BY_NAME, "count": count}}, **CLAIM)
    assert rule.rule == lift(single, state=BY_NAME, **CLAIM).rule
    assert ("read at state_count=" in rule.text) == (count is not t)


@pytest.mark.parametrize("count", [3, t])
def test_the_rule_is_that_of_the_counter(count):
    claim = {**CLAIM, "target": U}
    rule = lift(fading, state={"state": {"x": theta, "count": count}}, **claim)
    value = rule.rule[0][1]
    assert value.coeff(grad(U, theta)).equals(-h / sympy.sqrt(1 + count))
    assert verify(rule).verdict is Verdict.PROVED


def test_a_counter_of_which_nothing_is_said_is_refused_with_what_to_say():
    with pytest.raises(RecipeError, match="a counter of steps"):
        lift(counted, state={"state": {**BY_NAME, "count": None}}, **CLAIM)
    with pytest.raises(RecipeError, match="'t' is no block"):
        lift(counted, state={"state": {**BY_NAME, "count": "t"}}, **CLAIM)
