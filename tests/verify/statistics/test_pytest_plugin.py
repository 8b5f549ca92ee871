"""The plug-in in a suite of somebody else."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from oracles import numpy_kernels as by_hand

import verify
from catalog.sgld import sgld
from recipe import RecipeError
from verify.statistics import check_kernel

SUITE = """
import numpy as np
from sympy import Symbol, sqrt
from recipe import Noise, Update, Vector, total

x = Vector("x")
h, w = Symbol("h", positive=True), Noise("w", like=x)
rule = Update(h, {x: x - h * x / 2 + sqrt(h) * w}, total(x**2) / 2)


def kernel(noise):
    def step(state, rng):
        x = state["x"]
        drawn = rng.standard_normal(x.shape)
        return {"x": x - 0.1 * x / 2 + noise * np.sqrt(0.1) * drawn}
    return step


def test_right(assert_samples):
    assert_samples(kernel(1.0), rule, step_size=0.1, batched=True)


def test_wrong(assert_samples):
    assert_samples(kernel(1.1), rule, step_size=0.1, batched=True)


def test_hidden(assert_samples):
    assert_samples(kernel(1.0), rule, step_size=0.1, batched=True, replicas=256)


def test_law(assert_samples):
    c = 0.95**2
    def target(rng, n):
        return {"x": rng.standard_normal((n, 2)) * np.sqrt(0.1 / (1 - c))}
    assert_samples(kernel(1.0), target=target, batched=True, replicas=3000, allow_unseen=True)
"""


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    folder = tmp_path_factory.mktemp(
        "suite"
    )  # where pytest finds the plug-in by the entry point of the installed package
    (folder / "test_mine.py").write_text(SUITE)
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider"]
    command += ["--statistics-seed", "3", str(folder)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[3],
        timeout=300,
    )
    return done.stdout + done.stderr


def test_a_right_kernel_passes_and_a_wrong_one_fails(outcome):
    for name, passed in (
        ("test_right", True),
        ("test_wrong", False),
        ("test_hidden", False),
        ("test_law", True),
    ):
        line = next(
            row
            for row in outcome.splitlines()
            if row.startswith(("PASSED", "FAILED")) and row.split("::")[-1].startswith(name)
        )
        assert line.startswith("PASSED" if passed else "FAILED"), outcome


def test_a_failure_says_what_differs_and_the_seed(outcome):
    assert "differs  noise coefficient" in outcome
    assert "seed 3" in outcome
    assert "raise replicas=, most=" in outcome


def test_findings_are_plain_data():
    found = check_kernel(
        by_hand.sgld(0.3),
        sgld.update,
        step_size=0.3,
        gradients={"U": by_hand.heavy},
        batched=True,
        seed=2,
    )
    data = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert data["outcome"] == "agrees"
    assert data["seed"] == 2
    assert {line["outcome"] for line in data["lines"]} == {"agrees"}
    assert sum(line["level"] for line in data["lines"]) <= 1e-6
    assert "seed 2" in str(found)


def test_the_public_names_are_there_and_pytest_does_not_collect_them():
    assert verify.check_kernel is check_kernel
    assert not verify.check_invariance.__name__.startswith("test")


def test_what_is_no_kernel_is_said():
    with pytest.raises(RecipeError, match="5 is no kernel"):
        check_kernel(5, sgld.update, step_size=0.1, gradients={"U": by_hand.heavy})
    with pytest.raises(RecipeError, match="is no discrete step"):
        check_kernel(by_hand.sgld(0.3), np.pi, step_size=0.1)
