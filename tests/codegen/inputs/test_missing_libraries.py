"""What works, and what is said, where scikit-learn, scipy and pyarrow cannot be imported."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.command import INSTALLED

ROOT = Path(__file__).parents[3]
BLOCK = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("scipy", "sklearn", "pyarrow"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Blocked())
"""
SAMPLES = """
import sys
import numpy as np
from catalog.posteriors.breast_cancer import posterior
from catalog.sgld import sgld
from codegen import read_libsvm, sample
from recipe import bind
open("a.txt", "w").write("1 2:0.5\\n")
print(read_libsvm("a.txt")[0].tolist())
target = bind(sgld, {next(iter(sgld.abstract)): posterior})
draws = sample(target, step_size=1e-3, steps=40, chains=1, batch_size=50, control_variates=True)
print(draws["theta"].shape, bool(np.isfinite(draws["theta"]).all()))
print({"scipy", "sklearn", "pyarrow"} & sys.modules.keys())
"""
READS = """
from codegen import read_table
read_table("t.csv", {"x": "a"})
"""
# Where a library may be imported, and why.
ALLOWED = {
    "sklearn": (),
    "pyarrow": (
        "codegen/files/tables.py",
        "codegen/files/csv_columns.py",
        "codegen/files/parquet_columns.py",
    ),
    "scipy": (
        "verify/__init__.py",
        "verify/statistics",
        "recipe_cli/render/step_pictures.py",
        "recipe_cli/program/preflight.py",
    ),
}


@pytest.fixture
def blocked(tmp_path):
    """Run Python in a process where the three libraries are not there."""
    folder = tmp_path / "block"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(BLOCK)

    def run(*arguments):
        environment = os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{INSTALLED}"}
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.mark.slow
def test_a_posterior_is_sampled_with_minibatches_and_control_variates(blocked):
    done = blocked("-c", SAMPLES)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["[[0.0, 0.5]]", "(1, 40, 31) True", "set()"]


def test_a_table_without_pyarrow_is_one_sentence(blocked, tmp_path):
    (tmp_path / "t.csv").write_text("a\n1\n")
    (tmp_path / "mine.py").write_text(READS)
    call = ["generate", "sgld", "--posterior", "mine.py", "-o", "kernel.py"]
    done = blocked("-m", "recipe_cli", *call)
    assert done.returncode == 2
    (said,) = done.stderr.splitlines()
    assert "t.csv) needs pyarrow, which is not installed" in said
    assert said.endswith('pip install "recipe-sampler[data]"')
    assert not (tmp_path / "kernel.py").exists()


def test_recipe_test_without_scipy_is_one_sentence(blocked):
    done = blocked("-m", "recipe_cli", "test", "sgld")
    assert done.returncode == 2
    (said,) = done.stderr.splitlines()
    assert said.endswith(
        'needs scipy, which is not installed: pip install "recipe-sampler[statistics]"'
    )
    done = blocked("-c", "import verify.statistics")
    assert 'pip install "recipe-sampler[statistics]"' in done.stderr.splitlines()[-1]


def test_statistical_tests_may_be_named_without_scipy_and_say_it_when_they_are_called(blocked):
    done = blocked(
        "-c",
        "import pydoc, verify as package\n"
        "from recipe_sampler import *\n"
        "assert hasattr(package, 'check_sweep')\n"
        "assert 'needs scipy' in pydoc.render_doc(check_invariance)\n"
        "check_kernel(1, against=2)\n",
    )
    assert done.stderr.splitlines()[-1] == (
        "ImportError: verify.check_kernel needs scipy, which is not installed: pip install"
        ' "recipe-sampler[statistics]"'
    )


@pytest.mark.parametrize("library", ALLOWED)
def test_a_library_is_imported_nowhere_else(library):
    for package in ("recipe", "verify", "codegen", "catalog", "recipe_cli"):
        for path in sorted((ROOT / package).rglob("*.py")):
            file, text = path.relative_to(ROOT).as_posix(), path.read_text()
            for node in ast.walk(ast.parse(text)) if library in text else ():
                names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                if any(name.partition(".")[0] == library for name in names):
                    assert file.startswith(ALLOWED[library]), f"{file} imports {library}"
