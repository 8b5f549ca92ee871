"""The C of benchmarks/limits is the algorithm of the modules that it measures, draw by draw; its
table says what it should.
"""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

LIMITS = Path(__file__).resolve().parents[2] / "benchmarks" / "limits"


@pytest.fixture(autouse=True)
def _scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(LIMITS))


@pytest.fixture
def library():
    from native import Library, compiler

    if not compiler():
        pytest.skip("there is no gcc")
    return Library


def close(a, b):
    return np.allclose(a, b, rtol=0, atol=1e-11)


@pytest.mark.slow  # seconds to compile, each
@pytest.mark.parametrize("sampler", ["sgnht", "sgld", "sghmc", "sgrld", "sgrld_quotient"])
def test_steps_in_c_are_the_steps_of_generated_modules(library, sampler):
    import steps

    for d in (2, 10, 1030):  # less than a vector; more than one; more than the pairs of a block
        assert steps.agree(library("steps.c"), sampler, d)


@pytest.mark.slow
def test_many_chains_in_c_are_those_of_generated_modules(library):
    import chains

    x, y = chains.start()[:, :700].copy()
    module = chains.module()
    state = module.allocate_many(x[None], y[None])
    module.run_many(
        state, chains.nothing_kept(module), np.full(3, chains.STEP), (), np.uint64(1), 0, 0, 0, 1
    )
    library("chains.c").call("banana", x, y, x.size, chains.STEP, 1, 0, 3)
    assert close(state.x[0], x)
    assert close(state.y[0], y)


@pytest.mark.slow
def test_topics_in_c_are_those_of_generated_modules(library):
    import expanded_mean

    counts = np.random.default_rng(0).poisson(2.0, (3, 1100)).astype(float)
    alpha, scratch = np.full(counts.shape, 0.5), np.zeros((2, 3))
    mine, theirs = counts + 0.5, counts + 0.5
    expanded_mean.ours(mine, counts, alpha)(3)
    library("expanded_mean.c").call(
        "expanded_mean", theirs, counts, alpha, *scratch, 3, 1100, expanded_mean.STEP, 1, 0, 3
    )
    assert close(mine, theirs)


@pytest.mark.slow
@pytest.mark.parametrize("batch", [100, 300])
def test_logistic_regression_in_c_is_that_of_generated_modules(library, batch):
    import logistic

    x, _ = logistic.data_of(10)
    (mine, at), (theirs, there) = logistic.ours(x, batch), logistic.in_c(x, batch)
    mine(5)
    theirs(5)
    assert np.allclose(at, there, rtol=0, atol=1e-9)


def test_runs_take_turns_after_a_warm_up():
    from measure import alternate

    seen = []

    def run(name, seconds):
        seen.append(name)
        return seconds.pop(0)

    a, b = [9.0, 1.0, 2.0, 6.0], [9.0, 5.0, 4.0, 3.0]
    assert alternate({"a": lambda: run("a", a), "b": lambda: run("b", b)}, 3) == {
        "a": 2.0,
        "b": 4.0,
    }
    assert seen == ["a", "b"] * 4


def test_a_row_says_whether_its_bound_is_kept():
    from measure import Row

    def verdict(ours, bound):
        return Row("work", "ours", "theirs", "ns", ours, 2.0, bound).verdict

    assert [verdict(1.0, 0.5), verdict(1.1, 0.5), verdict(1.1, None)] == ["reached", "missed", ""]


def test_a_competitor_runs_in_a_process_of_its_own_when_it_is_told_to(tmp_path, monkeypatch):
    import child

    script = tmp_path / "counts.py"
    script.write_text(
        # where the scripts find it beside them
        f"import sys; sys.path.insert(0, {str(LIMITS)!r})\n"
        "from served import serve\n"
        "def run(case, n):\n"
        "    open(case['file'], 'a').write(f'{n} {sum(range(n * case[\"size\"]))} ')\n"
        "    return lambda: None\n"
        "serve(lambda case: lambda n: run(case, n))\n"
    )
    monkeypatch.setattr(child, "__file__", str(script))
    with child.Child(
        sys.executable, "counts.py", size=1000, file=str(tmp_path / "runs")
    ) as competitor:
        assert competitor.run(100) > 0
        assert competitor.run(100) > 0
    assert (tmp_path / "runs").read_text() == 3 * "100 4999950000 "  # the first of them warms up


def test_what_is_missing_is_said(capsys, monkeypatch):
    spec = importlib.util.spec_from_file_location("limits_table", LIMITS / "__main__.py")
    table = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(table)
    monkeypatch.setattr(table, "pin", lambda core: 0)
    monkeypatch.setattr(table, "compiler", lambda: None)
    monkeypatch.setattr(table.growth, "rows", lambda rounds: [])
    assert table.main(["--only", "growth"]) == 0
    said = capsys.readouterr().out
    assert all(
        f"skipped: {name}" in said
        for name in ("C:", "JAX and BlackJAX: no --jax-python", "SGMCMCJax: no --sgmcmcjax-python")
    )
