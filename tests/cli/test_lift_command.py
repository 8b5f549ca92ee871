"""``recipe lift``, and the other commands on files that read rules out of code."""

import json
import re

import pytest
from helpers.command import ROOT, command

FILE = """
from sympy import Symbol, sqrt
from recipe import Potential, Vector, grad, lift
import library

theta, h = Vector("theta"), Symbol("h", positive=True)
U = Potential("U", theta)
claim = {"state": {"x": theta}, "step": h, "noise": "rng", "target": U}
claim |= {"gradient": {"grad_u": grad(U, theta)}}
right = lift(library.right, **claim)
wrong = lift(library.wrong, **claim, expect="refuted")
"""
LIBRARY = """
import numpy as np


def right(x, h, grad_u, rng):
    noise = rng.standard_normal(x.shape)
    return x - h * grad_u(x) + np.sqrt(2 * h) * noise


def wrong(x, h, grad_u, rng):
    return x - h * grad_u(x) + np.sqrt(h) * rng.standard_normal(x.shape)
"""


def written(folder):
    (folder / "library.py").write_text(LIBRARY)
    (folder / "claims.py").write_text(FILE)
    return folder


def test_a_lifted_rule_is_sampled_with_a_posterior(tmp_path):
    folder = written(tmp_path)
    run = ["--posterior", "bioassay", "--step-size", "0.02", "--steps", "300", "--chains", "2"]
    done = command("sample", "claims.py:right", *run, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (
        "note: right is proved to leave exp(-H) stationary, H = U, as its step h vanishes; at a"
        " step size its law is off by a multiple of h (order exactly 1; proved in one dimension)"
    ) in done.stdout


@pytest.mark.slow
def test_a_refuted_lifted_rule_is_sampled_where_the_user_insists(tmp_path):
    folder = written(tmp_path)
    run = ["--posterior", "bioassay", "--step-size", "0.02", "--steps", "300", "--chains", "2"]
    refused = command("sample", "claims.py:wrong", *run, cwd=folder)
    assert refused.returncode == 1
    assert refused.stderr.startswith("recipe: wrong is refuted (stationarity)")
    insisted = command("sample", "claims.py:wrong", *run, "--unproved", cwd=folder)
    assert insisted.returncode == 0, insisted.stderr
    assert "note: wrong is refuted (stationarity)" in insisted.stderr
    assert "is proved" not in insisted.stdout


def test_the_module_of_a_lifted_rule_is_checked(tmp_path):
    folder = written(tmp_path)
    made = command(
        "generate", "claims.py:right", "--posterior", "bioassay", "-o", "right.py", cwd=folder
    )
    assert made.returncode == 0, made.stderr
    law = ["--posterior", "bioassay", "-o", "right.py", "--check"]
    assert command("generate", "claims.py:right", *law, cwd=folder).returncode == 0
    text = (folder / "right.py").read_text()
    (folder / "right.py").write_text(text.replace("w_b * math.sqrt(2.0)", "w_b * math.sqrt(2.5)"))
    assert text != (folder / "right.py").read_text()
    assert command("generate", "claims.py:right", *law, cwd=folder).returncode == 1


def test_what_was_read_is_shown(tmp_path):
    done = command("lift", "claims.py", cwd=written(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "right: read from right, library.py, line 5" in done.stdout
    assert "theta <- sqrt(2)*w*sqrt(h) - h*grad(U, theta) + theta" in done.stdout
    assert "library.py, line 7" in done.stdout
    assert "w: standard normal, library.py, line 6" in done.stdout
    assert "values agree" in done.stdout


def test_formats(tmp_path):
    written(tmp_path)
    latex = command("lift", "claims.py:wrong", "--format", "latex", cwd=tmp_path)
    assert latex.stdout.startswith("\\begin{align*}")
    assert "library.py:11" in latex.stdout
    data = json.loads(command("lift", "claims.py", "--format", "json", cwd=tmp_path).stdout)
    assert [d["name"] for d in data] == ["right", "wrong"]
    assert {t["line"] for t in data[1]["terms"]} == {None, 11}


def test_an_audit_of_what_was_read(tmp_path):
    done = command("audit", "claims.py", cwd=written(tmp_path))
    assert done.returncode == 0, done.stderr + done.stdout
    assert "1 proved, 1 refuted; all as expected" in done.stdout


def test_bad_input_is_one_sentence(tmp_path):
    written(tmp_path)
    (tmp_path / "library.py").write_text(
        LIBRARY.replace("return x -", "return abs(x) if x[0] > 0 else x -")
    )
    done = command("lift", "claims.py", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "library.py, line 7: the code compares values" in done.stderr
    done = command("lift", "sgld")
    assert done.returncode == 2
    assert "sgld reads no rule out of code" in done.stderr


def test_the_page_shows_what_is_printed(tmp_path):
    page = (ROOT / "docs/lifting.md").read_text()
    (tmp_path / "claims.py").write_text(
        re.search(r"```python\n(# claims.*?)```", page, re.DOTALL)[1]
    )
    shown = re.search(r"\$ recipe lift claims.py\n(.*?)\$ recipe audit", page, re.DOTALL)[1]
    printed = command("lift", "claims.py", cwd=tmp_path).stdout
    version = r"\(numpy [^)]*\)"
    assert re.sub(version, "", printed) == re.sub(version, "", shown)
    audited = command("audit", "claims.py", cwd=tmp_path)
    assert audited.returncode == 1
    assert "the noise sqrt(h)*w of theta must be sqrt(2*h)*w" in audited.stdout
