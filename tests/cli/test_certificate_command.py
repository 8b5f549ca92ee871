"""``recipe verify --certificate`` and ``recipe check``, as a user types them."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cases.recipe_files import UNDECIDED, file

from recipe_cli.main import main
from verify.certificate import canonical, digest_of

ROOT = Path(__file__).parents[2]
HEAD = """
from sympy import *
from recipe import *
theta = Vector("theta"); r = Vector("r", like=theta)
U = Potential("U", theta); C = Symbol("C", positive=True)
H = U + total(r**2) / 2; Q = Matrix([[0, -1], [1, 0]])
"""
TWO = (
    HEAD + "one = Recipe((theta, r), H, Matrix([[0, 0], [0, C]]), Q)\ntwo = Recipe((theta, r), H,"
    " Matrix([[0, 0], [0, 2 * C]]), Q)\n"
)


@pytest.fixture
def command(monkeypatch, capsys):
    """Runs the command in this process: exit status, stdout, stderr."""
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["recipe", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return ended.value.code or 0, said.out, said.err

    return run


@pytest.fixture
def sghmc(tmp_path, command):
    """A certificate of SGHMC."""
    path = tmp_path / "sghmc.json"
    status, _, said = command("verify", "sghmc", "--certificate", path)
    assert (status, said) == (0, f"wrote {path}\n")
    return path


def test_a_proof_is_written_and_confirmed(sghmc, command):
    status, out, _ = command("check", sghmc)
    assert status == 0
    first, *lines = out.splitlines()
    assert first.startswith(f"{sghmc} (sghmc, recipe): confirmed")
    assert "error below 2^-100" in out
    required = [line for line in lines if "(not required)" not in line]
    assert sum(line.startswith("  confirmed") for line in required) == 7
    assert "assumed: the process does not explode" in out
    assert "assumed: exp(-U) is normalisable" in out
    assert "assumed: exp(-H) is normalisable" not in out  # as it is confirmed


def test_it_is_said_what_was_checked_of_what_and_with_which_scope(sghmc, command):
    """The scope is that of the declarations, and not the sentence in the certificate."""
    said = json.loads(sghmc.read_text()) | {"scope": "every sampler there is"}
    sghmc.write_text(canonical(said | {"sha256": digest_of(said)}))
    status, out, _ = command("check", sghmc)
    assert status == 0
    assert "every sampler there is" not in out
    words = [line.split() for line in out.splitlines()]
    assert ["scope", "every", "length", "d_theta"] in words
    assert ["scope", "every", "smooth", "potential", "U(theta)"] in words
    assert ["scope", "every", "positive", "parameter", "C"] in words
    assert "checked              recipe sghmc, a process of (theta, r), for exp(-H), H = " in out
    (report,) = json.loads(command("verify", "sghmc", "--json")[1])
    lines = {o["name"]: o for o in json.loads(command("check", sghmc, "--json")[1])["obligations"]}
    obligations = report["obligations"]
    assert lines.keys() == {o["name"] for o in obligations}
    assert {n for n, o in lines.items() if o["required"]} == {
        o["name"] for o in obligations if o["required"]
    }
    assert lines["uniqueness"]["status"] == "cannot be certified"
    assert "uniqueness (not required)" in out


def test_an_obligation_that_is_left_out_is_named(tmp_path, command):
    file, path = tmp_path / "two.py", tmp_path / "cert.json"
    file.write_text(
        TWO.replace("U = Potential", "V = Potential").replace(
            "H = U", "U = total(theta**4 - theta**2)\nH = U"
        )
    )
    assert command("verify", f"{file}:two", "--certificate", path)[0] == 0
    said = json.loads(path.read_text())
    for line in said["left_out"]:
        assert line["verdict"] != "proved"
    said["left_out"].append({"name": "harmony", "verdict": "undecided", "reason": "nobody tried"})
    path.write_text(canonical(said | {"sha256": digest_of(said)}))
    status, out, _ = command("check", path)
    assert status == 0
    assert "harmony (not required)" in out
    assert "the certificate does not claim it: undecided, nobody tried" in out


def test_it_is_said_whether_it_is_about_a_recipe(sghmc, command, tmp_path):
    status, out, _ = command("check", sghmc, "sghmc")
    assert status == 0
    assert "it is about sghmc:sghmc" in out
    file = tmp_path / "two.py"
    file.write_text(TWO)
    status, out, _ = command("check", sghmc, f"{file}:two")
    assert status == 1
    assert "it is not about" in out
    assert "D[r, r]: the certificate has C, the recipe 2*C" in out
    said = json.loads(command("check", sghmc, f"{file}:two", "--json")[1])
    assert (said["status"], said["about"]["same"]) == ("rejected", False)
    assert command("check", sghmc, file)[0] == 2


def test_for_machines(sghmc, command):
    status, out, _ = command("check", sghmc, "sghmc", "--json")
    said = json.loads(out)
    assert (status, said["name"], said["kind"], said["status"]) == (
        0,
        "sghmc",
        "recipe",
        "confirmed",
    )
    assert said["about"] == {"recipe": "sghmc:sghmc", "same": True, "difference": None}
    assert {o["status"] for o in said["obligations"] if o["required"]} == {"confirmed"}
    assert said["assumptions"]


def test_a_false_certificate_is_rejected(sghmc, command):
    false = json.loads(sghmc.read_text())
    false["subject"]["Q"][0][1], false["subject"]["Q"][1][0] = (
        false["subject"]["Q"][1][0],
        false["subject"]["Q"][0][1],
    )
    sghmc.write_text(canonical(false | {"sha256": digest_of(false)}))
    status, out, _ = command("check", sghmc)
    assert status == 1
    assert "rejected" in out


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        "{}",
        '{"version": NaN}',
        '{"version": 1, "version": 1}',
        "[" * 100_000,
        "\xff",
    ],
)
def test_what_is_no_certificate_is_one_sentence(tmp_path, command, text):
    path = tmp_path / "cert.json"
    path.write_text(text, encoding="latin-1")
    status, out, err = command("check", path)
    assert (status, out) == (2, "")
    assert err.startswith("recipe: ")
    assert err.count("\n") == 1


def test_a_missing_file_and_a_folder_are_one_sentence(tmp_path, command):
    for path in (tmp_path / "none.json", tmp_path):
        status, _, err = command("check", path)
        assert status == 2
        assert err.startswith("recipe: ")


def test_only_what_is_proved_is_written(tmp_path, command):
    path = tmp_path / "cert.json"
    status, _, err = command("verify", file(tmp_path, UNDECIDED), "--certificate", path)
    assert status == 3
    assert "no certificate was written: open_question is undecided (boundary)" in err
    assert not path.exists()


@pytest.fixture
def translation(tmp_path, command):
    """A module with the certificate of its translation."""
    module, path = tmp_path / "kernel.py", tmp_path / "kernel.json"
    status, _, said = command("generate", "sgld", "-o", module, "--certificate", path)
    assert (status, said) == (0, f"wrote {module}\nwrote {path}\n")
    return module, path


def findings(out):
    return {o["name"]: o["status"] for o in json.loads(out)["obligations"]}


def test_a_translation_is_compared_with_a_module(translation, command):
    module, path = translation
    status, out, _ = command("check", path, "--module", module, "--json")
    assert status == 3  # the hashes agree, and the proof is not followed
    assert findings(out) == {
        "rule": "confirmed",
        "text": "confirmed",
        "translation": "cannot be certified",
    }
    assert findings(command("check", path, "--json")[1])["text"] == "cannot be certified"
    module.write_text(module.read_text() + "\n")
    status, out, _ = command("check", path, "--module", module, "--json")
    assert status == 1
    assert findings(out)["text"] == "rejected"


def test_a_translated_kernel_is_compared_with_a_module(tmp_path, command):
    module, path = tmp_path / "kernel.py", tmp_path / "kernel.json"
    call = ["generate", "hmc:hmc_kernel", "--posterior", "bioassay", "-o", module]
    assert command(*call, "--certificate", path)[0] == 0
    status, out, _ = command("check", path, "--module", module, "--json")
    assert status == 3
    assert findings(out)["rule"] == findings(out)["text"] == "confirmed"


def test_another_rule_has_another_hash(translation, command):
    _, path = translation
    said = json.loads(path.read_text())
    (number,) = [k for k, node in enumerate(said["nodes"]) if node == ["num", -1, 1]]
    said["nodes"][number] = ["num", -2, 1]
    path.write_text(canonical(said | {"sha256": digest_of(said)}))
    status, out, _ = command("check", path, "--json")
    assert status == 1
    assert findings(out)["rule"] == "rejected"


def test_a_translation_has_no_other_claim_and_a_sampler_no_module(translation, sghmc, command):
    module, path = translation
    said = json.loads(path.read_text())
    said["obligations"][0]["name"] = "stationarity"
    path.write_text(canonical(said | {"sha256": digest_of(said)}))
    assert command("check", path, "--module", module)[0] == 1
    assert command("check", sghmc, "--module", module)[0] == 2
    status, _, err = command("check", path, "sgld")
    assert status == 2
    assert "name the module" in err


def test_a_discrete_step_has_a_certificate(tmp_path, command):
    path = tmp_path / "cert.json"
    assert command("verify", "sghmc", "--scheme", "baoab", "--certificate", path)[0] == 0
    status, out, _ = command("check", path, "sghmc", "--json")
    assert status == 0
    found = findings(out)
    assert found["exact-transition"] == found["consistency"] == "confirmed"
    assert found["invariant-order"] == "cannot be certified"
    assert json.loads(out)["about"]["same"]


def test_a_certificate_is_about_one_recipe(tmp_path, command):
    file = tmp_path / "two.py"
    file.write_text(TWO)
    status, _, err = command("verify", file, "--certificate", tmp_path / "cert.json")
    assert status == 2
    assert f"choose one, as in {file}:one" in err
    assert command("verify", f"{file}:two", "--certificate", tmp_path / "cert.json")[0] == 0


def test_what_is_there_is_kept_unless_forced(sghmc, command):
    before = sghmc.read_text()
    status, _, err = command("verify", "sgld", "--certificate", sghmc)
    assert status == 2
    assert "--force" in err
    assert sghmc.read_text() == before
    assert command("verify", "sgld", "--certificate", sghmc, "--force")[0] == 0
    assert json.loads(sghmc.read_text())["subject"]["name"] == "sgld"


def test_a_copy_of_one_file_checks_it_alone(sghmc, tmp_path):
    folder = tmp_path / "alone"
    folder.mkdir()
    shutil.copy(ROOT / "verify" / "checker.py", folder)
    shutil.copy(sghmc, folder / "cert.json")
    call = [sys.executable, "-I", "-S", "checker.py", "cert.json"]
    done = subprocess.run(
        call, cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "confirmed, error below 2^-100" in done.stdout


@pytest.mark.parametrize("content", ["{}", "[]", '{"subject": {"kind": 1}}'])
def test_a_check_that_is_stopped_says_so_whatever_the_file_is(
    content, tmp_path, command, monkeypatch
):
    """The file may be malformed: it was not read to its end."""
    from recipe_cli.sandbox import child

    def stopped(*_):
        raise child.StoppedError("it took too long")

    path = tmp_path / "cert.json"
    path.write_text(content)
    monkeypatch.setattr(child, "within_limits", stopped)
    for more in ((), ("sgld",), ("--json",)):
        status, out, _ = command("check", path, *more)
        assert status == 3
        assert "it took too long" in out
