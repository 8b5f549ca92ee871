"""Draws in the default install, which has neither ArviZ, xarray, pandas, scipy nor matplotlib."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from helpers.command import INSTALLED

from codegen import Draws, read_draws

ABSENT = ("arviz", "matplotlib", "pandas", "scipy", "xarray")
SITE = f"""
import sys


class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {ABSENT!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)


sys.meta_path.insert(0, Absent())
"""
POSTERIOR = """
import numpy as np
from recipe import Data, Posterior, Vector, total

theta = Vector("theta")
x, y = Data("x", like=theta), Data("y")
posterior = Posterior(
    theta, -(y - total(x * theta))**2 / 2, -total(theta**2) / 2,
    data={x: np.eye(2), y: np.ones(2)},
)
"""
NEEDED = (
    'recipe: a plot needs matplotlib, which is not installed: pip install "recipe-sampler[plots]"\n'
)


@pytest.fixture
def bare(tmp_path):
    """Call Python, or the command, where these libraries cannot be imported."""
    (tmp_path / "sitecustomize.py").write_text(SITE)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(INSTALLED)])}

    def call(*arguments):
        return subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )

    return call


def some_draws():
    theta = np.random.default_rng(1).normal(size=(2, 50, 2))
    return Draws({"theta": theta}, np.full(2, 50), (), False, {}, np.full(50, 0.1))


def test_the_libraries_are_absent(bare):
    tried = "\n".join(
        f"try:\n    import {name}\n    print({name!r})\nexcept ImportError:\n    pass"
        for name in ABSENT
    )
    done = bare("-c", tried)
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.slow
def test_draws_are_sampled_saved_read_and_diagnosed(bare, tmp_path):
    (tmp_path / "posterior.py").write_text(POSTERIOR)
    run = ["sample", "sgld", "--posterior", "posterior.py", "--step-size", "0.1", "--steps", "300"]
    done = bare("-m", "recipe_cli", *run, "--chains", "2", "-o", "draws.nc", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    assert said["output"] == str(tmp_path / "draws.nc")
    again = bare("-m", "recipe_cli", "diagnose", "draws.nc", "--json")
    assert (again.returncode, again.stderr) == (0, "")
    assert json.loads(again.stdout)["coordinates"] == said["diagnosis"]["coordinates"]
    assert read_draws(tmp_path / "draws.nc")["theta"].shape == (2, 270, 2)


@pytest.mark.by_default(1)
@pytest.mark.parametrize(
    "arguments",
    [
        ["sample", "sgld", "--posterior", "nowhere.py", "--step-size", "1", "--plots", "plots"],
        ["diagnose", "nowhere.nc", "--plots", "plots"],
        ["test", "sgld", "--plots", "plots"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_plots_without_matplotlib_are_one_sentence_before_the_work(bare, tmp_path, arguments):
    """What would be missed later, a posterior or draws, is not even looked for."""
    done = bare("-m", "recipe_cli", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", NEEDED)
    assert not (tmp_path / "plots").exists()


def test_arviz_that_is_not_there_is_one_sentence(bare, tmp_path):
    some_draws().save(tmp_path / "draws.nc")
    done = bare(
        "-c",
        "from codegen import read_draws, diagnose, plot\n"
        "saved = read_draws('draws.nc')\n"
        "assert len(diagnose(saved).rows) == 2\n"
        "for use in (saved.to_arviz, lambda: plot(saved, 'plots')):\n"
        "    try:\n        use()\n    except Exception as error:\n"
        "        print(type(error).__name__, error)\n",
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "RecipeError to_arviz() needs xarray, which is not installed: pip install"
        ' "recipe-sampler[arviz]"',
        f"RecipeError {NEEDED.removeprefix('recipe: ').strip()}",
    ]
