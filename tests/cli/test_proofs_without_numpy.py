"""Proofs need sympy, python-flint and what the command line needs: every verb that proves or shows
runs, and says the same, where neither numpy nor numba nor any other library can be imported.
"""

import json
import os
import subprocess
import sys

import pytest
from helpers.command import INSTALLED

MISSING = (
    "numpy numba llvmlite scipy h5py h5netcdf arviz matplotlib pyarrow filelock platformdirs xarray"
    " pandas sklearn joblib PIL"
)
FINDER = f"""
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {MISSING.split()}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
"""
# Motzkin's polynomial is nonnegative by a combination that linear programming finds.
BY_A_LINEAR_PROGRAM = """
from sympy import Matrix, zeros
from recipe import Potential, Recipe, Scalar

x = Scalar("x")
y = Scalar("y")
U = Potential("U", x, y)
motzkin = x**4*y**2 + x**2*y**4 - 3*x**2*y**2 + 1
mine = Recipe(state=(x, y), H=U, D=Matrix([[motzkin, 0], [0, 1]]), Q=zeros(2))
"""
# The smallest eigenvalue of D is negative in a small region alone, which a descent finds.
BY_A_DESCENT = """
from sympy import Matrix, Rational, zeros
from recipe import Potential, Recipe, Scalar

x = Scalar("x")
y = Scalar("y")
U = Potential("U", x, y)
hole = (3*x - 1)**2 + (7*y - 1)**2 - Rational(1, 100)
mine = Recipe(state=(x, y), H=U, D=Matrix([[hole, 0], [0, 1]]), Q=zeros(2))
"""
PROVING = [
    ("--help",),
    ("list",),
    ("list", "--json"),
    ("explain",),
    ("explain", "diffusion-psd"),
    ("schemes",),
    ("schemes", "sgld"),
    ("derive", "sgld"),
    ("verify", "sgld"),
    ("verify", "sgld", "--json"),
    ("verify", "sgld", "--format", "markdown"),
    ("verify", "sgld", "--scheme", "euler"),
    ("verify", "mala"),
    ("verify", "squares.py"),
    ("verify", "hole.py"),
    ("audit", "blackjax", "--json"),
    ("verify", "sgld", "--certificate", "proof.json", "--force"),
    ("check", "proof.json"),
    ("check", "proof.json", "sgld"),
]
DEFAULT = [
    ("verify", "sgld", "--certificate", "proof.json", "--force"),
    ("check", "proof.json", "sgld"),
    ("audit", "hole.py", "--json"),
]
COMPILING = [
    ("generate", "sgld", "-o", "module.py"),
    ("sample", "sgld", "--posterior", "data.py", "--step-size", "0.1"),
    ("test", "sgld"),
    ("diagnose", "draws.nc"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("proofs")
    (found / "missing").mkdir()
    (found / "missing" / "sitecustomize.py").write_text(FINDER)
    (found / "squares.py").write_text(BY_A_LINEAR_PROGRAM)
    (found / "hole.py").write_text(BY_A_DESCENT)
    (found / "data.py").write_text("from recipe import Posterior\n")
    return found


def run(folder, commands, *, without):
    """Exit status, output and messages of each command, one after the other."""
    path = [str(folder / "missing")] * without + [str(INSTALLED)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "COLUMNS": "100"}
    found = []
    for command in commands:
        done = subprocess.run(
            [sys.executable, "-m", "recipe_cli", *command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        found.append((done.returncode, plain(done.stdout), done.stderr))
    return found


def plain(output):
    """The output; of JSON, without the times that reports name."""
    try:
        return without_times(json.loads(output))
    except ValueError:
        return output


def without_times(data):
    if isinstance(data, dict):
        return {key: without_times(value) for key, value in data.items() if key != "seconds"}
    return [without_times(value) for value in data] if isinstance(data, list) else data


def compare(folder, commands):
    withs, withouts = (run(folder, commands, without=w) for w in (False, True))
    for command, given, found in zip(commands, withs, withouts, strict=True):
        assert found == given, command
        assert given[0] in (0, 1, 3), (command, given)
        assert given[1] != "", command


def test_what_proves_and_shows_says_the_same_without_numpy(folder):
    compare(folder, DEFAULT)


@pytest.mark.slow
def test_every_form_of_the_verbs_says_the_same_without_numpy(folder):
    compare(folder, PROVING)


@pytest.mark.parametrize("command", [COMPILING[0]])
def test_what_compiles_names_what_is_missing(folder, command):
    missing_in_one_sentence(folder, command)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMPILING[1:])
def test_whatever_else_compiles_names_what_is_missing(folder, command):
    missing_in_one_sentence(folder, command)


def missing_in_one_sentence(folder, command):
    ((status, output, said),) = run(folder, [command], without=True)
    assert (status, output) == (2, "")
    assert said == "recipe: codegen needs numba, which is not installed: pip install numba\n"
