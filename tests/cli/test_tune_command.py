"""``recipe tune``, and ``recipe sample --step-size auto``: the numbers of ``codegen.tune``."""

import json
import shlex

import numpy as np
import pytest
from helpers.command import command

from catalog.hmc import hmc_kernel
from catalog.posteriors.bioassay import posterior
from codegen import read_draws, sample

SAMPLER = ["hmc_kernel", "--posterior", "bioassay"]
AUTO = [*SAMPLER, "--step-size", "auto"]
REFUSED = """
from sympy import Matrix, Symbol, eye, sqrt

from recipe import Noise, Posterior, Potential, Recipe, Scalar, Update, Vector, grad, total

x, theta = Scalar("x"), Vector("theta")
r = Vector("r", like=theta)
U, h = Potential("U", theta), Symbol("h", positive=True)
improper = Posterior(x, x**2, 0, data={})
refuted = Recipe((theta, r), U + total(r**2) / 2, eye(2), Matrix([[1, -1], [1, 0]]))
moved = {theta: theta - h * grad(U, theta) + sqrt(2 * h) * Noise("w", like=theta)}
printed = Update(step=h, target=U, rule=moved)
"""


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


@pytest.mark.slow_for("hierarchy", "improper")
@pytest.mark.parametrize(
    ("typed", "status"),
    [
        ([*SAMPLER, "--batch-size", "2"], 2),
        (["sgld", "--posterior", "bioassay", "--batch-size", "500"], 2),
        (["sgld", "--posterior", "bioassay", "--threads", "0"], 2),
        (["wright_fisher_dirichlet", "--posterior", "bioassay"], 2),
        (["{file}:printed", "--posterior", "bioassay"], 2),
        (["{file}:refuted", "--posterior", "bioassay"], 1),
        (["sgld", "--posterior", "eight_schools"], 3),
        (["hmc_kernel", "--posterior", "{file}:improper"], 3),
    ],
    ids=["batch", "rows", "threads", "written", "printed", "refuted", "hierarchy", "improper"],
)
def test_both_ways_to_tune_refuse_in_the_same_words(typed, status, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(REFUSED)
    words = [t.format(file=file) for t in typed]
    told = command("tune", *words)
    sampled = command("sample", *words, "--step-size", "auto")
    assert told.returncode == sampled.returncode == status
    assert told.stderr.split() == sampled.stderr.split() != []


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


MANY_ROWS = """
from recipe import Data, Posterior, Vector, total
from recipe.laws import normal

theta = Vector("theta", prior=normal(0, 3))
x = [[(7 * i) % 13 / 4 - 1.5, (5 * i) % 11 / 3 - 1.6] for i in range(400)]
y = [a - b / 2 + (3 * i) % 17 / 8 - 1 for i, (a, b) in enumerate(x)]
posterior = Posterior(
    log_likelihood=normal(Data("y", y), total(Data("x", x, like=theta) * theta), 1)
)
"""


@pytest.mark.slow
def test_control_variates_are_chosen_forbidden_and_passed_on_to_the_run(tmp_path):
    file = tmp_path / "model.py"
    file.write_text(MANY_ROWS)
    typed = ["sgld", "--posterior", str(file), "--max-error", "0.2", "--json"]
    found = {}
    for option in ("--control-variates", "--no-control-variates"):
        told = command("tune", *typed, option)
        assert told.returncode == 0, told.stderr
        found[option] = json.loads(told.stdout)
        assert option in shlex.split(found[option]["command"])
    by_mode, never = found.values()
    assert by_mode["chosen"]["control_variates"]
    assert by_mode["settings"]["control_variates"] is True
    assert not any(a["control_variates"] for a in never["alternatives"])

    words = shlex.split(by_mode["command"])
    done = command(*words[1:], "--json", "-o", str(tmp_path / "draws.nc"))
    assert done.returncode == 0, done.stderr
    kept = json.loads(read_draws(tmp_path / "draws.nc").attributes["tuning"])["settings"]
    assert kept["control_variates"] is True
    assert kept["batch_size"] == by_mode["settings"]["batch_size"]
