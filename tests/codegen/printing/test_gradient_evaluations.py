"""Splitting words with one gradient evaluation a step: as many as said, the same draws as with two,
and wherever a run is split.
"""

from __future__ import annotations

import ast
from ctypes import CFUNCTYPE, c_double

import numpy as np
import pytest
from cases.compiled_steps import cubic, slow_cubic
from cases.stopped_runs import POSTERIOR, x_values, y_values
from cases.stopped_runs import run as sampled
from cases.stopped_runs import stopped_run as stopped
from helpers.module_noise import normals
from numba import njit
from oracles.slow_step import slow_step
from sympy import Symbol, exp, sqrt

from codegen import Polynomial, generate
from codegen.device.random import draw_rows, stream_key
from recipe import Noise, Potential, Scalar, Update, Vector, grad, total

theta = Vector("theta")
r = Vector("r", like=theta)
xi, a = Scalar("xi"), Scalar("a")
U, V = Potential("U", theta), Potential("V", theta, a)
h, C = Symbol("h", positive=True), Symbol("C", positive=True)
w, v, n = Noise("w", like=r), Noise("v", like=r), Noise("n", like=xi)
HALF = h / 2
KICK = (r, r - HALF * grad(U, theta))
DRIFT = (theta, theta + HALF * r)


def friction(noise, time=h):
    return (r, exp(-C * time) * r + sqrt(1 - exp(-2 * C * time)) * noise)


HEAT = (xi, xi + HALF * (total(r**2) / theta.dim - 1))
DAMPED = (r, exp(-h * xi) * r)
TARGET = U + total(r**2) / 2
WORDS = {
    "BAOAB": [KICK, DRIFT, friction(w), DRIFT, KICK],
    "OBABO": [friction(w, HALF), KICK, (theta, theta + h * r), KICK, friction(v, HALF)],
    "BADODAB": [KICK, DRIFT, HEAT, DAMPED, (xi, xi + sqrt(h) * n), HEAT, DRIFT, KICK],
    "BAB": [KICK, (theta, theta + h * r), KICK],
    "ABOBA": [DRIFT, KICK, friction(w), KICK, DRIFT],
}
RULES = {
    name: Update(h, rule, TARGET + (xi**2 / 2 if name == "BADODAB" else 0), name=name.lower())
    for name, rule in WORDS.items()
}
START = {
    "theta": np.array([0.3, -0.9, 1.4]),
    "r": np.array([0.2, 0.1, -0.6]),
    "xi": np.array([0.4]),
    "a": np.array([0.2]),
}
STEP, SEED, CHAIN, STEPS = 0.07, 5, 2, 12
U64 = np.uint64


def inputs(update):
    module = generate(update)
    loaded = module.load()
    blocks = [START[b.name] for b in module.plan.state]
    params = loaded.Params(C=0.8) if module.plan.settings else ()
    draws = loaded.Draws(*(np.zeros((STEPS, x.size)) for x in blocks))
    return module, loaded, blocks, params, draws


def noises(module, t):
    drawn = module.plan.noises
    return [
        normals(module.source, drawn, d, 3 if d.length is not None else 1, SEED, CHAIN, t)
        for d in drawn
    ]


def run(loaded, state, draws, gradient, params, splits=(STEPS,), data=()):
    start = 0
    for steps in splits:
        assert loaded.run(
            state, draws, gradient, data, STEP, params, U64(SEED), CHAIN, start, steps, 0, 1
        ) == (start + steps, -1)
        start += steps


counted = []


@CFUNCTYPE(c_double, c_double)
def count(x):
    counted.append(x)
    return 0.0


@njit
def counting(
    g, x
):  # cubic, and the only gradient of the words, as each is compiled anew with another one
    count(x[0])
    for i in range(x.size):
        g[i] = x[i] ** 3 + 0.5 * x[i]


@pytest.mark.slow
@pytest.mark.by_default("BAOAB")  # each is compiled for seconds
@pytest.mark.parametrize("word", WORDS)
def test_a_run_evaluates_once_a_step(word):
    _, loaded, blocks, params, draws = inputs(RULES[word])
    state = loaded.allocate(*blocks)
    counted.clear()
    run(loaded, state, draws, counting, params, splits=(5, 1, 0, 6))
    assert len(counted) == STEPS + (
        word != "ABOBA"
    )  # and once before the first step, where a step begins with a kick


@pytest.mark.slow
@pytest.mark.parametrize("word", WORDS)
def test_the_draws_are_those_of_the_rule(word):
    """Against 50 digits from step to step, and against the step that evaluates the gradient
    twice.
    """
    module, loaded, blocks, params, draws = inputs(RULES[word])
    run(loaded, loaded.allocate(*blocks), draws, counting, params)
    here, there = loaded.allocate(*blocks), loaded.allocate(*blocks)
    slow = {b.name: x for b, x in zip(module.plan.state, blocks, strict=True)}
    for t in range(STEPS):
        drawn = noises(module, t)
        loaded.step(there, here, counting, STEP, params, tuple(drawn))
        here, there = there, here
        named = {d.name: x for d, x in zip(module.plan.noises, drawn, strict=True)}
        slow = slow_step(RULES[word], {**slow, **named, "h": STEP, "C": 0.8}, slow_cubic)
        for block, field in module.plan.fields.items():
            np.testing.assert_allclose(
                getattr(draws, field)[t], slow[block.name], rtol=1e-11, atol=1e-13
            )
            np.testing.assert_allclose(
                getattr(draws, field)[t], getattr(here, field), rtol=1e-12, atol=1e-14
            )


@pytest.mark.slow
@pytest.mark.parametrize("word", ["BAOAB", "BADODAB"])
def test_a_run_that_is_split_or_starts_from_a_copy_is_the_same(word):
    """A state whose gradients were lost evaluates them again, from the rows of the step before."""
    _, loaded, blocks, params, draws = inputs(RULES[word])
    run(loaded, loaded.allocate(*blocks), draws, counting, params)
    again = loaded.Draws(*(np.zeros_like(x) for x in draws))
    state = loaded.allocate(*blocks)
    for t in range(STEPS):
        loaded.run(state, again, counting, (), STEP, params, U64(SEED), CHAIN, t, 1, 0, 1)
        state = loaded.allocate(*state[: len(blocks)])
    for one, two in zip(draws, again, strict=True):
        np.testing.assert_array_equal(one, two)


def calls_in_loop(source):
    """The gradient calls in the loop of ``run``, from its text."""
    tree = ast.parse(source)
    function = next(f for f in tree.body if isinstance(f, ast.FunctionDef) and f.name == "run")
    loop = next(s for s in function.body if isinstance(s, ast.For))
    texts = [ast.unparse(c) for c in ast.walk(loop) if isinstance(c, ast.Call)]
    return [
        t for t in texts if t.startswith(("gradient(", "gradient[", "gradient_", "controlled_"))
    ]


def test_only_what_does_not_move_in_between_is_kept():
    late = Update(h, [(r, r - h * grad(U, theta)), (theta, theta + h * r)], TARGET)
    assert generate(late).plan.carried is None
    inside = Update(h, [KICK, (theta, theta + h * r), KICK, (theta, theta / 2)], TARGET)
    assert generate(inside).plan.carried is None
    assert len(calls_in_loop(generate(inside).source)) == 2
    still = Update(h, [KICK, KICK, (theta, theta)], TARGET)
    assert generate(still).plan.carried is None
    assert len(calls_in_loop(generate(RULES["BAB"]).source)) == 1


@pytest.mark.slow
def test_several_potentials_each_for_itself():
    """V depends on a block that moves last, U does not."""
    rule = [
        (r, r - HALF * (grad(U, theta) + grad(V, theta))),
        (theta, theta + h * r),
        (r, r - HALF * (grad(U, theta) + grad(V, theta))),
        (a, a - h * grad(V, a)),
    ]
    update = Update(h, rule, TARGET + V)
    module = generate(update)
    assert [call.potential for call in module.plan.carried.calls] == [U]
    assert len(calls_in_loop(module.source)) == 3

    @njit
    def other(g, g_a, x, a):
        g[:] = a[0] * x
        g_a[0] = np.sum(x**2) / 2 + a[0]

    def slow(x, a=None):
        return (
            slow_cubic(x)
            if a is None
            else [[a[0] * c for c in x], [sum(c * c for c in x) / 2 + a[0]]]
        )

    _, loaded, blocks, params, draws = inputs(update)
    run(loaded, loaded.allocate(*blocks), draws, (cubic, other), params, splits=(3, 9))
    state = {b.name: x for b, x in zip(module.plan.state, blocks, strict=True)}
    for t in range(STEPS):
        state = slow_step(update, {**state, "h": STEP}, slow)
        for block, field in module.plan.fields.items():
            np.testing.assert_allclose(getattr(draws, field)[t], state[block.name], rtol=1e-11)


def rows_of(purpose, t, size, *, replace):
    rows = np.zeros(size, dtype=np.int64)
    table = np.zeros(0 if replace else 2 << size.bit_length(), dtype=np.int64)
    key = tuple(map(U64, stream_key(U64(SEED), U64(purpose), U64(CHAIN))))
    draw_rows(rows, table, 100, key, U64(t % 2**64))
    return rows


@pytest.mark.slow
@pytest.mark.parametrize("replace", [True, False])
def test_the_estimate_from_a_minibatch_is_kept(replace):
    """The last kick of a step and the first of the next come from the same rows; before step 0 they
    are those of step -1.
    """
    module = generate(RULES["BAB"], posteriors={U: POSTERIOR})
    loaded = module.load()
    start = [np.array([0.2, -0.1]), np.array([0.5, 0.3])]
    draws, again = (loaded.Draws(*(np.zeros((STEPS, 2)) for _ in range(2))) for _ in range(2))
    step, rest = 1e-2, ((), loaded.Data(x=x_values, y=y_values))

    def move(state, goal, begin, steps):
        loaded.run(state, goal, *rest, step, (), U64(SEED), CHAIN, begin, steps, 0, 1)
        return loaded.allocate(*state[:2], 10, replace)

    lost = move(
        loaded.allocate(*start, 10, replace), again, 0, 5
    )  # it has the blocks, and no gradient
    move(lost, again, 5, STEPS - 5)
    move(loaded.allocate(*start, 10, replace), draws, 0, STEPS)
    for one, two in zip(draws, again, strict=True):
        np.testing.assert_array_equal(one, two)

    def gradient(x, t):
        rows = rows_of(0, t, 10, replace=replace)
        return 10 * x_values[rows].T @ (x_values[rows] @ x - y_values[rows]) + x

    momentum, position = start
    slope = gradient(position, -1)
    for t in range(STEPS):
        momentum = momentum - step / 2 * slope
        position = position + step * momentum
        slope = gradient(position, t)
        momentum = momentum - step / 2 * slope
        np.testing.assert_allclose(draws.theta[t], position, rtol=1e-10)
        np.testing.assert_allclose(draws.r[t], momentum, rtol=1e-10)


def test_two_evaluations_of_a_step_have_rows_of_their_own():
    inside = Update(h, [KICK, (theta, theta + h * r), KICK, (theta, theta / 2)], TARGET)
    source = generate(inside, posteriors={U: POSTERIOR}).source
    assert [f"stream_key(seed, {k}, chain)" in source for k in range(3)] == [True, True, False]


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"replace": False, "step_size": Polynomial(1e-3, 100, 0.6)},
        {"control_variates": True, "keep": "theta"},
        {"batch_size": None},
    ],
)
def test_a_stopped_run_goes_on_bit_for_bit(tmp_path, monkeypatch, options):
    options["scheme"] = "baoab"
    whole = sampled(**options)
    for after in (4, 9, 13):
        stopped(tmp_path / "c", monkeypatch, after, **options)
    again = sampled(checkpoint=tmp_path / "c", **options)
    for block, values in whole.values.items():
        np.testing.assert_array_equal(values, again[block])
    np.testing.assert_array_equal(whole["theta"], sampled(threads=1, **options)["theta"])
