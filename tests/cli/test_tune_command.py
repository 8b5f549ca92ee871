"""``recipe tune``, and ``recipe sample --step-size auto``: the numbers of ``codegen.tune``."""

import json
import shlex

import numpy as np
from helpers.command import command

from catalog.hmc import hmc_kernel
from catalog.posteriors.bioassay import posterior
from codegen import read_draws, sample

SAMPLER = ["hmc_kernel", "--posterior", "bioassay"]
AUTO = [*SAMPLER, "--step-size", "auto"]


def test_the_command_that_is_printed_samples_with_the_numbers_of_python(tmp_path):
    told = command("tune", *SAMPLER, "--seed", "3", "--json")
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    assert found["chosen"]["sampler"] == "hmc_kernel"
    words = shlex.split(found["command"])
    assert words[:3] == ["recipe", "sample", "hmc_kernel"]

    file = tmp_path / "draws.nc"
    done = command(*words[1:], "-o", str(file))
    assert done.returncode == 0, done.stderr
    assert "A pilot run" in done.stderr
    saved = read_draws(file)
    ours = sample(hmc_kernel, posterior, step_size="auto", seed=3, progress=False)
    assert np.array_equal(saved["a"], ours["a"])
    assert np.array_equal(saved["b"], ours["b"])
    kept = json.loads(saved.attributes["tuning"])["settings"]
    assert kept["step_size"] == found["settings"]["step_size"]


def test_a_tuned_run_goes_on_from_its_checkpoint(tmp_path):
    first, again = (
        command("sample", *AUTO, "--json", "--checkpoint", str(tmp_path / "run")) for _ in range(2)
    )
    assert first.returncode == again.returncode == 0, again.stderr
    one, two = (json.loads(done.stdout)["diagnosis"] for done in (first, again))
    assert one["coordinates"] == two["coordinates"]


def test_text_has_the_explanation_the_table_and_the_command():
    done = command("tune", *SAMPLER, "--max-error", "0.1")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("A pilot run (")
    assert any(s.split()[:3] == ["sampler", "scheme", "step"] for s in lines)
    assert lines[-1].strip() == (
        "recipe sample hmc_kernel --posterior bioassay --step-size auto --max-error 0.1"
    )
    assert max(map(len, lines)) <= 100


def test_nothing_known_is_3_and_a_mistake_is_2():
    unknown = command("tune", "sgld", "--posterior", "eight_schools")
    assert unknown.returncode == 3
    assert "use a kernel with Metropolis tests" in unknown.stderr
    sampled = command("sample", "sgld", "--posterior", "eight_schools", "--step-size", "auto")
    assert sampled.returncode == 3
    assert not sampled.stdout
    for typed, says in (
        (["sample", *SAMPLER, "--step-size", "fast"], "neither a number nor auto"),
        (["sample", *AUTO, "--decay", "1,2"], "--decay and --cycle need a number"),
        (["tune", "hmc_kernel", "--posterior", "bioasay"], "did you mean bioassay"),
        (["tune", *SAMPLER, "--max-error", "0"], "max_error=0"),
    ):
        done = command(*typed)
        assert done.returncode == 2, typed
        assert says in " ".join(done.stderr.split())
