"""Composed kernels, compiled: against 50 digits, reproducible, resumed bit for bit, and right in
law.
"""

from __future__ import annotations

import math
import re
from ctypes import CFUNCTYPE, c_double

import mpmath
import numpy as np
import pytest
from cases.compiled_kernels import (
    BOUND,
    HMC,
    SGHMC,
    SGLD,
    STEPS,
    U64,
    Scope,
    U,
    h,
    kernels,
    r,
    run,
    theta,
    x,
)
from cases.stopped_runs import run as sampled
from cases.stopped_runs import stopped_run
from numba import njit
from oracles.slow_step import slow_sweep
from scipy.integrate import quad

from codegen import Polynomial, generate, sample
from recipe import (
    Data,
    Kernel,
    Noise,
    Posterior,
    RecipeError,
    Scalar,
    Update,
    bind,
    flip,
    metropolis,
    refresh,
    repeat,
    step,
    total,
)

X, y = Data("x", like=theta), Data("y")
rng = np.random.default_rng(1)
x_values, y_values = rng.normal(size=(12, 2)), rng.normal(size=12)
POSTERIOR = Posterior(
    theta, -((y - total(X * theta)) ** 2) / 2, -total(theta**2) / 2, {X: x_values, y: y_values}
)
VALUES = {"C": 0.6, "k": 1.7}
SIZES = {
    "mala": (0.3, 0.1),
    "repeated": (0.2, 0.1),
    "mixed": (0.2, 0.1),
    "numbers": (1.2, 0.1),
    "hmc": (0.9, 0.45),
}  # with an expression, with data
ABSTRACT = kernels(lambda recipe: recipe, SGLD)


def residuals(at):
    rows = zip(x_values.tolist(), y_values.tolist(), strict=True)
    return [mpmath.fsum(a * b for a, b in zip(row, at, strict=True)) - label for row, label in rows]


def slow_gradient(at):
    columns = zip(*x_values.tolist(), strict=True)
    return [
        [
            a + mpmath.fsum(e * b for e, b in zip(residuals(at), c, strict=True))
            for a, c in zip(at, columns, strict=True)
        ]
    ]


def slow_potential(state):
    return mpmath.fsum(e**2 for e in (*residuals(state["theta"]), *state["theta"])) / 2


def compiled(kernel):
    module = generate(kernel)
    loaded = module.load()
    data = loaded.Data(x=x_values, y=y_values) if module.estimators else ()
    settings = {f: VALUES[str(s)] for s, f in module.plan.settings.items()}
    return module, loaded, data, loaded.Params(**settings) if settings else ()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["generalised", "random times", "position", "mixed"])
def test_a_kernel_with_data_is_what_its_parts_say(name):
    compare_with_parts(name, data=True)


@pytest.mark.slow
@pytest.mark.by_default("numbers")  # each takes seconds to compile
@pytest.mark.parametrize("name", BOUND)
def test_a_kernel_is_what_its_parts_say(name):
    compare_with_parts(name, data=False)


def compare_with_parts(name, data):
    """Every sweep starts from the compiled state, so that what is compared is one sweep; some are
    accepted and some are not.
    """
    kernel = (
        Kernel(ABSTRACT[name], posteriors={U: POSTERIOR}, name="hmc")
        if data
        else Kernel(BOUND[name])
    )
    size = SIZES.get(name, (0.9, 0.35))[data]
    module, loaded, given, params = compiled(kernel)
    start = [np.array([0.3, -0.8]), np.array([0.5, 0.2])][: len(kernel.state)]
    start = [b[:1] for b in start] if name == "numbers" else start
    draws = run(loaded, given, params, start, size)
    state, functions = (
        {b.name: x for b, x in zip(kernel.state, start, strict=True)},
        (slow_gradient, {"U": slow_potential} if data else {}),
    )
    for t in range(STEPS):
        scope = Scope(module.source, module.plan.statements, module.plan.noises, t)
        slow = slow_sweep(
            kernel.parts, {**state, **VALUES, str(kernel.step): size}, scope, functions
        )
        assert not scope.noises
        for block in kernel.state:
            np.testing.assert_allclose(
                getattr(draws, block.name)[t],
                [float(v) for v in slow[block.name]],
                rtol=1e-11,
                atol=1e-12,
            )
            state[block.name] = getattr(draws, block.name)[t]
    if kernel.has_metropolis():
        assert 0.1 < draws.acceptance_rate.mean() < 0.95


SPLIT = ["random times", "mala", "repeated", "nested", "mixed", "numbers"]


@pytest.mark.by_default("numbers")
@pytest.mark.parametrize("name", SPLIT)
def test_a_kernel_that_is_split_is_the_same_bit_for_bit(name):
    kernel = Kernel(BOUND[name])
    _, loaded, data, params = compiled(kernel)
    start = [np.array([0.3, -0.8, 0.1]), np.array([0.5, 0.2, 0.4])][: len(kernel.state)]
    start = [b[:1] for b in start] if name == "numbers" else start
    for one, two in zip(
        *(run(loaded, data, params, start, 0.2, splits) for splits in ([STEPS], [1, 13, 0, 11])),
        strict=True,
    ):
        np.testing.assert_array_equal(one, two)


def quiet(kernel, **options):
    return sample(
        kernel,
        **{
            "progress": False,
            "steps": 300,
            "chains": 3,
            "step_size": 0.1,
            "params": {"k": 1.0},
            **options,
        },
    )


TRAJECTORY = Kernel(ABSTRACT["random times"], posteriors={U: POSTERIOR}, name="hmc")


@pytest.mark.slow
def test_draws_are_the_same_for_any_number_of_threads_and_other_chains():
    one, two, fewer = (
        quiet(TRAJECTORY, threads=1),
        quiet(TRAJECTORY, threads=2),
        quiet(TRAJECTORY, chains=2),
    )
    np.testing.assert_array_equal(one["theta"], two["theta"])
    np.testing.assert_array_equal(one["theta"][:2], fewer["theta"])
    np.testing.assert_array_equal(one.acceptance, two.acceptance)
    some = quiet(TRAJECTORY, warmup=20, thin=7, keep="theta")
    np.testing.assert_array_equal(some["theta"], one["theta"][:, 26::7])
    np.testing.assert_array_equal(some.acceptance, one.acceptance[:, 26::7])


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"step_size": Polynomial(0.3, 100, 0.6)}])
def test_a_stopped_run_goes_on_bit_for_bit(tmp_path, monkeypatch, options):
    options = {
        "target": TRAJECTORY,
        "params": {"k": 1.0},
        "batch_size": None,
        "step_size": 0.2,
        **options,
    }
    whole = sampled(**options)
    for after in (4, 9):
        stopped_run(tmp_path / "c", monkeypatch, after, **options)
    again = sampled(checkpoint=tmp_path / "c", **options)
    np.testing.assert_array_equal(whole["theta"], again["theta"])
    np.testing.assert_array_equal(whole.acceptance, again.acceptance)


@pytest.mark.slow
def test_repeated_steps_take_minibatches_of_their_own():
    """Two kernels without a test: ten steps in a sweep are ten steps, with other random numbers."""
    kernel = Kernel([repeat(step(SGHMC, "baoab"), 10)], posteriors={U: POSTERIOR})
    options = {"params": {"C": 2.0, "k": 1.0}, "batch_size": 4, "step_size": 0.02, "steps": 200}
    one, two = quiet(kernel, threads=1, **options), quiet(kernel, threads=2, **options)
    np.testing.assert_array_equal(one["theta"], two["theta"])
    source = generate(kernel).source
    inside = source[source.index("for t_2 in") : source.index("if not finite")]
    assert inside.count("draw_rows") == 1
    assert re.search(r"stream_key\(seed, \d+, chain\), t_2\)", inside)


@pytest.mark.parametrize("name", ["hmc", "nested"])
def test_gradients_beside_a_test_are_from_all_rows_and_a_users_own_is_told_them(name):
    derived = Kernel(ABSTRACT[name], posteriors={U: POSTERIOR})
    own = Posterior(
        theta,
        POSTERIOR.log_likelihood,
        POSTERIOR.log_prior,
        dict(POSTERIOR.data),
        gradient=counting,
    )
    called = re.compile(r"gradient_U\(.*(state\.rows.*)\)$", re.MULTILINE)
    for posterior, rows in ((POSTERIOR, "state.rows[:0]"), (own, "state.rows")):
        source = generate(Kernel(derived.parts, posteriors={U: posterior})).source
        run = source[source.index("def run(") :]
        assert set(called.findall(run)) == {rows}
        assert ("draw_rows(" in run) is (posterior is own)


calls = []


@CFUNCTYPE(c_double, c_double)
def note(x):
    calls.append(x)
    return 0.0


@njit
def counting(theta, rows, x, y, g):
    note(theta[0])
    g[:] = theta
    for row in rows:
        error = -y[row]
        for i in range(theta.size):
            error += x[row, i] * theta[i]
        for i in range(theta.size):
            g[i] += x.shape[0] / rows.size * error * x[row, i]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "each"), [("hmc", 4), ("nested", 16), ("mala", 1), ("walk", 0)])
def test_a_trajectory_evaluates_one_gradient_a_step(name, each):
    """And one before the first: what was evaluated where a trajectory begins is put back when it is
    rejected.
    """
    own = Posterior(
        theta,
        POSTERIOR.log_likelihood,
        POSTERIOR.log_prior,
        dict(POSTERIOR.data),
        gradient=counting,
    )
    size = SIZES.get(name, (0.9, 0.35))[1]
    calls.clear()
    draws = ten_sweeps(Kernel(ABSTRACT[name], posteriors={U: own}), counting, size)
    assert len(calls) == 10 * each + bool(each)
    if name != "hmc":  # there it is the derived one that takes long to compile
        derived = ten_sweeps(Kernel(ABSTRACT[name], posteriors={U: POSTERIOR}), (), size)
        np.testing.assert_allclose(draws.theta, derived.theta, rtol=1e-9)
    assert 0 < draws.acceptance_rate.mean() < 1


def ten_sweeps(kernel, gradient, size):
    _, loaded, data, params = compiled(kernel)
    start = [np.array([0.3, -0.8]), np.array([0.5, 0.2])][: len(kernel.state)]
    state = loaded.allocate(*start, 12, False) if gradient else loaded.allocate(*start)
    draws = loaded.Draws(*(np.zeros((10, 2)) for _ in start), np.zeros((10, 1)))
    loaded.run(state, draws, gradient, data, size, params, U64(1), 0, 0, 10, 0, 1)
    return draws


w = Noise("w", like=x)


@pytest.mark.slow
@pytest.mark.parametrize("size", [0.5, 2.0, 8.0])
def test_the_acceptance_rate_of_a_random_walk_is_the_known_one(size):
    """On N(0, 1) with normal proposals of standard deviation s it is (2/pi) arctan(2/s); five
    standard errors of 400 batches.
    """
    walk = Kernel([metropolis(Update(h, {x: x + h * w}, x**2 / 2))], name="walk")
    draws = sample(walk, step_size=size, steps=40_000, chains=4, progress=False)
    batches = draws.acceptance.reshape(400, -1).mean(axis=1)
    error = batches.std() / math.sqrt(400)
    assert abs(batches.mean() - 2 / math.pi * math.atan(2 / size)) < 5 * error
    squares = (draws["x"] ** 2).reshape(80, -1).mean(axis=1)
    assert abs(squares.mean() - 1) < 5 * squares.std() / math.sqrt(80)
    assert draws.attributes["acceptance_rate"] == pytest.approx(draws.acceptance.mean())
    statistics = draws.groups()["sample_stats"]
    assert statistics.variables["acceptance_rate"].values.shape == (4, 40_000)


DOUBLE_WELL = {U: total((theta**2 - 1) ** 2)}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hmc", "random times", "generalised", "mala", "position"])
def test_a_metropolised_kernel_leaves_its_law_invariant(name):
    """The second and fourth moment of a double well, with a step that would bias them; five
    standard errors of batch means.
    """
    density = lambda t: math.exp(-((t * t - 1) ** 2))  # noqa: E731
    mass = quad(density, -5, 5)[0]
    kernel = Kernel(kernels(lambda recipe: bind(recipe, DOUBLE_WELL), SGLD)[name])
    draws = sample(
        kernel,
        step_size=0.15 if name in ("mala", "position") else 0.5,
        steps=60_000,
        chains=4,
        lengths={theta: 1},
        progress=False,
        params={p.name: {"k": 1.0, "C": 0.4}[p.name] for p in kernel.parameters},
    )
    assert 0.3 < draws.acceptance.mean() < 0.97
    for power in (2, 4):
        exact = quad(lambda t: t**power * density(t) / mass, -5, 5)[0]  # noqa: B023
        batches = (draws["theta"] ** power).reshape(120, -1).mean(axis=1)
        assert abs(batches.mean() - exact) < 5 * batches.std() / math.sqrt(120), power


@pytest.mark.slow
def test_a_proposal_out_of_the_domain_is_rejected():
    from sympy import Interval, oo

    p = Scalar("p", domain=Interval.open(0, oo))
    walk = Kernel([metropolis(Update(h, {p: p + h * Noise("v", like=p)}, p))])
    draws = sample(walk, step_size=2.0, steps=40_000, chains=2, progress=False)
    assert not draws.divergences
    assert draws["p"].min() > 0
    batches = draws["p"].reshape(80, -1).mean(axis=1)
    assert abs(batches.mean() - 1) < 5 * batches.std() / math.sqrt(80)


@pytest.mark.slow
def test_a_trajectory_that_overflows_is_rejected():
    kernel = Kernel(
        [
            refresh(bind(HMC, DOUBLE_WELL), r),
            metropolis(bind(HMC, DOUBLE_WELL), "leapfrog", times=50, flip=r),
        ]
    )
    draws = quiet(kernel, step_size=3.0, lengths={theta: 2}, initial={theta: [1.0, 1.0]})
    assert not draws.divergences
    assert draws.acceptance.mean() < 0.1
    assert np.isfinite(draws["theta"]).all()
    (said,) = draws.warnings
    assert re.fullmatch(
        r"only [\d.e-]+ of the Metropolis tests accepted; take a smaller step, or fewer .*", said
    )


@pytest.mark.slow
def test_a_kernel_without_a_step_size_takes_none():
    kernel = Kernel([refresh(bind(HMC, DOUBLE_WELL), r), flip(bind(HMC, DOUBLE_WELL), r)])
    draws = sample(kernel, steps=20, lengths={theta: 2}, params={"k": 1.0}, progress=False)
    assert draws["r"].std() > 0
    assert draws.acceptance is None
    with pytest.raises(RecipeError, match="no part of this kernel has a step size; leave it out"):
        sample(
            kernel, steps=20, step_size=0.1, lengths={theta: 2}, params={"k": 1.0}, progress=False
        )


@pytest.mark.parametrize(
    ("kernel", "options", "message"),
    [
        (TRAJECTORY, {"batch_size": 4}, "batch_size=4: a Metropolis test compares values"),
        (TRAJECTORY, {"step_size": None}, "step_size=None must be a number above 0"),
        (
            TRAJECTORY,
            {"control_variates": True},
            "control_variates= is about minibatches, and a Metropolis test needs all",
        ),
        (
            Kernel(ABSTRACT["hmc"]),
            {},
            "a Metropolis test compares values of U: bind it to an expression or a Posterior first",
        ),
        (
            Kernel(
                ABSTRACT["hmc"],
                posteriors={U: Posterior(theta, None, 0, {y: y_values}, gradient=counting)},
            ),
            {},
            "its Posterior has no log_likelihood; give it one",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(kernel, options, message):
    with pytest.raises(RecipeError, match=re.escape(message)):
        quiet(kernel, **options)


def test_the_text_says_what_the_kernel_is():
    source = generate(TRAJECTORY).source
    head = source[: source.index("from typing")]
    for line in (
        "refresh:",
        "1 to 5 times the map",
        "# r <- ",
        "accepted with the log ratio H(old) - H(new); rejected, the old state",
    ):
        assert line in head
    assert "def step(" not in source
