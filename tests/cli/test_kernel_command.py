"""Kernels on the command line, as a user types it."""

import json

import pytest
from helpers.command import command

from verify.obligations import KERNEL_OBLIGATIONS

FILE = """
from sympy import *
from recipe import *
theta = Vector("theta"); r = Vector("r", like=theta)
U = Potential("U", theta); h = Symbol("h", positive=True)
flow = Recipe((theta, r), U + total(r**2) / 2, Matrix.zeros(2), Matrix([[0, -1], [1, 0]]))
kick = (r, r - h / 2 * grad(U, theta))
leapfrog = Update(h, [kick, (theta, theta + h * r), kick], flow.H)
hmc = compose(refresh(flow, r), metropolis(leapfrog, times=5, flip=r))
test = metropolis(leapfrog, flip=r, flip_on_rejection=False)
unturned = compose(refresh(flow, r, keep=exp(-h)), test, expect="refuted")
"""


@pytest.fixture
def kernels(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(FILE)
    return path


def test_a_file_of_recipes_and_kernels_is_verified_one_by_one(kernels):
    done = command("verify", kernels)
    assert done.returncode == 0, done.stderr
    for line in ("flow (recipe, ", "leapfrog (claim, ", "hmc (kernel, ", "unturned (kernel, "):
        assert line in done.stdout
    assert (
        "hmc (kernel, "
        + str(kernels)
        + "): proved for every d_theta, every smooth U(theta), every positive h"
        in done.stdout
    )
    assert "times that of exp(-H) there, not 1" in done.stdout


def test_an_audit_that_comes_out_otherwise_is_an_error(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(FILE.replace('expect="refuted"', 'expect="proved"'))
    done = command("verify", f"{path}:unturned")
    assert done.returncode == 1
    assert "expected to be proved, but it is refuted" in done.stdout


def test_a_kernel_as_json(kernels):
    (report,) = json.loads(command("verify", f"{kernels}:hmc", "--json").stdout)
    assert report["kind"] == "kernel"
    asked = [o.name for o in KERNEL_OBLIGATIONS if o.name != "where"]  # it has no conditions
    assert [line["name"] for line in report["obligations"]] == asked
    assert "invariance" in command("verify", f"{kernels}:hmc", "--format", "markdown").stdout


def test_a_certificate_of_a_kernel_is_checked_again(kernels, tmp_path):
    path = tmp_path / "c.json"
    assert command("verify", f"{kernels}:hmc", "--certificate", path).returncode == 0
    done = command("check", path, f"{kernels}:hmc")
    assert done.returncode == 0
    assert "a Markov chain of" in done.stdout
    assert "it is about" in done.stdout


@pytest.mark.parametrize("name", ["detailed-balance", "invariance"])
def test_what_is_new_is_explained(name):
    (explained,) = (o.explanation for o in KERNEL_OBLIGATIONS if o.name == name)
    assert explained in command("explain", name).stdout
