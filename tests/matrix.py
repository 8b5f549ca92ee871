"""Try the wheel with every interpreter and set of libraries that can be had here.

    python tests/matrix.py dist/recipe_sampler-*.whl [--only newest,pymc-5] [--python 3.12] [--json]

Each cell is a fresh virtual environment outside of the checkout: the wheel is installed beside the
libraries of the cell, pip checks that all of them agree, and the tests or the program of the cell
run. An interpreter that is not here, and libraries that the package index does not have for it,
are skipped, and that is said. Exit status: 0 all that ran is right, 1 something failed or nothing
ran.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parent
INTERPRETERS = ("3.11", "3.12", "3.13")
MEGABYTE = 10**6

# What is tried where all of the default install is there: verdicts, bits of draws, files of draws.
SUITE = (
    "verify/test_verify.py",
    "codegen/running/test_determinism.py",
    "codegen/results/test_convergence.py",
    "recipe/test_spread.py",
)
NEEDED_BY_TESTS = ("arviz<1", "hypothesis", "pytest", "pytest-xdist", "scipy")
PROOFS = """
import subprocess, sys
recipe = sys.argv[1]
for call, words in (
    ("verify sgrhmc sghmc", "proved"),
    ("verify sghmc --scheme baoab", "invariant-order"),
    ("audit --all", "refuted"),
    ("derive sgnht", "Gamma"),
    ("verify sgld --certificate sgld.json", "proved"),
    ("check sgld.json", "confirmed"),
):
    done = subprocess.run([recipe, *call.split()], capture_output=True, text=True)
    assert done.returncode == 0 and words in done.stdout, (call, done.stdout, done.stderr)
absent = subprocess.run(
    [sys.executable, "-c", "import numpy"], capture_output=True, text=True
).returncode
assert absent, "numpy is there, so that nothing is shown"
"""
DRAWS = """
import arviz, numpy, sympy
from catalog.sgld import sgld
from codegen import diagnose, read_draws, sample
from recipe import Potential, bind, total

(U,) = sgld.abstract
(theta,) = U.blocks
bound = bind(sgld, {U: total(theta**2) / 2})
how = {"step_size": 0.1, "steps": 400, "chains": 4, "lengths": {theta: 3}, "progress": False}
draws = sample(bound, seed=1, **how)
ours = diagnose(draws)
draws.save("draws.nc")
again = diagnose(read_draws("draws.nc"))
assert ours.rows == again.rows
theirs = draws.to_arviz()
assert diagnose(theirs).rows == ours.rows
table = arviz.summary(theirs, round_to="none")
columns = [c for c in table.columns if c.startswith("ess_bulk")]
numpy.testing.assert_allclose(
    table[columns[0]].to_numpy(float), [row.ess_bulk for row in ours.rows], rtol=1e-6
)
print(type(theirs).__module__, type(theirs).__name__)
"""
PYMC = (
    DRAWS
    + """
import pymc
with pymc.Model():
    pymc.Normal("x", shape=2)
    how = {"tune": 200, "chains": 2, "cores": 1, "progressbar": False}
    found = diagnose(pymc.sample(200, random_seed=1, **how))
assert len(found.rows) == 2, found
"""
)


@dataclass(frozen=True)
class Cell:
    """A set of libraries, the interpreters it is tried with, and what is tried.

    Attributes:
        name: the name of the cell.
        requirements: what pip installs beside the wheel.
        interpreters: the versions of Python.
        program: the text of a program that must end with the status 0; None for ``SUITE``.
        alone: whether the wheel is installed without its dependencies.
    """

    name: str
    requirements: tuple[str, ...]
    interpreters: tuple[str, ...] = INTERPRETERS
    program: str | None = None
    alone: bool = False


CELLS = (
    Cell("newest", ()),
    Cell(
        "oldest",
        (
            "numpy==2.0.*",
            "numba==0.62.*",
            "sympy==1.13.*",
            "python-flint==0.8.*",
            "h5netcdf==1.4.*",
            "h5py==3.11.*",
            "filelock==3.30.*",
            "platformdirs==4.0.*",
            "rich==13.*",
            "typer==0.29.*",
        ),
        ("3.11", "3.12"),  # numpy 2.0 has no wheels for 3.13
    ),
    Cell("proofs", ("sympy", "python-flint", "typer", "rich"), program=PROOFS, alone=True),
    Cell("arviz-0", ("arviz<1", "xarray"), program=DRAWS),
    Cell("arviz-1", ("arviz>=1", "xarray"), ("3.12", "3.13"), DRAWS),
    Cell("pymc-5", ("pymc>=5,<6", "arviz<1"), program=PYMC),
    Cell("pymc-6", ("pymc>=6",), program=PYMC),
)


@dataclass(frozen=True)
class Outcome:
    """What became of a cell with an interpreter: ``right``, ``failed`` or ``skipped``."""

    cell: str
    python: str
    outcome: str
    detail: str
    seconds: float = 0.0
    megabytes: float = 0.0


@cache
def interpreter(version: str) -> str | None:
    """Return a program that runs this version of Python: on the path, or of pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [shutil.which(f"python{version}"), *pyenv.glob(f"{version}*/bin/python")]
    for candidate in filter(None, candidates):
        asked = [str(candidate), "-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])"]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        if done.stdout.strip() == version:
            return str(candidate)
    return None


def tried(cell: Cell, version: str, wheel: Path) -> Outcome:
    """Make the environment of a cell, and run what is to be tried in it."""
    python = interpreter(version)
    if python is None:
        return Outcome(cell.name, version, "skipped", "this version of Python is not here")
    with tempfile.TemporaryDirectory(prefix="recipe-matrix-") as name:
        folder = Path(name)
        run([python, "-m", "venv", "--without-pip", str(folder / "venv")], folder)
        inside = str(folder / "venv/bin/python")
        absent = can_be_had(cell, inside, folder) if cell.requirements else None
        if absent is not None:
            return Outcome(cell.name, version, "skipped", absent)
        start = time.perf_counter()
        fault = install(cell, inside, wheel, folder)
        seconds, size = time.perf_counter() - start, megabytes(folder / "venv")
        detail = f"{seconds:.0f} s to install, {size:.0f} MB"
        if fault is not None:
            return Outcome(cell.name, version, "failed", fault, seconds, size)
        done = attempt(cell, inside, folder)
        right = done.returncode == 0
        said = last_line(done) if cell.program is None or not right else detail
        return Outcome(cell.name, version, "right" if right else "failed", said, seconds, size)


def install(cell: Cell, python: str, wheel: Path, folder: Path) -> str | None:
    """Install the wheel beside the libraries of a cell, and let pip check that they agree; return
    what pip says where it fails.
    """
    calls = [["install", str(wheel), *cell.requirements], ["check"]]
    if cell.alone:
        calls = [["install", *cell.requirements], ["install", "--no-deps", str(wheel)]]
    for call in calls:
        done = pip(python, folder, *call)
        if done.returncode:
            return last_line(done)
    return None


def can_be_had(cell: Cell, python: str, folder: Path) -> str | None:
    """Return what pip says if it cannot find the libraries of a cell, without ours: then the cell
    is skipped. All that fails afterwards is our fault.
    """
    done = pip(python, folder, "install", "--dry-run", *cell.requirements)
    return last_line(done) if done.returncode else None


def attempt(cell: Cell, python: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the program of a cell, or the tests of ``SUITE`` on a copy of the tests."""
    if cell.program is not None:
        program = folder / "program.py"
        program.write_text(cell.program)
        return run([python, str(program), str(folder / "venv/bin/recipe")], folder)
    done = pip(python, folder, "install", *NEEDED_BY_TESTS)
    if done.returncode:
        return done
    copy = folder / "tests"
    shutil.copytree(TESTS, copy, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(TESTS.parent / "pyproject.toml", folder)
    options = ["--override-ini", "pythonpath=tests", "-p", "no:cacheprovider"]
    return run([python, "-P", "-m", "pytest", *options, *(f"tests/{f}" for f in SUITE)], folder)


def pip(python: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pip for the environment of an interpreter."""
    quiet = ("--quiet", "--disable-pip-version-check")
    return run([sys.executable, "-m", "pip", "--python", python, *quiet, *arguments], folder)


def run(call: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder, without the settings of the environment that this one runs in."""
    left_out = {"PYTHONPATH", "VIRTUAL_ENV", "PYTEST_ADDOPTS", "RECIPE_CACHE"}
    environment = {k: v for k, v in os.environ.items() if k not in left_out}
    environment["RECIPE_CACHE"] = str(folder / "cache")
    return subprocess.run(
        call, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    """Return the last line that says something."""
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


def megabytes(folder: Path) -> float:
    """Return the megabytes of all files in a folder."""
    files = (p for p in folder.rglob("*") if p.is_file() and not p.is_symlink())
    return sum(p.stat().st_size for p in files) / MEGABYTE


def outcomes(wheel: Path, cells: Sequence[str], versions: Sequence[str]) -> Iterator[Outcome]:
    """Try the chosen cells with the chosen versions of Python, one after another."""
    for cell in CELLS:
        for version in cell.interpreters:
            if cell.name in cells and version in versions:
                print(f"{cell.name}, Python {version} ...", file=sys.stderr)
                yield tried(cell, version, wheel)


def chosen_of(names: Sequence[str]) -> Callable[[str], list[str]]:
    """Return what reads a list of some of these names."""

    def read(text: str) -> list[str]:
        chosen = text.split(",")
        if unknown := sorted(set(chosen) - set(names)):
            raise argparse.ArgumentTypeError(f"there is no {', '.join(unknown)}")
        return chosen

    return read


def main() -> int:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("wheel", type=Path)
    names = [cell.name for cell in CELLS]
    parser.add_argument("--only", type=chosen_of(names), default=names, help=", ".join(names))
    parser.add_argument(
        "--python", type=chosen_of(INTERPRETERS), default=INTERPRETERS, help=", ".join(INTERPRETERS)
    )
    parser.add_argument("--json", action="store_true", help="for machines")
    options = parser.parse_args()
    if not options.wheel.is_file():
        parser.error(f"there is no file {options.wheel}")
    found = []
    for outcome in outcomes(options.wheel.resolve(), options.only, options.python):
        found.append(outcome)
        if not options.json:
            print(f"{outcome.outcome:8} {outcome.cell:9} {outcome.python:5} {outcome.detail}")
    if options.json:
        print(json.dumps([asdict(outcome) for outcome in found], indent=2))
    kinds = {outcome.outcome for outcome in found}
    return int("failed" in kinds or "right" not in kinds)


if __name__ == "__main__":
    sys.exit(main())
