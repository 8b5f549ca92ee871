"""SVRG and SAGA: the estimates against plain numpy, their means over all minibatches, draws that do
not depend on threads or on where a run is stopped, and what is refused.
"""

from dataclasses import replace

import numpy as np
import pytest
from cases.samplers_of_a_regression import SGHMC, SGLD, C, U, X, theta, y
from cases.stopped_runs import run, stopped_run
from oracles import moving_reference as slow
from sympy import Matrix

from codegen import generate, sample
from recipe import Posterior, Recipe, RecipeError, bind, compose, metropolis, total
from recipe_cli.program.translation import translation_of
from verify import Verdict

rng = np.random.default_rng(3)
x_values = rng.normal(size=(12, 2))
y_values = x_values @ [1.0, -0.5] + rng.normal(size=12)
POSTERIOR = Posterior(
    theta, -((y - total(X * theta)) ** 2) / 2, -total(theta**2) / 2, {X: x_values, y: y_values}
)
POINTS = rng.normal(size=(9, 2))
BATCHES = [rng.permutation(12)[:4] for _ in POINTS]


class Estimates:
    """The compiled estimates of one chain, call after call."""

    def __init__(self, every=None, **options):
        module = generate(bind(SGLD, {U: POSTERIOR}), **options)
        self.loaded = module.load()
        (reference,) = module.references.values()
        self.function = getattr(self.loaded, reference.function)
        moved = {} if every is None else {reference.every: np.array([float(every)])}
        self.data = self.loaded.Data(
            **dict(sorted({"x": x_values, "y": y_values, **moved}.items()))
        )
        tables = [len(x_values)] if reference.tables else []
        self.state = self.loaded.allocate(POINTS[0], 4, False, *tables)

    def at(self, point, rows, state=None):
        g = np.full(2, np.inf)
        self.function(
            g, point, self.data, (), (), np.array(rows, dtype=np.int64), state or self.state
        )
        return g

    def copied(self):
        return self.loaded.State(*(np.copy(a) for a in self.state))


@pytest.fixture(scope="module")
def made():
    return {"svrg": lambda: Estimates(every=4, svrg=True), "saga": lambda: Estimates(saga=True)}


@pytest.mark.parametrize("name", ["svrg", "saga"])
def test_estimates_are_those_of_plain_numpy(made, name):
    ours = made[name]()
    found = [ours.at(point, rows) for point, rows in zip(POINTS, BATCHES, strict=True)]
    more = (4,) if name == "svrg" else ()
    wanted = getattr(slow, name)(POINTS, BATCHES, x_values, y_values, *more)
    np.testing.assert_allclose(found, wanted, rtol=1e-10)


@pytest.mark.parametrize("name", ["svrg", "saga"])
def test_estimates_are_unbiased_whatever_is_remembered(made, name):
    """The mean over the 12 minibatches of one row, after six others, is the gradient from all rows;
    single estimates are far from it.
    """
    ours = made[name]()
    for point, rows in zip(POINTS[:6], BATCHES[:6], strict=True):
        ours.at(point, rows)
    at = POINTS[7]
    found = np.array([ours.at(at, [n], ours.copied()) for n in range(12)])
    np.testing.assert_allclose(
        found.mean(0), slow.one_row(at, x_values, y_values).mean(0), rtol=1e-10
    )
    assert found.std(0).min() > 0.1


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"svrg": 7}, {"saga": True, "replace": False}])
def test_draws_do_not_depend_on_threads_or_on_where_a_run_stops(tmp_path, monkeypatch, options):
    whole = run(**options)
    one = run(threads=1, **options)
    for after in (4, 9, 13):
        stopped_run(tmp_path / "c", monkeypatch, after, **options)
    again = run(checkpoint=tmp_path / "c", **options)
    for block, values in whole.values.items():
        np.testing.assert_array_equal(values, one[block])
        np.testing.assert_array_equal(values, again[block])


@pytest.mark.slow
def test_another_number_of_steps_between_snapshots_is_another_run(tmp_path):
    run(checkpoint=tmp_path / "c", svrg=7)
    with pytest.raises(RecipeError, match="data every_U"):
        run(checkpoint=tmp_path / "c", svrg=8)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"svrg": 20}, {"saga": True, "replace": False}])
def test_the_law_is_the_posterior(options):
    """Means within five standard errors and standard deviations within a tenth, of 8 chains."""
    precision = x_values.T @ x_values + np.eye(2)
    mean = np.linalg.solve(precision, x_values.T @ y_values)
    draws = sample(
        SGHMC,
        POSTERIOR,
        steps=40_000,
        warmup=2000,
        step_size=0.02,
        params={C: 2},
        batch_size=4,
        chains=8,
        seed=1,
        progress=False,
        **options,
    )["theta"]
    error = draws.mean(1).std(0, ddof=1) / np.sqrt(8)
    assert np.all(np.abs(draws.mean((0, 1)) - mean) < 5 * error + 0.01)
    wanted = np.sqrt(np.diag(np.linalg.inv(precision)))
    assert draws.std((0, 1)) == pytest.approx(wanted, rel=0.1)


BAD = [
    ({"svrg": 10}, "svrg= is about minibatches: give batch_size="),
    ({"saga": True}, "saga= is about minibatches"),
    ({"svrg": 0, "batch_size": 4}, "svrg"),
    ({"svrg": True, "batch_size": 4}, "svrg"),
    ({"svrg": 3, "saga": True, "batch_size": 4}, "svrg= and saga= are two references"),
    (
        {"svrg": 3, "control_variates": True, "batch_size": 4},
        "control_variates= and svrg= are two references",
    ),
    ({"saga": True, "batch_size": 4}, "give replace=False"),
]


@pytest.mark.parametrize(("options", "message"), BAD)
def test_options_that_do_not_fit_are_one_sentence(options, message):
    with pytest.raises(RecipeError, match=message):
        sample(SGLD, POSTERIOR, steps=5, step_size=1e-3, progress=False, **options)


def test_what_has_no_rows_or_another_noise_is_refused():
    with pytest.raises(RecipeError, match="svrg= needs data"):
        generate(SGLD, total(theta**2), svrg=True)
    with pytest.raises(RecipeError, match="leave one of them out"):
        generate(SGHMC, POSTERIOR, svrg=True, compensate=True)
    closed = Posterior(theta, gradient=lambda theta, rows, g: None)
    with pytest.raises(RecipeError, match="saga= needs rows of data, and U has none"):
        generate(SGLD, closed, saga=True)
    law = Recipe((theta,), U, Matrix([[1]]), Matrix([[0]]))
    kernel = compose(metropolis(law, "euler"))
    with pytest.raises(RecipeError, match="saga= is about minibatches, and a Metropolis test"):
        generate(kernel, POSTERIOR, saga=True)


def of_rows(t, rows, x, y, g):
    """The gradient of minus the log posterior from some rows, for Numba."""
    g[:] = 0.0
    for n in rows:
        error = x[n, 0] * t[0] + x[n, 1] * t[1] - y[n]
        g += error * x[n]
    g *= x.shape[0] / rows.size
    g += t


def in_numpy(t, rows, x, y):
    """The same, for Python."""
    error = x[rows] @ t - y[rows]
    return len(x) / len(rows) * error @ x[rows] + t


OWN = {"svrg": {"svrg": 5}, "saga": {"saga": True, "replace": False}}


@pytest.mark.by_default(2)
@pytest.mark.parametrize(
    ("reduction", "gradient"),
    [("svrg", of_rows), ("svrg", in_numpy), ("saga", in_numpy), ("saga", of_rows)],
)
def test_a_gradient_of_ones_own_gives_the_draws_of_the_derived_one(reduction, gradient):
    """The same rows are drawn, so that draws differ by rounding alone; a text that took no rows for
    all of them would give the user's gradient an empty minibatch."""
    options = {
        "steps": 30, "step_size": 0.01, "batch_size": 4, "chains": 2, "progress": False,
        "initial": {theta: np.zeros(2)}, **OWN[reduction],
    }  # fmt: skip
    wanted = sample(SGLD, POSTERIOR, **options)["theta"]
    data = {X: x_values, y: y_values}
    own = Posterior(theta, data=data, gradient=gradient)
    found = sample(SGLD, own, **options)["theta"]
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("reduction", OWN)
def test_the_text_around_a_gradient_of_ones_own_is_proved(reduction):
    data = {X: x_values, y: y_values}
    own = Posterior(theta, data=data, gradient=of_rows)
    module = generate(SGLD, own, **{reduction: True})
    assert translation_of(module).verdict is Verdict.PROVED
    right, wrong = {
        "svrg": ("gradient, data.all_rows_U)", "gradient, rows)"),
        "saga": ("rows[n : n + 1])", "rows[: n + 1])"),
    }[reduction]
    changed = replace(module, source=module.source.replace(right, wrong))
    assert changed.source != module.source
    assert translation_of(changed).verdict is Verdict.REFUTED
