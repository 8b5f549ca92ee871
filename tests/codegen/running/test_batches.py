"""``sample`` with many chains runs them in bundles: the draws, the reports and the checkpoints are
those of chains one by one.
"""

from __future__ import annotations

import _thread
import sys
import threading

import numpy as np
import pytest
from cases.compiled_kernels import BOUND
from cases.many_chains import QUARTIC, SGHMC, SGLD, VECTOR
from cases.stopped_runs import stopped_run
from sympy import Interval, Matrix, Symbol, exp, oo

from codegen import Polynomial, sample
from codegen.lowering.batch_form import refusal_of_many
from codegen.running import batches
from recipe import Kernel, Potential, Recipe, RecipeError, Update, Vector, bind, total

theta = Vector("theta")
OPTIONS = {"steps": 60, "step_size": 0.02, "chains": 20, "warmup": 5, "thin": 2, "keep": "all"}
OPTIONS |= {"progress": False}
VECTORS = {"params": {"C": 0.5, "c": np.array([1.0, 0.5, 2.0])}}


@pytest.fixture
def few(monkeypatch):
    """Bundles of few chains, from few chains on."""
    monkeypatch.setattr(batches, "MIN_CHAINS", 8)
    monkeypatch.setattr(batches, "CHAINS_PER_BUNDLE", 7)


def both(monkeypatch, what, **options):
    """The draws in bundles, and one by one; that they were run so is seen by which function was
    compiled.
    """
    options = {**OPTIONS, **options}
    together = sample(what, **options)
    with monkeypatch.context() as patch:
        patch.setattr(batches, "in_bundles", None)
        # ``codegen.sample`` by name is the function
        patch.setattr(sys.modules["codegen.sample"], "in_bundles", lambda *_: False)
        alone = sample(what, **options)
    assert list(together.values) == list(alone.values)
    for block, values in alone.values.items():
        np.testing.assert_array_equal(values, together[block])
    np.testing.assert_array_equal(alone.counts, together.counts)
    assert alone.divergences == together.divergences
    return together


@pytest.mark.by_default(1)
@pytest.mark.parametrize(
    ("what", "options"),
    [
        (SGLD, {}),
        (SGLD, {"threads": 1, "keep": "y", "initial": {"x": np.linspace(-1, 1, 20)}}),
        (SGHMC, {"params": {"C": 0.5}, "step_size": Polynomial(0.05, 10, 0.6)}),
        (VECTOR, VECTORS),
        (Kernel(BOUND["mala"]), {"step_size": 0.9, "lengths": {"theta": 2}}),
    ],
)
def test_draws_in_bundles_are_those_of_chains_one_by_one(few, monkeypatch, what, options):
    draws = both(monkeypatch, what, **options)
    assert not draws.divergences
    if draws.acceptance is not None:
        assert 0 < draws.acceptance.mean() < 1


@pytest.mark.slow
def test_the_size_of_a_bundle_and_the_number_of_threads_change_nothing(few, monkeypatch):
    whole = sample(VECTOR, **OPTIONS, **VECTORS)
    for chains in (1, 3, 256):
        monkeypatch.setattr(batches, "CHAINS_PER_BUNDLE", chains)
        again = sample(VECTOR, **OPTIONS, **VECTORS, threads=chains % 3 + 1)
        np.testing.assert_array_equal(whole["theta"], again["theta"])


@pytest.mark.slow
def test_divergences_are_reported_chain_by_chain(few, monkeypatch):
    start = np.full((20, 2), 0.1)
    start[[3, 8, 19], 1] = [1e3, 12.0, 30.0]
    draws = both(monkeypatch, QUARTIC, step_size=0.1, initial={"theta": start})
    assert [d.chain for d in draws.divergences] == [3, 8, 19]
    assert np.all(np.isnan(draws["theta"][3, draws.counts[3] :]))
    assert np.all(np.isfinite(draws["theta"][0]))


@pytest.mark.slow
def test_a_chain_that_leaves_its_domain_is_reported_as_such(few, monkeypatch):
    p, step = Vector("p", domain=Interval.open(0, oo)), Symbol("step", positive=True)
    shrinking = Update(step, {p: p * exp(-step)}, total(p))
    draws = both(
        monkeypatch,
        shrinking,
        step_size=100.0,
        initial={"p": np.geomspace(1e-300, 1e300, 20)[:, None]},
    )
    assert len({d.step for d in draws.divergences}) > 1
    assert all(d.left_domain for d in draws.divergences)


@pytest.mark.slow
def test_all_chains_may_stop(few, monkeypatch):
    draws = both(monkeypatch, QUARTIC, step_size=1.0, initial={"theta": np.full((20, 1), 50.0)})
    assert len(draws.divergences) == 20


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [{"initial": {}}, {"initial": {"theta": np.geomspace(0.1, 100.0, 20)[:, None]}}]
)
def test_a_run_that_is_stopped_often_is_the_run_that_is_not(few, tmp_path, monkeypatch, options):
    """With and without chains that diverge on the way."""
    options = {
        **OPTIONS, **options, "target": QUARTIC, "params": {}, "batch_size": None, "steps": 3000,
        "warmup": 100, "thin": 7, "lengths": {"theta": 1}, "step_size": 0.1,
    }  # fmt: skip
    whole = sample(
        options["target"], **{name: value for name, value in options.items() if name != "target"}
    )
    for after in (2, 9, 17):
        stopped_run(tmp_path / "c", monkeypatch, after, **options)
    target = options.pop("target")
    again = sample(target, **options, checkpoint=tmp_path / "c", checkpoint_seconds=1e-9)
    np.testing.assert_array_equal(whole["theta"], again["theta"])
    assert whole.divergences == again.divergences
    assert bool(whole.divergences) == bool(options["initial"])
    monkeypatch.setattr(batches, "CHAINS_PER_BUNDLE", 5)
    with pytest.raises(RecipeError, match="first state of bundle of 5 chains 0 was None"):
        sample(target, **options, checkpoint=tmp_path / "c")


def test_an_interrupt_keeps_what_was_drawn(few):
    threading.Timer(1.0, _thread.interrupt_main).start()
    draws = sample(
        SGLD, **{**OPTIONS, "steps": 10**9, "step_size": 1e-4, "thin": 10**6, "warmup": 0}
    )
    assert draws.interrupted
    assert not draws.divergences


@pytest.mark.slow
def test_bundles_are_taken_by_what_was_planned_and_how_much_there_is(few, monkeypatch):
    taken = []
    original = batches.Bundles.begin
    monkeypatch.setattr(
        batches.Bundles, "begin", lambda self, starts: taken.append(1) or original(self, starts)
    )

    def in_bundles(what, **options):
        taken.clear()
        sample(what, **{**OPTIONS, **options})
        return bool(taken)

    normal = bind(
        Recipe(theta, Potential("U", theta), Matrix([[1]]), Matrix([[0]])),
        {Potential("U", theta): total(theta**2) / 2},
    )
    assert in_bundles(SGLD)
    assert not in_bundles(SGLD, chains=7)
    assert in_bundles(normal, lengths={"theta": 32})
    assert not in_bundles(normal, lengths={"theta": 33})
    times = Kernel(BOUND["random times"])
    assert not in_bundles(times, step_size=0.3, lengths={"theta": 2}, params={"k": 1.0})


def test_what_does_not_fit_into_memory_is_one_sentence(few):
    with pytest.raises(
        RecipeError, match="draws a chain do not fit into memory; raise thin= or keep fewer blocks"
    ):
        sample(SGLD, steps=10**15, step_size=0.1, chains=20, progress=False)


def test_why_there_are_no_bundles_is_known():
    from codegen import generate

    assert refusal_of_many(generate(SGLD).plan) is None
    assert refusal_of_many(generate(Kernel(BOUND["random times"])).plan).startswith("how often")
