"""The wheel in environments of its own (minutes; a package index)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
VERSION = "{}.{}".format(*sys.version_info[:2])
USER = """
from recipe_sampler import Recipe, sample, verify

reveal_type(Recipe)
reveal_type(verify)
reveal_type(sample)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "build", "--outdir", folder, ROOT], check=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.mark.slow
@pytest.mark.parametrize("cell", ["proofs", "newest"])
def test_a_cell_of_the_matrix_is_right(wheel, cell):
    """Without dependencies beside sympy, python-flint, typer and rich; and as pip installs it."""
    call = ["tests/matrix.py", wheel, "--only", cell, "--python", VERSION, "--json"]
    done = subprocess.run(
        [sys.executable, *call], cwd=ROOT, capture_output=True, text=True, check=False
    )
    (outcome,) = json.loads(done.stdout)
    assert outcome["outcome"] == "right", outcome
    assert done.returncode == 0


@pytest.mark.slow
def test_a_type_checker_sees_the_types(wheel, tmp_path):
    target = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", target]
    subprocess.run([*pip, wheel], check=True)
    (tmp_path / "user.py").write_text(USER)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--ignore-missing-imports", "user.py"],
        cwd=tmp_path,
        env={"MYPYPATH": str(target), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    revealed = [line for line in done.stdout.splitlines() if "Revealed type" in line]
    assert len(revealed) == 3, done.stdout + done.stderr
    assert not any('is "Any"' in line for line in revealed), revealed
