"""Minibatches, a gradient of one's own, control variates, compensation of the gradient's noise, and
schedules of the step size.
"""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import sympy
from cases.samplers_of_a_regression import SGHMC, SGLD, C, U, X, r, theta, y
from numba import njit
from scipy import stats
from sympy import Matrix, Rational, exp, log

from codegen import Constant, Cyclical, Density, Polynomial, generate, sample
from codegen.device.random import draw_rows
from recipe import (
    Parameter,
    Posterior,
    Potential,
    Recipe,
    RecipeError,
    Scalar,
    Vector,
    bind,
    discretise,
    grad,
    total,
)

HMC = Recipe(
    (theta, r), U + total(r**2) / 2, Matrix.zeros(2), Matrix([[0, -1], [1, 0]]), name="hmc"
)
rng = np.random.default_rng(1)
x_values = rng.normal(size=(200, 2))
y_values = x_values @ [1.0, -0.5] + rng.normal(size=200)
LINEAR = -((y - total(X * theta)) ** 2) / 2
ROWS = {X: x_values, y: y_values}
POSTERIOR = Posterior(theta, LINEAR, -total(theta**2) / 2, ROWS)
PRECISION = x_values.T @ x_values + np.eye(2)
MEAN = np.linalg.solve(PRECISION, x_values.T @ y_values)
U64 = np.uint64


def quiet(what, **options):
    return sample(
        what, **{"progress": False, "step_size": 1e-3, "steps": 50, "chains": 2, **options}
    )


def rows_of(n, count, step, *, replace):
    rows = np.zeros(n, dtype=np.int64)
    table = np.zeros(0 if replace else 2 << n.bit_length(), dtype=np.int64)
    draw_rows(rows, table, count, (U64(3), U64(7)), U64(step))
    return rows


@pytest.mark.parametrize(("n", "count"), [(1, 1), (3, 5), (5, 5), (64, 1000), (999, 1000)])
def test_rows_without_replacement_are_distinct(n, count):
    for step in range(20):
        rows = rows_of(n, count, step, replace=False)
        assert len(set(rows.tolist())) == n
        assert rows.min() >= 0
        assert rows.max() < count
        np.testing.assert_array_equal(rows, rows_of(n, count, step, replace=False))


def test_rows_without_replacement_are_a_uniform_subset():
    """All 20 subsets of 3 among 6, 20,000 draws: chi-squared with 19 degrees of freedom, level 1e-6
    (one seed, so it is fixed).
    """
    subsets, counts = {}, np.zeros(20)
    for step in range(20_000):
        key = tuple(sorted(rows_of(3, 6, step, replace=False).tolist()))
        counts[subsets.setdefault(key, len(subsets))] += 1
    assert len(subsets) == 20
    assert stats.chisquare(counts).pvalue > 1e-6


def test_rows_with_replacement_are_uniform():
    counts = np.bincount(
        np.concatenate([rows_of(10, 50, step, replace=True) for step in range(2000)]), minlength=50
    )
    assert stats.chisquare(counts).pvalue > 1e-6


@pytest.mark.slow
def test_minibatches_are_the_same_for_any_number_of_threads():
    options = {"batch_size": 20, "replace": False, "steps": 3000, "chains": 3}
    one, two = (quiet(bind(SGLD, {U: POSTERIOR}), threads=n, **options) for n in (1, 2))
    np.testing.assert_array_equal(one["theta"], two["theta"])
    assert not np.array_equal(
        one["theta"], quiet(bind(SGLD, {U: POSTERIOR}), **{**options, "replace": True})["theta"]
    )


@pytest.mark.slow
def test_a_batch_of_everything_without_replacement_is_the_whole_gradient():
    whole, batch = (
        quiet(bind(SGLD, {U: POSTERIOR}), batch_size=n, replace=False)["theta"] for n in (None, 200)
    )
    np.testing.assert_allclose(whole, batch, rtol=1e-10)


@njit
def own_gradient(theta, rows, x, y, g):
    scale = x.shape[0] / rows.size
    for i in range(theta.size):
        g[i] = theta[i]
    for row in rows:
        error = -y[row]
        for i in range(theta.size):
            error += x[row, i] * theta[i]
        for i in range(theta.size):
            g[i] += scale * error * x[row, i]


OWN = Posterior(theta, LINEAR, -total(theta**2) / 2, ROWS, gradient=own_gradient)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        pytest.param(
            {"batch_size": 10}, marks=pytest.mark.slow
        ),  # that with distinct rows is the harder one
        {"batch_size": 10, "replace": False},
        pytest.param(
            {"batch_size": 9, "compensate": True, "step_size": 1e-5}, marks=pytest.mark.slow
        ),
    ],
)
def test_a_gradient_of_ones_own_gives_the_draws_of_the_derived_one(options):
    derived, own = (quiet(bind(SGLD, {U: p}), **options)["theta"] for p in (POSTERIOR, OWN))
    np.testing.assert_allclose(derived, own, rtol=1e-9)


def own(function, count=200, likelihood=LINEAR):
    rows = {X: x_values[:count], y: y_values[:count]}
    prior = None if likelihood is None else -total(theta**2) / 2
    return bind(SGLD, {U: Posterior(theta, likelihood, prior, rows, gradient=function)})


def without_scale(theta, rows, x, y, g):
    own_gradient(theta, rows, x[: rows.size], y[: rows.size], g)


def adding(theta, rows, x, y, g):
    g += theta


def nothing(theta, rows, x, y, g):
    pass


def changing(theta, rows, x, y, g):
    own_gradient(theta, rows, x, y, g)
    theta *= 0.9


def raising(theta, rows, x, y, g):
    raise ValueError("no")


def not_compiling(theta, rows, x, y, g):
    g.nothing_like_it()


def too_few(theta, rows, x, y):
    pass


WRONG = [
    (without_scale, r"the gradient of your own by theta\[\d\] is .* rows, and the one derived"),
    (adding, "does not write a finite number into every coordinate"),
    (nothing, "does not write a finite number"),
    (changing, "changes its arguments"),
    (raising, "the gradient of your own fails: ValueError: no"),
    (not_compiling, "Numba cannot compile the gradient of your own: .*nothing_like_it"),
    (too_few, "the gradient of your own fails: TypeError"),
]


@pytest.mark.by_default(1)
@pytest.mark.parametrize(
    "options", [{"batch_size": 5}, {"batch_size": 5, "control_variates": True}]
)
@pytest.mark.parametrize(("function", "message"), WRONG, ids=lambda x: getattr(x, "__name__", ""))
def test_a_gradient_of_ones_own_that_is_wrong_is_refused(function, message, options):
    with pytest.raises(RecipeError, match=message):
        quiet(own(njit(function), 40), **options)


def test_a_gradient_without_a_likelihood_is_still_called_once():
    with pytest.raises(RecipeError, match="does not write a finite number"):
        quiet(own(njit(nothing), likelihood=None), batch_size=5)
    with pytest.raises(RecipeError, match="needs gradient="):
        Posterior(theta, None, -total(theta**2) / 2, ROWS)
    with pytest.raises(RecipeError, match="is not a function"):
        Posterior(theta, LINEAR, -total(theta**2) / 2, ROWS, gradient=3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "control_variates"), [(Scalar, False), (Vector, False), (Vector, True)]
)
def test_a_gradient_of_ones_own_gets_the_blocks_as_the_posterior_names_them(kind, control_variates):
    a, b = kind("a"), kind("b")
    sum_of = total if kind is Vector else lambda e: e
    V = Potential("V", a, b)
    likelihood = -((y - sum_of(a) - 2 * sum_of(b)) ** 2) / 2
    prior = -sum_of(a**2) / 2 - sum_of(b**2)

    @njit
    def backwards(b, a, rows, y, g_b, g_a):
        g_a[:], g_b[:] = a, 2 * b
        for row in rows:
            error = (a.sum() + 2 * b.sum() - y[row]) * y.size / rows.size
            g_a += error
            g_b += 2 * error

    both = Recipe((a, b), V, sympy.eye(2), sympy.zeros(2))
    laws = [
        Posterior((b, a), likelihood, prior, {y: y_values}, gradient=g) for g in (None, backwards)
    ]
    options = {
        "lengths": {"a": 2, "b": 1} if kind is Vector else None,
        "batch_size": 20,
        "control_variates": control_variates,
    }
    derived, ours = (quiet(bind(both, {V: law}), **options) for law in laws)
    for block in ("a", "b"):
        np.testing.assert_allclose(derived[block], ours[block], rtol=1e-8)


@pytest.mark.slow
def test_an_edited_gradient_of_ones_own_is_never_stale(tmp_path, monkeypatch):
    """Numba's cache on disk would serve the old machine code of an imported function after its
    source has changed.
    """
    program = textwrap.dedent("""
        import sys, numpy as np
        sys.path.insert(0, {here!r})
        from sympy import Matrix
        from recipe import *
        from codegen import sample
        from mine import gradient
        theta, y = Vector("theta"), Data("y")
        U = Potential("U", theta)
        law = Posterior(theta, None, 0, {{y: np.ones(3)}}, gradient=gradient)
        sgld = bind(Recipe(theta, U, Matrix([[1]]), Matrix([[0]])), {{U: law}})
        draws = sample(sgld, step_size=0.1, steps=5, chains=1, lengths={{theta: 2}}, progress=False)
        print(repr(float(draws["theta"][0, -1, 0])))
    """).format(here=str(tmp_path))
    text = (
        "from numba import njit\n@njit(cache={cache})\ndef gradient(theta, rows, y, g):\n    g[:] ="
        " {k} * theta\n"
    )

    def run(k, cache=True):
        (tmp_path / "mine.py").write_text(text.format(k=k, cache=cache))
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        return done.stdout

    monkeypatch.setenv("RECIPE_CACHE", str(tmp_path / "cache"))
    first, edited, again = run("1.0"), run("3.0"), run("1.0")
    assert first != edited
    assert first == again


def test_the_density_is_the_posterior():
    density = Density(POSTERIOR)
    mode = density.mode()[theta]
    np.testing.assert_allclose(mode, MEAN, rtol=1e-6)
    at = np.array([0.3, -1.0])
    error = y_values - x_values @ at
    assert density.potential({"theta": at}) == pytest.approx(
        (error @ error + at @ at) / 2, rel=1e-12
    )
    np.testing.assert_allclose(
        density.gradient({theta: at})[theta], PRECISION @ at - x_values.T @ y_values, rtol=1e-10
    )
    rows = np.array([4, 4, 90])
    estimate = at - 200 / 3 * x_values[rows].T @ error[rows]
    np.testing.assert_allclose(density.gradient({theta: at}, rows)[theta], estimate, rtol=1e-10)


@pytest.mark.slow
def test_a_mode_that_is_not_there_is_an_error():
    x = Scalar("x")
    rising = Density(Posterior(x, x * y, 0 * C, {y: np.ones(3)}))
    with pytest.raises(RecipeError, match="no mode was found"):
        rising.mode()
    assert rising.potential({x: -1.0}) == pytest.approx(3.0)


def gradients_at(posterior, at, batches, **options):
    """The estimates that ``run`` makes at one point, batch by batch, and the state that they were
    made in.
    """
    module = generate(bind(SGLD, {U: posterior}), **options)
    loaded = module.load()
    estimator = module.estimators[U]
    found = []
    arrays = {"x": x_values, "y": y_values}
    if estimator.control is not None:
        gradient = PRECISION @ MEAN - x_values.T @ y_values
        arrays |= dict(
            zip(
                (*estimator.control.modes, *estimator.control.at_mode),
                (MEAN, gradient),
                strict=True,
            )
        )
    data = loaded.Data(**arrays)
    state = loaded.allocate(at, 10)
    for t in range(batches):
        draw_rows(state.rows, state.table, 200, (U64(0), U64(5)), U64(t))
        g = np.zeros(2)
        if estimator.average is not None:
            getattr(loaded, estimator.average.function)(g, at, data, (), (), state.rows, state)
        elif estimator.control is not None:
            getattr(loaded, estimator.control.function)(g, at, data, (), (), state.rows, state)
        else:
            loaded.gradient_U(g, at, data, (), (), state.rows)
        found.append(g)
    return np.array(found), state


@pytest.mark.slow
def test_control_variates_are_unbiased_and_vary_less_near_the_mode():
    """2000 batches of 10 at a point half a posterior deviation away: the mean is within 5 standard
    errors of the whole gradient.
    """
    at = MEAN + 0.5 / np.sqrt(np.diag(PRECISION))
    exact = PRECISION @ at - x_values.T @ y_values
    plain, _ = gradients_at(POSTERIOR, at, 2000)
    controlled, _ = gradients_at(POSTERIOR, at, 2000, control_variates=True)
    for g in (plain, controlled):
        assert np.all(np.abs(g.mean(0) - exact) < 5 * g.std(0) / np.sqrt(2000))
    assert np.all(controlled.var(0) < 0.02 * plain.var(0))


@pytest.mark.slow
def test_control_variates_sample_the_posterior_and_start_at_the_mode():
    target = bind(SGLD, {U: POSTERIOR})
    draws = quiet(
        target,
        batch_size=10,
        control_variates=True,
        steps=40_000,
        warmup=1000,
        step_size=2e-3,
        keep="theta",
    )["theta"]
    deviation = np.sqrt(np.diag(np.linalg.inv(PRECISION)))
    assert np.all(np.abs(draws.mean((0, 1)) - MEAN) < 0.1 * deviation)
    given = quiet(
        target, batch_size=10, control_variates={"theta": MEAN}, steps=3, step_size=1e-12
    )["theta"]
    np.testing.assert_allclose(given[:, 0], np.broadcast_to(MEAN, (2, 2)), atol=1e-4)
    with pytest.raises(RecipeError, match="control_variates= is about minibatches"):
        quiet(target, control_variates=True)
    with pytest.raises(RecipeError, match="control_variates= needs data"):
        quiet(bind(SGLD, {U: total(theta**2)}), control_variates=True, lengths={theta: 2})
    with pytest.raises(RecipeError, match="no value for theta"):
        quiet(target, batch_size=10, control_variates={})


@pytest.mark.slow
@pytest.mark.parametrize("replace", [True, False])
def test_the_estimated_variance_is_that_of_the_gradient(replace):
    """The average over 3000 batches of the estimate, beside the exact variance of the mean of 10 of
    the 200 row gradients.
    """
    at = np.array([0.2, 0.1])
    module = generate(bind(SGLD, {U: POSTERIOR}), scheme="euler", compensate=True)
    loaded, estimator = module.load(), module.estimators[U]
    state = loaded.allocate(at, 10, replace)
    data, g = loaded.Data(x_values, y_values), np.zeros(2)
    estimates = []
    for t in range(3000):
        draw_rows(state.rows, state.table, 200, (U64(0), U64(5)), U64(t))
        state.calls_U[0] = 0.0
        getattr(loaded, estimator.average.function)(g, at, data, (), (), state.rows, state)
        estimates.append(state.variance_U_theta.copy())
    each = -x_values * (y_values - x_values @ at)[:, None]
    exact = 200**2 * (each.var(0) / 10 if replace else each.var(0, ddof=1) / 10 * (1 - 10 / 200))
    estimates = np.array(estimates)
    assert np.all(np.abs(estimates.mean(0) - exact) < 5 * estimates.std(0) / np.sqrt(3000))


@pytest.mark.slow
def test_compensation_takes_the_noise_of_the_gradient_off():
    """SGLD on a linear regression at a step where the noise of the gradient adds half to the
    variance of what is drawn.

    Without compensation the variances are 1.41 and 1.34 times the exact ones, and differ from seed
    to seed by 0.02.
    """
    target, step = bind(SGLD, {U: POSTERIOR}), 2e-4
    options = {
        "batch_size": 10,
        "steps": 240_000,
        "warmup": 2000,
        "step_size": step,
        "initial": {"theta": MEAN},
    }
    exact = np.diag(np.linalg.inv(PRECISION))
    plain, compensated = (
        quiet(target, compensate=c, **options)["theta"].var((0, 1)) / exact for c in (False, True)
    )
    assert np.all(plain > 1.3)
    assert np.all(np.abs(compensated - 1) < 0.12)


def test_compensation_is_refused_where_nothing_can_make_the_noise_good():
    with pytest.raises(
        RecipeError, match=r"the noise of the gradient reaches r, where D\[r, r\] = 0"
    ):
        discretise(HMC, "euler", compensate=True)
    both = Recipe(
        (theta, r), U + total(r**2) / 2, Matrix([[1, 0], [0, 1]]), Matrix([[0, -1], [1, 0]])
    )
    with pytest.raises(RecipeError, match="moves theta and r with the same noise"):
        discretise(both, "euler", compensate=True)
    with pytest.raises(RecipeError, match="needs a Potential"):
        discretise(bind(SGLD, {U: total(theta**2)}), "euler", compensate=True)
    with pytest.raises(RecipeError, match="bind a Posterior"):
        generate(SGLD, compensate=True)
    with pytest.raises(RecipeError, match="batch_size of 2 or more"):
        quiet(bind(SGLD, {U: POSTERIOR}), compensate=True, batch_size=1)


@pytest.mark.slow
def test_the_noise_budget_is_kept():
    target = bind(SGLD, {U: POSTERIOR})
    with pytest.raises(
        RecipeError,
        match=r"step_size=0.02 is beyond the noise budget at the first state, .* up to the step"
        r" size 0.00",
    ):
        quiet(target, compensate=True, batch_size=10, step_size=0.02, initial={"theta": MEAN})
    rule = discretise(SGHMC, "semi-implicit", compensate=True).rule
    assert "V_U_theta" in str(dict(rule)[r])
    # The prior pulls a chain from a place where the noise is small to one where it is large.
    far = Posterior(theta, LINEAR, -200 * total((theta - Rational(4)) ** 2), ROWS)
    options = {
        "compensate": True,
        "batch_size": 10,
        "step_size": 1.5e-4,
        "steps": 3000,
        "initial": {"theta": MEAN},
    }
    stopped = quiet(bind(SGLD, {U: far}), **options)
    assert len(stopped.divergences) == 2
    assert "the noise of the gradient is beyond its budget" in str(stopped.divergences[0])


def test_schedules_are_their_formulas():
    t = np.arange(0, 2000, dtype=float)
    np.testing.assert_allclose(Polynomial(0.1, 10, 0.55).at(t), 0.1 * (1 + t / 10) ** -0.55)
    np.testing.assert_allclose(
        Cyclical(0.2, 500).at(t), 0.1 * (np.cos(np.pi * (t % 500) / 500) + 1)
    )
    assert np.all(Constant(0.3).at(t) == 0.3)
    for bad in (
        lambda: Polynomial(0.1, -1, 1),
        lambda: Cyclical(0.1, 0),
        lambda: Constant(float("nan")),
    ):
        with pytest.raises(RecipeError, match="must be a"):
            bad()


@pytest.mark.slow
def test_a_schedule_is_what_the_kernel_uses_step_by_step():
    """theta' = theta - h_t theta + sqrt(2 h_t) w: the same noise with every h_t one after
    another.
    """
    target = bind(SGLD, {U: total(theta**2) / 2})
    schedule = Polynomial(0.1, 5, 0.8)
    draws = quiet(
        target,
        step_size=schedule,
        steps=12,
        warmup=2,
        thin=2,
        lengths={theta: 3},
        initial={theta: [1.0, 2.0, 3.0]},
    )
    np.testing.assert_array_equal(draws.step_sizes, schedule.at(np.array([3.0, 5, 7, 9, 11])))
    module = generate(target)
    loaded = module.load()
    state, keep = loaded.allocate(np.array([1.0, 2.0, 3.0])), loaded.Draws(np.zeros((5, 3)))
    for t in range(12):
        h = float(schedule.at(np.array([float(t)]))[0])
        loaded.run(state, keep, (), (), h, (), U64(0), 1, t, 1, 2, 2)
    np.testing.assert_array_equal(draws["theta"][1], keep.theta)
    assert draws.groups()["sample_stats"].variables["step_size"].values.shape == (2, 5)
    with pytest.raises(RecipeError, match="has come down to 0 in step"):
        quiet(target, step_size=Polynomial(1e-300, 1e-3, 5), lengths={theta: 1}, steps=100)


@pytest.mark.slow
def test_a_constant_schedule_in_pieces_is_the_constant_run():
    target = bind(SGLD, {U: POSTERIOR})
    np.testing.assert_array_equal(
        quiet(target)["theta"], quiet(target, step_size=Constant(1e-3))["theta"]
    )


@pytest.mark.slow
def test_a_step_near_its_bound_is_said():
    options = {"lengths": {theta: 4}, "steps": 3000}

    def about_the_bound(what, **given):
        """The bias of such steps is said as well."""
        said = quiet(bind(what, {U: total(theta**2) / 2}), **options, **given).warnings
        return [w for w in said if "near its stability bound" in w]

    assert about_the_bound(SGLD, step_size=1.2) == []
    assert len(about_the_bound(SGLD, step_size=1.5)) == 1
    assert about_the_bound(SGHMC, step_size=0.5, params={"C": 0.1}) == []
    assert len(about_the_bound(SGHMC, step_size=1.6, params={"C": 0.1})) == 1


@pytest.mark.slow
def test_memory_mapped_data_are_neither_copied_nor_read_through(tmp_path):
    mapped = np.lib.format.open_memmap(tmp_path / "x.npy", "w+", np.float64, (200, 2))
    mapped[:] = x_values
    labels = np.memmap(tmp_path / "y.bin", np.float32, "w+", shape=(200,))
    labels[:] = np.round(y_values, 2)
    law = Posterior(theta, LINEAR, -total(theta**2) / 2, {X: mapped, y: labels})
    plain = Posterior(
        theta, LINEAR, -total(theta**2) / 2, {X: x_values, y: np.array(labels, dtype=np.float64)}
    )
    a, b = (quiet(bind(SGLD, {U: p}), batch_size=20)["theta"] for p in (law, plain))
    np.testing.assert_allclose(a, b, rtol=1e-12)
    mapped[150, 1] = np.nan  # neither copied, nor looked at before a chain meets it
    draws = quiet(bind(SGLD, {U: law}), batch_size=20, steps=500)
    assert draws.divergences
    assert "row 150 of the data of x contains a value that is not finite" in draws.warnings
    half = np.memmap(tmp_path / "z.bin", np.float16, "w+", shape=(200,))
    with pytest.raises(RecipeError, match="memory-mapped as float16"):
        quiet(bind(SGLD, {U: Posterior(theta, LINEAR, -total(theta**2) / 2, {X: mapped, y: half})}))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [bool, np.float32, np.int8, np.uint8, np.uint64])
def test_data_of_any_type_are_read_as_numbers(tmp_path, dtype):
    labels = (y_values > 0).astype(dtype)
    in_file = np.memmap(tmp_path / "y.bin", dtype, "w+", shape=(200,))
    in_file[:] = labels
    likelihood = -log(1 + exp(-(2 * y - 1) * total(X * theta))) - y
    laws = [
        Posterior(theta, likelihood, -total(theta**2) / 2, {X: x_values, y: v})
        for v in (labels.astype(float), labels, in_file)
    ]
    a, b, c = (quiet(bind(SGLD, {U: p}), batch_size=20)["theta"] for p in laws)
    np.testing.assert_allclose(a, b, rtol=1e-12)
    np.testing.assert_allclose(a, c, rtol=1e-12)


@pytest.mark.slow
def test_a_large_file_is_never_loaded(tmp_path):
    """1 GB on disk: the process's own memory grows by less than a tenth of that, compiler and draws
    included.
    """
    script = Path(__file__).parents[3] / "benchmarks" / "memory_mapped.py"
    call = [sys.executable, str(script), str(tmp_path), "--gigabytes", "1", "--json"]
    found = json.loads(subprocess.run(call, capture_output=True, text=True, check=True).stdout)
    assert found["rows"] == 1_250_000
    assert found["own_megabytes_largest"] - found["own_megabytes_before"] < 100
    assert found["largest_error_of_a_mean"] < 0.02


def test_masked_data_are_refused():
    masked = np.ma.array(y_values, mask=y_values > 2)
    with pytest.raises(RecipeError, match="the data of y has masked values"):
        quiet(
            bind(
                SGLD, {U: Posterior(theta, LINEAR, -total(theta**2) / 2, {X: x_values, y: masked})}
            )
        )


K = Parameter("k", like=theta, positive=True)


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, K], ids=str)
def test_control_variates_with_a_gradient_of_ones_own_and_parameters(k):
    law = Posterior(theta, LINEAR, -total(k * theta**2) / 2, ROWS)
    own = Posterior(theta, LINEAR, -total(k * theta**2) / 2, ROWS, gradient=own_gradient)
    options = {
        "params": {"k": np.ones(2)} if k is K else {},
        "batch_size": 10,
        "control_variates": True,
    }
    a, b = (quiet(bind(SGLD, {U: p}), **options)["theta"] for p in (law, own))
    np.testing.assert_allclose(a, b, rtol=1e-9)


@pytest.mark.slow
def test_compensation_with_parameters():
    tau = sympy.Symbol("tau", positive=True)
    law = Posterior(theta, tau * LINEAR, -total(theta**2) / 2, ROWS)
    draws = quiet(
        bind(SGLD, {U: law}), params={"tau": 1.0}, compensate=True, batch_size=10, step_size=1e-5
    )
    np.testing.assert_allclose(
        draws["theta"],
        quiet(bind(SGLD, {U: POSTERIOR}), compensate=True, batch_size=10, step_size=1e-5)["theta"],
        rtol=1e-9,
    )


def test_compensation_is_for_a_recipe_whose_noise_does_not_depend_on_the_gradient():
    with pytest.raises(RecipeError, match="a printed rule is taken as it stands"):
        generate(discretise(SGLD, "euler"), posteriors={U: POSTERIOR}, compensate=True)
    moving = Recipe(theta, U, Matrix([[1 + grad(U, theta) ** 2]]), Matrix([[0]]))
    with pytest.raises(RecipeError, match="D or Q contains the gradient of a potential"):
        discretise(moving, "euler", compensate=True)


BAD = [
    ({"initial": [0.0]}, "initial=.* must be a dict"),
    ({"lengths": [2]}, "lengths=.* must be a dict"),
    ({"params": [2]}, "params=.* must be a dict"),
    ({"keep": 3}, "keep=3 must be blocks"),
    ({"checkpoint": 3}, "checkpoint=3 must be the path"),
    ({"control_variates": "mode"}, "control_variates='mode' must be True, False, or the mode"),
    (
        {"control_variates": {"mu": 0.0}, "batch_size": 5},
        "control_variates= names mu, which is no block of a posterior",
    ),
    ({"control_variates": {"theta": [0.0]}, "batch_size": 5}, r"control_variates\['theta'\]"),
    ({"compensate": "yes"}, "compensate='yes' must be True or False"),
    ({"replace": 1}, "replace=1 must be True or False"),
    ({"thin": 2**70}, "thin=.* and at most"),
]


@pytest.mark.parametrize(("options", "message"), BAD)
def test_arguments_that_are_something_else_are_one_sentence(options, message):
    with pytest.raises(RecipeError, match=message):
        quiet(bind(SGLD, {U: POSTERIOR}), **options)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (3, "data= is of the type int, and must be a dict"),
        (None, "log_likelihood uses x, and data= has no array for it"),
        ({"x": x_values}, "data= has the key 'x', which is no Data symbol"),
        ({X: [[1.0], [1.0, 2.0]], y: y_values}, "the data of x must be an array"),
        (
            {X: x_values, y: np.full(200, "2020-01-01", dtype="M8[D]")},
            "the data of y must be an array",
        ),
    ],
)
def test_data_that_are_no_numbers_are_one_sentence(data, message):
    with pytest.raises(RecipeError, match=message):
        quiet(bind(SGLD, {U: Posterior(theta, LINEAR, -total(theta**2) / 2, data)}))


def test_langevin_on_several_blocks_evaluates_one_gradient_a_step():
    mu = Scalar("mu")
    law = Posterior(
        (mu, theta), -((y - mu - total(X * theta)) ** 2) / 2, -total(theta**2) / 2 - mu**2, ROWS
    )
    module = generate(bind(SGLD, {U: law}))
    assert module.source.count("draw_rows(state.rows") == 1


@pytest.mark.slow
def test_a_long_run_that_keeps_little_needs_little_memory():
    target = bind(SGLD, {U: total(theta**2) / 2})
    options = {"lengths": {theta: 1}, "chains": 1, "step_size": Polynomial(0.1, 10, 0.5)}
    quiet(target, **options, steps=100)  # to compile needs memory too
    tracemalloc.start()
    draws = quiet(target, **options, steps=5_000_000, thin=500_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert draws.step_sizes.shape == (10,)
    assert peak < 5_000_000 * 8
