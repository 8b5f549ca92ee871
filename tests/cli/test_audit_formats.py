"""Audits for other programs: Markdown, SARIF, and what GitHub shows beside a line."""

import json

from helpers.command import ROOT, command

CLAIMS = """
import numpy as np
from sympy import Symbol, sqrt
from recipe import Noise, Potential, Update, Vector, grad, lift

theta, h = Vector("theta"), Symbol("h", positive=True)
U = Potential("U", theta)


def step(x, h, grad_u, rng):
    noise = np.sqrt(h)
    noise = noise * rng.standard_normal(x.shape)
    return x - h * grad_u(x) + noise


claim = {"state": {"x": theta}, "step": h, "noise": "rng", "target": U}
wrong = lift(step, **claim, gradient={"grad_u": grad(U, theta)})
written = Update(h, {theta: theta - h * grad(U, theta) + sqrt(2 * h) * Noise("w", like=theta)}, U)
"""
NOT_READ = CLAIMS.replace("x - h * grad_u(x) + noise", "np.abs(x) if x[0] > 0 else noise")
LINE = CLAIMS.split("\n").index("    noise = noise * rng.standard_normal(x.shape)") + 1


def files(folder):
    (folder / "claims.py").write_text(CLAIMS)
    (folder / "not_read.py").write_text(NOT_READ)
    return folder


def audit(folder, name, *arguments):
    done = command("audit", *arguments, "--format", name, cwd=files(folder))
    assert done.returncode in (1, 2), done.stderr
    return done.stdout


def test_github_shows_the_line_of_the_noise(tmp_path):
    printed = audit(tmp_path, "github", "claims.py", "not_read.py").splitlines()
    assert len(printed) == 2
    assert printed[0].startswith(f"::error file=claims.py,line={LINE},title=recipe audit::wrong is")
    assert "the noise sqrt(h)*w of theta must be sqrt(2*h)*w" in printed[0]
    assert printed[1].startswith(f"::error file=not_read.py,line={LINE + 1}::")


def test_sarif_is_of_its_form(tmp_path):
    log = json.loads(audit(tmp_path, "sarif", "claims.py", "not_read.py"))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    first, second = run["results"]
    assert {first["ruleId"], second["ruleId"]} == {"not-stationary", "not-read"} <= rules
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "claims.py"
    assert place["region"]["startLine"] == LINE
    assert first["level"] == "error"
    assert "2*U" in first["message"]["text"]


def test_markdown(tmp_path):
    lines = audit(tmp_path, "markdown", "claims.py").splitlines()
    assert lines[2].count("|") == lines[0].count("|") == 7
    assert f"claims.py:{LINE}" in lines[2]
    assert "| proved |" in lines[3]


def test_json_has_the_line(tmp_path):
    rows = json.loads(audit(tmp_path, "json", "claims.py"))
    assert (rows[0]["code_file"], rows[0]["code_line"]) == ("claims.py", LINE)
    assert rows[0]["term"] == "w*sqrt(h)"
    assert rows[1]["code_file"] is None
    page = (ROOT / "docs/audits.md").read_text()
    assert all(f"{field}" in page for field in rows[0])


def test_two_formats_are_refused(tmp_path):
    done = command("audit", "claims.py", "--json", "--format", "sarif", cwd=files(tmp_path))
    assert done.returncode == 2
    assert "--json and --format sarif are two formats" in done.stderr


def test_a_dotted_name_that_is_not_there():
    done = command("audit", "no_such_library.sgld")
    assert done.returncode == 2
    assert done.stderr == (
        "recipe: no_such_library is not installed: pip install no_such_library\n"
    )
    done = command("audit", "numpy.linalg.norm")
    assert "which argument is what is not known of it" in done.stderr


def test_names_that_are_nearly_right(tmp_path):
    done = command("audit", "numpy.random.nosuch")
    assert done.stderr.endswith("numpy.random has no nosuch\n")
    done = command("audit", "numpy.random.norml")
    assert done.stderr.endswith("numpy.random has no norml; did you mean normal?\n")
    (tmp_path / "claims.txt").write_text("")
    done = command("audit", "claims.txt", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        "recipe: claims.txt is a file whose name does not end in .py\n",
    )
    (tmp_path / "my_package").mkdir()
    done = command("audit", "my_package.claims", cwd=tmp_path)
    assert done.returncode == 2
    assert "my_package is in the working directory, where Python does not look" in done.stderr
