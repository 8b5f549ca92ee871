"""Python's collector of cycles rests while a module is compiled, and works again afterwards."""

import gc
from contextlib import contextmanager

import pytest

from catalog.sgld import sgld
from codegen import sample
from codegen.running.batches import Bundles
from codegen.running.compiled import Compiled
from codegen.system.collector import collector_paused
from recipe import Vector, total

theta = Vector("theta")


@contextmanager
def collector(*, on):
    before = gc.isenabled()
    (gc.enable if on else gc.disable)()
    try:
        yield
    finally:
        (gc.enable if before else gc.disable)()


@pytest.mark.parametrize("on", [True, False])
def test_the_collector_is_afterwards_what_it_was_before(on):
    with collector(on=on):
        with collector_paused():
            with collector_paused():
                assert not gc.isenabled()
            assert not gc.isenabled()
        assert gc.isenabled() == on
        with pytest.raises(ZeroDivisionError), collector_paused():
            _ = 1 / 0
        assert gc.isenabled() == on


def test_of_two_threads_the_last_one_turns_it_on():
    with collector(on=True):
        first, second = collector_paused(), collector_paused()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert not gc.isenabled()
        second.__exit__(None, None, None)
        assert gc.isenabled()


def collections():
    return sum(generation["collections"] for generation in gc.get_stats())


@pytest.mark.slow_for("100")
@pytest.mark.parametrize("chains", [1, 100])
def test_no_cycle_is_collected_while_a_module_is_compiled(tmp_path, monkeypatch, chains):
    monkeypatch.setenv("RECIPE_CACHE", str(tmp_path))
    counts = []
    for kind in (Compiled, Bundles):
        compile_ = kind.compile

        def counted(self, chain, compile_=compile_):
            before = collections()
            compile_(self, chain)
            counts.append(collections() - before)

        monkeypatch.setattr(kind, "compile", counted)
    settings = {"steps": 2, "step_size": 0.01, "lengths": {theta: 2}, "progress": False}
    with collector(on=True):
        sample(sgld, 7 * total(theta**2) / 2, chains=chains, **settings)
        assert gc.isenabled()
    (count,) = counts
    assert count < 20  # some hundreds where it is on
