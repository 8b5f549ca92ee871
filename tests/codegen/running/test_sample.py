"""``sample``: reproducible whatever the threads and chunks, honest about what is missing, and right
in distribution.
"""

from __future__ import annotations

import _thread
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest
import sympy
from numba import njit
from sympy import Interval, Matrix, Symbol, exp, log, oo

from codegen import DivergenceWarning, generate, sample
from codegen.running.chains import Chain, run_chains
from recipe import (
    Data,
    Dense,
    Parameter,
    Posterior,
    Potential,
    Recipe,
    RecipeError,
    Scalar,
    Simplex,
    Update,
    Vector,
    bind,
    total,
)

theta = Vector("theta")
r = Vector("r", like=theta)
U = Potential("U", theta)
A, C = sympy.symbols("A C", positive=True)
k = Parameter("k", like=theta, positive=True)
SGHMC = Recipe(
    (theta, r),
    U + A * total(r**2) / 2,
    Matrix([[0, 0], [0, C]]),
    Matrix([[0, -1], [1, 0]]),
    name="sghmc",
)
NORMAL = bind(
    Recipe(theta, U, Matrix([[1]]), Matrix([[0]]), name="normal"), {U: total(theta**2) / 2}
)
VALUES = {"A": 1.0, "C": 0.5}

X, y = Data("x", like=theta), Data("y")
eta = total(X * theta)
rng = np.random.default_rng(0)
x_values = rng.normal(size=(60, 3))
labels = (rng.random(60) < 1 / (1 + np.exp(-x_values @ [1.0, -1.0, 0.5]))).astype(float)


def posterior(**data):
    return Posterior(
        theta,
        y * eta - log(1 + exp(eta)),
        -total(k * theta**2) / 2,
        {X: data.get("x", x_values), y: data.get("y", labels)},
    )


BAYES = bind(SGHMC, {U: posterior()})
BAYES_VALUES = {**VALUES, "k": np.ones(3)}


@njit(error_model="numpy")
def unit(g, x):
    for i in range(x.size):
        g[i] = x[i]


def quiet(what, **options):
    return sample(
        what, **{"progress": False, "step_size": 0.05, "steps": 40, "chains": 2, **options}
    )


def bayes(**options):
    return quiet(BAYES, **{"params": BAYES_VALUES, "batch_size": 10, "keep": "all", **options})


@pytest.mark.slow
def test_draws_are_the_same_for_any_number_of_threads_and_other_chains():
    one, two = bayes(threads=1, steps=3000, chains=3), bayes(threads=2, steps=3000, chains=3)
    fewer = bayes(chains=2, steps=3000)
    for block in ("theta", "r"):
        np.testing.assert_array_equal(one[block], two[block])
        np.testing.assert_array_equal(one[block][:2], fewer[block])
    assert not np.any(one["theta"][0] == one["theta"][1])
    assert not np.any(one["theta"][0] == bayes(seed=1, steps=3000)["theta"][0])


def test_a_run_that_is_split_is_the_same_run_bit_for_bit():
    loaded = generate(BAYES).load()
    params, data = loaded.Params(A=1.0, C=0.5, k=np.ones(3)), loaded.Data(x=x_values, y=labels)

    def run(splits):
        state = loaded.allocate(np.zeros(3), np.full(3, 0.1), 5)
        draws = loaded.Draws(np.zeros((20, 3)), np.zeros((20, 3)))
        start = 0
        for steps in splits:
            done, guilty = loaded.run(
                state, draws, (), data, 0.1, params, np.uint64(7), 1, start, steps, 10, 2
            )
            start += steps
            assert (done, guilty) == (start, -1)
        return draws

    for a, b in zip(run([50]), run([1, 13, 0, 36]), strict=True):
        assert np.all(a != 0)
        np.testing.assert_array_equal(a, b)


@pytest.mark.slow
def test_warmup_thinning_and_keep_select_from_the_same_run():
    everything, some = bayes(steps=40), bayes(steps=40, warmup=10, thin=7, keep="theta")
    np.testing.assert_array_equal(some["theta"], everything["theta"][:, 16::7])
    assert list(some.values) == ["theta"]
    with pytest.raises(RecipeError, match="no draws of r; kept were theta"):
        some["r"]


@pytest.mark.slow
def test_sgld_has_the_variance_of_the_discrete_chain():
    """theta' = (1 - h) theta + sqrt(2 h) w has the variance 1/(1 - h/2); its mean square over n
    steps of m independent coordinates has the relative standard error sqrt(2/(m n) * (1 + q)/(1 -
    q)), q = (1 - h)^2, and four of them are allowed.
    """
    h, d, steps = 0.05, 400, 20_000
    draws = quiet(
        NORMAL,
        step_size=h,
        steps=steps + 400,
        warmup=400,
        lengths={"theta": d},
        keep=[theta],
        thin=10,
    )["theta"]
    q = (1 - h) ** 20
    error = np.sqrt(2 / (2 * d * steps / 10) * (1 + q) / (1 - q))
    assert abs((draws**2).mean() * (1 - h / 2) - 1) < 4 * error


@pytest.mark.slow
def test_minibatch_sampling_finds_the_posterior():
    """Against the mode with a Laplace approximation: within half a posterior standard deviation for
    each coordinate.
    """
    draws = bayes(step_size=0.02, steps=40_000, warmup=2000, thin=10, batch_size=30)["theta"]
    at = np.zeros(3)
    for _ in range(30):
        p = 1 / (1 + np.exp(-x_values @ at))
        hessian = x_values.T @ (x_values * (p * (1 - p))[:, None]) + np.eye(3)
        at -= np.linalg.solve(hessian, x_values.T @ (p - labels) + at)
    deviation = np.sqrt(np.diag(np.linalg.inv(hessian)))
    assert np.all(np.abs(draws.mean((0, 1)) - at) < 0.5 * deviation)


def test_a_divergence_stops_its_chain_and_is_reported():
    kicked = bind(Recipe(theta, U, Matrix([[1]]), Matrix([[0]])), {U: total(theta**4) / 4})
    draws = quiet(kicked, step_size=0.1, steps=30, initial={"theta": [[0.1, 0.1], [0.1, 1e3]]})
    (divergence,) = draws.divergences
    assert (divergence.chain, divergence.block) == (1, "theta")
    assert draws.counts.tolist() == [30, divergence.step]
    assert "chain 1 diverged in step" in str(divergence)
    assert np.all(np.isfinite(draws["theta"][0]))
    assert np.all(np.isfinite(draws["theta"][1, : divergence.step]))
    assert np.all(np.isnan(draws["theta"][1, divergence.step :]))


def test_chains_that_stopped_are_in_the_warnings_once_and_python_warns():
    """``draws.warnings`` was empty, and the arrays ended in NaN without a word."""
    kicked = bind(Recipe(theta, U, Matrix([[1]]), Matrix([[0]])), {U: total(theta**4) / 4})
    starts = [[0.1, 0.1], [0.1, 1e3], [0.2, 0.1], [1e3, 0.1]]
    options = {"step_size": 0.1, "steps": 30, "chains": 4, "seed": 1, "progress": False}
    with pytest.warns(DivergenceWarning, match="2 of 4 chains stopped early.*chain 1 .*chain 3"):
        draws = sample(kicked, **options, initial={"theta": starts})
    said = tuple(map(str, draws.divergences))
    assert [d.chain for d in draws.divergences] == [1, 3]
    assert draws.warnings[:2] == said
    shown = " ".join(str(draws).split())
    assert [shown.count(s) for s in (*said, *draws.warnings)] == [1] * (2 + len(draws.warnings))
    with warnings.catch_warnings():
        warnings.simplefilter("error", DivergenceWarning)
        good = sample(kicked, **options, initial={"theta": [0.1, 0.1]})
    assert not good.divergences
    assert not any("chain 1" in w for w in good.warnings)


@pytest.mark.slow
@pytest.mark.parametrize("gradient", [{"U": unit.py_func}, unit], ids=["plain", "compiled"])
def test_a_gradient_of_ones_own(gradient):
    a = quiet(SGHMC, params=VALUES, lengths={"theta": 3}, gradient=gradient)

    def with_data(x, rows, labels, g):
        unit(g, x)

    own = Posterior(theta, None, 0 * A, {y: [1.0]}, gradient=with_data)
    b = quiet(bind(SGHMC, {U: own}), params=VALUES, lengths={theta: 3})
    np.testing.assert_allclose(a["theta"], b["theta"], rtol=1e-12 if gradient is not unit else 0)


def test_a_gradient_that_is_missing_does_not_compile_or_is_not_needed_is_said():
    with pytest.raises(RecipeError, match="U has no gradient: give"):
        quiet(SGHMC, params=VALUES, lengths={theta: 3})
    with pytest.raises(RecipeError, match="Numba cannot compile"):
        quiet(SGHMC, params=VALUES, lengths={theta: 3}, gradient=lambda g, x: g.nothing_like_it(x))
    with pytest.raises(RecipeError, match="not needed"):
        quiet(BAYES, params=BAYES_VALUES, gradient=unit)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"params": {"C": 1.0}},
            r"missing parameters: A, k; give them as params=\{'A': \.\.\., 'k': \.\.\.\}",
        ),
        ({"params": {**BAYES_VALUES, "Z": 1}}, "unknown parameters: Z; the parameters are A, C, k"),
        ({"params": {**BAYES_VALUES, "A": -1.0}}, r"params\['A'\] = -1.0 must be positive"),
        (
            {"params": {**BAYES_VALUES, "A": float("nan")}},
            r"params\['A'\] contains a value that is not finite",
        ),
        (
            {"params": {**BAYES_VALUES, "A": "one"}},
            r"params\['A'\] must be a number of floats, not str",
        ),
        (
            {"params": {**BAYES_VALUES, "k": np.ones(4)}},
            r"params\['k'\] makes the length of theta 4, but the data of x",
        ),
        (
            {"params": {**BAYES_VALUES, "k": np.ones((2, 2, 2))}},
            r"params\['k'\] must be an array of one dimension, but it has the shape \(2, 2, 2\)",
        ),
        ({"step_size": 0.0}, "step_size=0.0 must be a finite number above 0"),
        ({"step_size": "fast"}, "step_size='fast' must be a number above 0"),
        ({"steps": 1.5}, "steps=1.5 must be a whole number"),
        ({"steps": 5, "warmup": 5}, "keep no draw; raise steps"),
        ({"chains": 0}, "chains=0"),
        ({"seed": -1}, "seed=-1"),
        ({"batch_size": 61}, "batch_size=61 must be a whole number, at least 1 and at most 60"),
        ({"keep": ["xi"]}, "keep= names xi, which is no block; the blocks are theta, r"),
        ({"initial": {"theta": np.zeros(2)}}, r"initial\['theta'\] makes the length of theta 2"),
        ({"initial": {"theta": np.zeros((3, 3))}}, "3 rows for 2 chains"),
        ({"initial": {"psi": 0.0}}, "initial= names psi"),
        ({"lengths": {"theta": 5}}, "makes the length of theta 3, but lengths= makes it 5"),
        ({"lengths": {"psi": 5}}, "lengths= names psi"),
        ({"scheme": "magic"}, "there is no scheme 'magic'"),
        ({"order": ["r"]}, "must name each block"),
    ],
)
def test_bad_arguments_are_named_before_anything_runs(options, message):
    with pytest.raises(RecipeError, match=message):
        bayes(**options)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            {"x": x_values[:, 0]},
            r"the data of x must be an array of two dimensions, but it has the shape \(60,\)",
        ),
        ({"x": x_values[:-1]}, "different numbers of rows: x has 59, y has 60"),
        ({"y": np.full(60, np.inf)}, "the data of y contains a value that is not finite"),
        ({"x": x_values[:0], "y": labels[:0]}, "has no row"),
        ({"x": x_values[:, :0]}, "the data of x has no column"),
        ({"y": labels + 1j}, "the data of y is complex"),
    ],
)
def test_bad_data_is_named(data, message):
    with pytest.raises(RecipeError, match=message):
        quiet(bind(SGHMC, {U: posterior(**data)}), params=BAYES_VALUES)


@pytest.mark.slow
def test_matrices_are_checked():
    M = Dense("M", theta, positive=True)
    recipe = Recipe(theta, total(theta**2) / 2, Matrix([[M]]), Matrix([[0]]))
    with pytest.raises(RecipeError, match=r"params\['M'\] must be symmetric"):
        quiet(recipe, params={"M": [[1.0, 0.5], [0.0, 1.0]]})
    with pytest.raises(RecipeError, match=r"params\['M'\] is not positive definite"):
        quiet(recipe, params={M: [[1.0, 2.0], [2.0, 1.0]]})
    assert quiet(recipe, params={M: np.eye(2)})["theta"].shape == (2, 40, 2)


def test_without_a_length_there_is_no_run():
    with pytest.raises(
        RecipeError,
        match=r"the length of theta is not known; give it as lengths=\{'theta': \.\.\.\}",
    ):
        quiet(NORMAL)


@pytest.mark.slow
def test_first_states_lie_in_their_domains():
    eps = Symbol("epsilon", positive=True)
    domains = {
        "a": Interval.open(0, oo),
        "b": Interval.open(-oo, 2),
        "c": Interval.open(1, 4),
        "s": Simplex(),
    }
    blocks = [*(Vector(name, domain=domain) for name, domain in domains.items()), Scalar("x")]
    still = Update(eps, {b: b for b in blocks}, total(blocks[0]))
    draws = quiet(
        still, steps=1, lengths={"a": 2, "b": 2, "c": 2, "s": 3}, initial={"x": [1.0, 2.0]}
    )
    np.testing.assert_allclose(draws["c"], 2.5)
    np.testing.assert_allclose(draws["b"], 1.0)
    np.testing.assert_allclose(draws["s"], 0.25)
    assert np.all(draws["a"] > 0)
    assert np.ptp(draws["a"]) > 0
    np.testing.assert_array_equal(draws["x"], [[1.0], [2.0]])
    with pytest.raises(RecipeError, match="outside of the domain"):
        quiet(still, steps=1, lengths={"a": 2, "b": 2, "c": 2, "s": 3}, initial={"a": [-1.0, 1.0]})


def test_an_interrupt_keeps_what_was_drawn():
    def advance(state, draws, chain, start, steps):
        time.sleep(0.01)
        return start + min(steps, 3), -1

    chains = [Chain(n, None, None) for n in range(2)]
    threading.Timer(0.5, _thread.interrupt_main).start()
    assert run_chains(advance, chains, 10**9, 2, progress=False)
    assert all(0 < chain.done < 10**9 for chain in chains)


def test_inference_data_and_files(tmp_path):
    draws = bayes()
    data = draws.to_arviz()
    assert data.posterior["theta"].dims == ("chain", "draw", "theta_dim")
    attributes = data.posterior.attrs
    assert (
        attributes["recipe"],
        attributes["scheme"],
        attributes["step_size"],
        attributes["seed"],
    ) == (
        "sghmc",
        "semi-implicit",
        '{"schedule": "Constant", "a": 0.05}',
        "0",
    )
    assert attributes["module_hash"] == generate(BAYES).hash
    path = draws.save(tmp_path / "draws.nc")
    assert [p.name for p in tmp_path.iterdir()] == ["draws.nc"]
    import arviz

    again = arviz.from_netcdf(path)
    np.testing.assert_array_equal(again.posterior["theta"].values, draws["theta"])
    with pytest.raises(RecipeError, match="cannot be written"):
        draws.save(tmp_path / "nowhere" / "draws.nc")


def test_a_full_disk_is_one_sentence_before_anything_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(
        shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**9, 10**9, 1000)
    )
    with pytest.raises(
        RecipeError, match=r"cannot be written: it needs 1\.\d MB, and the disk has 0.0 MB left"
    ):
        bayes().save(tmp_path / "draws.nc")
    assert not list(tmp_path.iterdir())


def test_sampling_does_not_import_arviz():
    code = (
        "import sys, codegen; print('arviz' in sys.modules, 'verify' in sys.modules, 'catalog' in"
        " sys.modules)"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.split()
        == ["False"] * 3
    )


@pytest.mark.parametrize(
    ("domain", "repair"),
    [
        (Interval.open(0, oo), r"mirror\(recipe, p\) reflects it at the edge"),
        (Interval(0, 1), r"mirror\(recipe, p\) reflects it at the edge"),
        (Simplex(), "a Metropolis test rejects such a step"),
    ],
)
def test_a_step_that_can_leave_the_domain_is_refused_before_it_runs(domain, repair):
    p = Vector("p", domain=domain)
    langevin = Recipe((p,), total(p), Matrix([[1]]), Matrix([[0]]))
    with pytest.raises(RecipeError, match=f"a step can take p out of its domain.*{repair}"):
        sample(
            langevin,
            step_size=0.05,
            steps=2000,
            chains=2,
            lengths={p: 2},
            progress=False,
            unproved=True,
        )


@pytest.mark.slow
def test_a_state_on_the_edge_stops_the_chain():
    p, step = Vector("p", domain=Interval.open(0, oo)), Symbol("step", positive=True)
    shrinking = Update(
        step, {p: p * sympy.exp(-step)}, total(p)
    )  # positive, until it is too small for a floating-point number
    draws = sample(shrinking, step_size=100.0, steps=50, lengths={p: 2}, progress=False)
    assert all(d.left_domain and d.block == "p" for d in draws.divergences)
    assert len(draws.divergences) == len(draws["p"])
    assert "left its domain" in str(draws.divergences[0])


def test_chains_take_turns_so_that_an_interruption_leaves_draws_of_all():
    done = []

    def advance(state, draws, chain, begin, count):
        done.append(chain)
        if len(done) == 200:
            os.kill(os.getpid(), signal.SIGINT)
        return begin + count, -1

    chains = [Chain(c, None, None) for c in range(6)]
    assert run_chains(advance, chains, 10**12, 2, progress=False)
    assert min(c.done for c in chains) > 0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_error_after_an_interruption_leaves_interruptions_as_they_were():
    def advance(state, draws, chain, begin, count):
        time.sleep(0.3)  # the pool has begun by then
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.3)
        raise ValueError("spoiled")

    with pytest.raises(ValueError, match="spoiled"):
        run_chains(advance, [Chain(0, None, None)], 10, 1, progress=False)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.slow
def test_a_seed_may_be_a_plain_number():
    module = generate(Recipe((theta,), total(theta**2) / 2, Matrix([[1]]), Matrix([[0]])))
    loaded = module.load()
    states = [loaded.allocate(np.zeros(3)) for _ in range(2)]
    keep = [loaded.Draws(np.zeros((5, 3))) for _ in range(2)]
    for seed, state, draws in zip((7, np.uint64(7)), states, keep, strict=True):
        assert loaded.run(state, draws, (), (), 0.1, (), seed, 0, 0, 5, 0, 1) == (5, -1)
    assert np.array_equal(keep[0].theta, keep[1].theta)
