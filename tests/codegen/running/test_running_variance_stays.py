"""A running variance in a rule of one's own moves in the warm-up and stays after it."""

import dataclasses
import sys
from pathlib import Path

import numpy as np
import pytest

from codegen import generate, sample
from codegen.inputs.options import SamplingOptions
from codegen.running.compiled import Compiled
from recipe import RecipeError, bind
from recipe_cli.program.translation import translation_of
from verify import Verdict, verify

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "examples"))

from fisher_scoring import (  # noqa: E402
    BATCH,
    ROWS,
    main,
    normal_data,
    normal_model,
    sampler,
    sgfs,
)

PARAMS = {"B": 10.0, "share": BATCH / ROWS}
WARMUP = 400


def kernel():
    """A kernel of the sampler with its data, and a chain's state."""
    options = SamplingOptions(
        steps=2 * WARMUP, step_size=0.1, params=PARAMS, batch_size=BATCH, warmup=WARMUP, seed=4
    )
    module = generate(bind(sampler, normal_model()))
    data = {"x": normal_data(), **dict.fromkeys(module.adapting, np.ones(1))}
    params = {"B": np.full(2, 10.0), "share": BATCH / ROWS}
    made = Compiled(module, module.load(), options, (), data, params)
    return made, made.allocate([np.zeros(2)])


def test_it_is_the_variance_of_the_estimate_and_stays_after_the_warm_up():
    """The mean of the squared errors is N^2 var(x)/n exactly, and its 400 estimates have a standard
    error of 2 percent; five of them are allowed."""
    made, state = kernel()
    made.advance(state, made.no_draws(), 0, 0, WARMUP // 2)
    half = state.variance_U_theta.copy()
    made.advance(state, made.no_draws(), 0, WARMUP // 2, WARMUP // 2)
    learned = state.variance_U_theta.copy()
    made.advance(state, made.no_draws(), 0, WARMUP, WARMUP)
    assert not np.any(half == learned)
    assert np.array_equal(state.variance_U_theta, learned)
    assert learned == pytest.approx(ROWS**2 / BATCH * normal_data().var(axis=0), rel=0.1)
    across, begun = made.allocate([np.zeros(2)]), 0
    for count in (WARMUP // 2 + 7, WARMUP):  # over the end of the warm-up
        made.advance(across, made.no_draws(), 0, begun, count)
        begun += count
    assert np.array_equal(across.variance_U_theta, learned)


def test_a_run_over_the_end_of_the_warm_up_is_resumed_bit_for_bit(tmp_path):
    options = {
        "step_size": 0.1, "batch_size": BATCH, "params": PARAMS, "warmup": 60, "chains": 2,
        "progress": False,
    }  # fmt: skip
    whole = sample(sampler, normal_model(), steps=100, **options)
    folder = tmp_path / "run"
    for steps in (70, 100):
        resumed = sample(sampler, normal_model(), steps=steps, checkpoint=folder, **options)
    assert np.array_equal(whole["theta"], resumed["theta"])


def test_a_warm_up_is_needed_and_a_minibatch():
    options = {"step_size": 0.1, "params": PARAMS, "steps": 10, "progress": False}
    with pytest.raises(RecipeError, match="is learned in the warm-up and stays then"):
        sample(sampler, normal_model(), batch_size=BATCH, **options)
    for rows in ({}, {"batch_size": 1}):
        with pytest.raises(RecipeError, match="the rule estimates a variance from the rows"):
            sample(sampler, normal_model(), warmup=5, **rows, **options)


def test_what_is_proved_is_about_a_variance_that_stays():
    report = verify(sgfs)
    assert report.verdict is Verdict.PROVED
    said = "V_U_theta, the running variance of a gradient, stays as it is"
    assert said in report.assumptions()


def test_the_text_is_proved_and_one_that_never_stops_is_not():
    module = generate(bind(sampler, normal_model()))
    assert translation_of(module).verdict is Verdict.PROVED
    for right, wrong in (
        ("data.adapts_U[0] > 0.0", "data.adapts_U[0] >= 0.0"),
        ("if data.adapts_U[0] > 0.0:", "if rows.size > 0:"),
    ):
        changed = dataclasses.replace(module, source=module.source.replace(right, wrong))
        assert changed.source != module.source
        assert translation_of(changed).verdict is not Verdict.PROVED


@pytest.mark.slow
def test_of_normal_data_the_law_is_right_at_every_step_size(capsys):
    """Sixty thousand steps: the standard errors of the three numbers are below 0.01."""
    assert main(["--json"]) == 0
    import json

    rows = json.loads(capsys.readouterr().out)
    assert [r["step_size"] for r in rows] == [0.01, 0.1, 1.0]
    assert all(abs(r["sd"] - 1) < 0.03 for r in rows)
