"""``recipe sample --initial`` and ``--dry-run``."""

import json

import numpy as np
import pytest
from helpers.command import command

from codegen import Cyclical, Geometric
from recipe import RecipeError
from recipe_cli.sampling.initial_typed import initial_typed
from recipe_cli.sampling.run_plan import _ends, _value

MODEL = ["sample", "sghmc", "--posterior", "bioassay", "--step-size", "0.05", "--param", "C=1"]
RUN = [*MODEL, "--steps", "1e4", "--seed", "1"]


def test_first_values_are_typed_or_in_files(tmp_path):
    rows = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    np.save(tmp_path / "rows.npy", rows)
    (tmp_path / "rows.csv").write_text("0, 1, 2\n3, 4, 5\n")
    assert initial_typed(None) is None
    assert initial_typed(["a=1e-1", "theta=0,1,2"]) == {"a": 0.1, "theta": [0.0, 1.0, 2.0]}
    for file in ("rows.npy", "rows.csv"):
        found = initial_typed([f"theta={tmp_path / file}"])
        np.testing.assert_array_equal(found["theta"], rows)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (["theta"], "write NAME=1"),
        (["theta="], "write NAME=1"),
        (["theta=one"], "neither a number nor a file"),
        (["a=1", "a=2"], "a is given twice"),
        (["theta={folder}/text.csv"], "no array of numbers"),
        (["theta={folder}/pickled.npy"], "no array of numbers"),
    ],
)
def test_other_forms_are_refused(tmp_path, typed, words):
    (tmp_path / "text.csv").write_text("a,b\n")
    np.save(tmp_path / "pickled.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(RecipeError, match=words):
        initial_typed([t.format(folder=tmp_path) for t in typed])


def test_a_block_that_is_unknown_is_refused_before_anything_is_compiled():
    done = command(*MODEL, "--initial", "aa=1", "--dry-run")
    assert done.returncode == 2
    assert "did you mean a?" in done.stderr


FLAT = """
from recipe import Data, Posterior, Scalar
from recipe.laws import half_normal, normal

a, s = Scalar("a", prior=normal(0, 2)), Scalar("s", prior=half_normal(1))
posterior = Posterior(log_likelihood=normal(Data("y", [0.5, 1.5, 1.0]), a, s))
"""


@pytest.mark.slow
def test_a_dry_run_lists_the_priors_of_blocks(tmp_path):
    (tmp_path / "flat.py").write_text(FLAT)
    run = [*RUN[:2], "--posterior", "flat.py", *RUN[4:], "--dry-run"]
    done = command(*run, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    words = " ".join(done.stdout.split())
    assert "prior a ~ normal(0, 2) prior s ~ half_normal(1)" in words
    found = json.loads(command(*run, "--json", cwd=tmp_path).stdout)
    assert found["priors"] == {"a": "normal(0, 2)", "s": "half_normal(1)"}


@pytest.mark.slow
def test_a_dry_run_says_what_would_be_done_and_does_nothing(tmp_path):
    file = tmp_path / "draws.nc"
    done = command(*RUN, "--dry-run", "-o", file, "--checkpoint", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.iterdir())
    words = " ".join(done.stdout.split())
    assert "C = 1, positive: friction" in words
    assert "blocks a 1, b 1; 2 coordinates" in words
    assert "4 chains of 10,000 steps" in words
    assert max(map(len, done.stdout.splitlines())) <= 80
    plan = json.loads(command(*RUN, "--dry-run", "--json").stdout)
    assert plan["blocks"] == {"a": 1, "b": 1}
    assert plan["seconds"]["run"] == pytest.approx(plan["seconds"]["step"] * 10_000)
    real = command(*RUN, "-o", file)
    assert real.returncode == 0, real.stderr
    assert 0.5 * plan["bytes"] < file.stat().st_size < 1.1 * plan["bytes"]


@pytest.mark.slow
def test_a_run_goes_on_where_another_one_ended(tmp_path):
    first, second = tmp_path / "first.nc", tmp_path / "second.nc"
    assert command(*RUN, "-o", first).returncode == 0
    small = [*RUN, "--initial", first, "--steps", "2", "--warmup", "0", "--step-size", "1e-9"]
    assert command(*small, "-o", second).returncode == 0
    from codegen import read_draws

    ended, begun = read_draws(first)["b"][:, -1], read_draws(second)["b"][:, 0]
    np.testing.assert_allclose(begun, ended, atol=1e-4)


GROUPED = """
from recipe import Data, Posterior, Vector
from recipe.laws import normal

a, g = Vector("a", prior=normal(0, 10)), Data("g", [0, 1, 1])
posterior = Posterior(log_likelihood=normal(Data("y", [1.0, 2, 3]), a[g], 1))
"""


def test_a_plan_of_group_labels_has_their_rows(tmp_path):
    (tmp_path / "grouped.py").write_text(GROUPED)
    run = ["sample", "hmc_kernel", "--posterior", "grouped.py", "--step-size", ".1", "--dry-run"]
    done = command(*run, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert set(map(tuple, json.loads(done.stdout)["data"].values())) == {(3,)}


def test_the_ends_of_a_schedule_are_shown():
    falling = Geometric(10, 1, 5000)
    assert _value(falling, 5000) == "from 10 to 1 in 5,000 steps"
    assert _value(falling, 9000) == "from 10 to 1 in 5,000 steps"
    assert _value(Cyclical(2, 10), 100) == "= Cyclical(a=2.0, length=10)"
    assert _ends(falling, 5000) == (10, 1)
    assert _ends(3.0, 5000) == (3, 3)
