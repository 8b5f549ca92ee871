"""What the command says to somebody who mistypes, forgets, or is new to symbols."""

import os
import re
import subprocess
import sys

import pytest
from helpers.command import ROOT, command

from recipe.language.did_you_mean import did_you_mean


@pytest.mark.by_default(6)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("smaple", "Did you mean 'sample'?"),
        ("sample shgmc --posterior bioassay --step-size 1", "did you mean sghmc?"),
        ("sample sghmc --posterior boassay --step-size 1 --param C=1", "did you mean bioassay?"),
        ("sample sghmc --posterior bioassay --step-size 1 --scheme eulr", "did you mean euler?"),
        ("sample sghmc --posterior bioassay --step-size 1 --param c=1", "did you mean C?"),
        ("sample sghmc --posterior bioassay --step-siz 1", "Did you mean --step-size?"),
        ("sample sghmc --friction 1", "given as --param friction=VALUE"),
        ("sample", "Missing FILE, --posterior, --step-size. An example: recipe sample hmc_kernel"),
        ("sample --posterior bioassay --step-size 1", "Missing FILE. An example: recipe sample"),
        ("sample hmc_kernel --posterior bioassay", "Missing --step-size. An example: recipe"),
        ("sample --burn-in 100", "No such option: --burn-in. Did you mean --warmup?"),
        ("sample --lr 0.1", "Did you mean --step-size?"),
        ("sample --frobnicate 1", "is given as --param frobnicate=VALUE"),
        ("sample --adapt-delta 0.9", "--step-size auto finds the step size"),
        ("summary draws.nc", "`recipe diagnose DRAWS.nc` judges"),
        (
            "sample sgld --posterior bioassay --step-size 1 -o draws.csv",
            "draws.csv would hold NetCDF, in which draws are written; call it draws.nc",
        ),
        ("explain stationary", "did you mean stationarity?"),
        ("verify sghmc --require normalizable", "did you mean normalisable?"),
        ("audit black_jax", "did you mean blackjax?"),
        (
            "sample sgld --posterior bioassay --step-size 1 --steps 1.5",
            "'1.5' is not a whole number",
        ),
        (
            "sample sgld --posterior bioassay --step-size 1 --steps 1e3 --keep thteta",
            "keep= names thteta",
        ),
    ],
)
def test_what_is_meant_is_asked_for(arguments, words):
    done = command(*arguments.split())
    assert done.returncode == 2, done
    assert words in re.sub(r"[\s│]+", " ", done.stderr)


def test_nothing_is_proposed_that_is_unlike():
    assert did_you_mean("friction", ["step", "theta"]) == ""
    assert did_you_mean("Theta", ["theta", "r"]) == "did you mean theta? "
    assert did_you_mean("xi_1", ["xi-1", "r"]) == "did you mean xi-1? "


MODEL = """
import math
import numpy as np
from sympy import Interval, exp, log, oo
from recipe import Data, Posterior, Scalar, Vector, laws, total
theta, a = Vector("theta"), Scalar("a")
x, y = Data("x", like=theta), Data("y")
X, Y = np.ones((4, 2)), np.ones(4)
def normal(e, of):
    return Posterior(of, e, -total(theta**2) / 2, {x: X, y: Y})
"""


@pytest.mark.by_default(6)
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("e = np.exp(1 + total(x * theta))", "from sympy import exp"),
        ("e = np.log1p(exp(a))", "write log(1 + x)"),
        ("e = math.log(a)", "use the function of sympy"),
        ("e = x @ theta", "total(x * theta)"),
        ("e = X @ theta", "total(x * theta)"),
        ("e = 1 if a > 0 else 2", "a > 0 is neither true nor false"),
        ("e = -(a > 0)", "a comparison is no number"),
        ("e = sum(theta)", "total(theta**2)"),
        ("e = theta[1:]", "a block stands for one of its coordinates"),
        ("e = sum(1 for i in range(len(theta)))", "theta.dim"),
        ("e = total(2)", "leave total out"),
        ("e = laws.student_t(y, nu=3)", "the law is student_t(x, df, location, scale)"),
        ("e = Scalar('s', positive=True)", "domain=Interval.open(0, oo)"),
        ("p = normal(-(y - x * theta)**2, theta)", "inner product as total(theta*x)"),
        ("p = normal(-(y - total(x * theta))**2 + theta * theta, theta)", "total(theta**2)"),
        ("p = normal(-(Y - a)**2, theta)", "is an array of the shape (4,), not an expression"),
    ],
)
def test_slips_of_beginners_are_one_sentence_with_the_repair(tmp_path, line, words):
    path = tmp_path / "model.py"
    path.write_text(MODEL + line + "\n")
    done = command("verify", path)
    assert done.returncode == 2
    assert f"line {MODEL.count(chr(10)) + 1}: " in done.stderr or "p = " in line
    assert words in done.stderr
    assert "Error" not in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("verb", ["", "sample", "verify", "generate", "test"])
def test_help_is_grouped_and_fits_eighty_columns(verb):
    """Started afresh, as the tests' own server has a wide terminal."""
    done = subprocess.run(
        [sys.executable, "-m", "recipe_cli", *verb.split(), "--help"],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert max(map(len, done.stdout.splitlines())) <= 80
    headings = re.findall(r"^╭─ ([\w ]+) ─", done.stdout, re.MULTILINE)
    assert len(headings) >= 4, headings


def test_help_imports_nothing_that_takes_time():
    code = (
        "import sys; sys.argv = ['recipe', 'sample', '--help']\n"
        "from recipe_cli.start import main\n"
        "try:\n    main()\n"
        "finally:\n    print([m for m in ('sympy', 'numpy', 'numba') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.endswith("[]\n"), done
