"""What stands in a file, or in its name, sends no codes to a terminal, whichever command
prints it.
"""

from __future__ import annotations

import ast
import copy
import io
import json
from pathlib import Path

import h5py
import numpy as np
import pytest
from helpers.command import ROOT, command
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from codegen import Draws
from codegen.files import reading
from codegen.system import progress_bar
from recipe.printing.plain_text import without_codes
from recipe_cli.terminal import printing as terminal
from verify.checker import check, digest

CODES = {
    "escape": "\x1b[2J", "title": "\x1b]0;x\x07", "C1": "\x9b31m", "delete": "\x7f", "return": "\r",
    "nothing": "\x00", "right to left": "\u202e", "isolate": "\u2066", "surrogate": "\udc9b",
    "line": "\u2028", "line break": "\n", "tag": "\U000e0041",
}  # fmt: skip
EVIL = "".join(CODES[kind] for kind in CODES.keys() - {"line break", "nothing", "surrogate"})
PRINTS = {"print", "typer.echo", "typer.secho", "echo", "Console", "rich.print"}
WRITES = {"sys.stdout.write", "sys.stderr.write", "os.write"}
# These write sentences of their own before the terminal is there, or where nobody may read it any
# more.
MAY_WRITE = {"start.py", "streams.py", "saving.py", "interruption.py", "loading.py"}
IN_A_NAME = "\x1b[2J\u202e\x9b\x7f"


def plain(text):
    return all(c.isprintable() or c == "\n" for c in text)


@pytest.mark.parametrize("kind", CODES)
def test_every_code_is_written_out(kind):
    shown = without_codes(f"a{CODES[kind]}b")
    assert shown.isprintable()
    assert shown.startswith("a\\")
    assert shown.encode().decode("unicode_escape").encode(
        "utf-16", "surrogatepass"
    ) == f"a{CODES[kind]}b".encode("utf-16", "surrogatepass")


def test_text_that_is_only_text_stays_as_it_is():
    text = "Zoë: 𝜃 ← θ + ½, 漢字, عربي, \\x1b"
    assert without_codes(text) == text


@pytest.mark.parametrize("kind", sorted(set(CODES) - {"line break"}))
def test_whatever_a_console_is_given_it_prints_without_codes(kind):
    stream = io.StringIO()
    console = terminal.console(file=stream, force_terminal=False, width=200)
    table = Table(f"head{CODES[kind]}", title=f"title{CODES[kind]}")
    table.add_row(f"cell{CODES[kind]}")
    console.print(table)
    console.print(f"a{CODES[kind]}b", markup=False)
    console.rule(f"c{CODES[kind]}d")
    assert plain(stream.getvalue())


def test_the_codes_of_styles_and_bars_are_left_and_no_others():
    stream = io.StringIO()
    console = terminal.console(
        file=stream, force_terminal=True, width=80, color_system="standard", legacy_windows=False
    )
    console.print("[red]wrong[/red]\x1b[5m")
    assert stream.getvalue() == "\x1b[31mwrong\x1b[0m\\x1b[5m\n"
    with Progress(console=console, transient=True) as bar:
        bar.add_task("work\x1b[5m", total=1)
    assert "\x1b[2K" in stream.getvalue()
    assert "\x1b[5m" not in stream.getvalue()


def test_nothing_is_printed_from_anywhere_else():
    """So that the next command does not have to think of it."""
    for path in sorted((ROOT / "recipe_cli").rglob("*.py")):
        if path.name == "printing.py":
            continue
        forbidden = PRINTS if path.name in MAY_WRITE else PRINTS | WRITES
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                assert ast.unparse(node.func) not in forbidden, f"{path}:{node.lineno}"


def test_the_name_of_a_file_over_the_bar_that_shows_how_far_it_is_read(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(
        progress_bar, "Console", lambda file: Console(file=stream, force_terminal=True, width=200)
    )
    monkeypatch.setattr(reading, "BAR_AFTER_SECONDS", -1.0)
    read = ((fraction, None) for fraction in (0.5, 1.0))
    list(reading.watched("reading \x1b[5m\u202e[red]data.csv", read))
    assert r"reading \x1b[5m\u202e[red]data.csv" in stream.getvalue()
    assert "\x1b[5m" not in stream.getvalue()


# -- command by command ----------------------------------------------------------------------------


def test_names_and_attributes_in_a_file_of_draws(tmp_path):
    draws = Draws(
        {"theta": np.zeros((2, 8))},
        np.array([8, 8]),
        (),
        False,
        {"recipe": EVIL, "seconds": 1.0},
        np.ones(8),
        (f"beware {EVIL}",),
    )
    path = draws.save(tmp_path / f"draws{IN_A_NAME}.nc")
    with h5py.File(path, "r+") as file:
        file["posterior"].move("theta", f"theta{IN_A_NAME}")
        file["posterior"].attrs["divergences"] = f"chain 0 {EVIL}"
    for options in ([], ["--json"]):
        done = command("diagnose", path, *options, cache=tmp_path)
        assert done.returncode == 1, done.stderr
        assert plain(done.stdout)
        assert r"\u202e" in done.stdout
        assert plain(done.stderr)
    with h5py.File(path, "r+") as file:
        file.move("posterior", f"group{IN_A_NAME}")
    done = command("diagnose", path, cache=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert plain(done.stderr)
    assert r"group\x1b[2J" in done.stderr


def test_names_of_files_that_are_not_there(tmp_path):
    name = f"name{EVIL}\udc9b\n.json"
    for call in (["check", name], ["diagnose", name], ["verify", f"{name}.py"]):
        done = command(*call, cwd=tmp_path, cache=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.count("\n") == 1
        assert plain(done.stderr)


@pytest.mark.parametrize(
    "call",
    [
        [f"--{EVIL}"],
        ["check", "a", "b", EVIL],
        [EVIL],
        ["cache", f"clear{EVIL}"],
        ["verify", f"--x{EVIL}"],
    ],
)
def test_a_wrong_call(call, tmp_path):
    done = command(*call, cache=tmp_path)
    assert done.returncode == 2
    assert plain(done.stdout + done.stderr)


def mutants(node, root):
    """The certificate with codes in each text and each key of it."""
    for key, value in list(node.items() if isinstance(node, dict) else enumerate(node)):
        node[key] = f"{value}{EVIL}"
        yield root
        node[key] = value
        if isinstance(node, dict):
            node[f"{key}{EVIL}"] = node.pop(key)
            yield root
            del node[f"{key}{EVIL}"]
            node[key] = value
        if isinstance(value, dict | list):
            yield from mutants(value, root)


def test_texts_of_a_certificate(tmp_path):
    path = tmp_path / "sgld.json"
    assert command("verify", "sgld", "--certificate", path, cache=tmp_path).returncode == 0
    certificate, number = json.loads(path.read_text()), 0
    for mutant in mutants(certificate, certificate):
        changed = copy.deepcopy(mutant)
        if "sha256" in changed:
            changed["sha256"] = digest(changed)
        result = check(changed)
        said = [
            result.sentence,
            result.about,
            *result.assumptions,
            *result.scope,
            *(f"{f.name} {f.status} {f.sentence}" for f in result.findings),
        ]
        assert all(map(plain, said))
        number += 1
    assert number > 100
    certificate["subject"]["name"] += "\x1b[2J"
    certificate["sha256"] = digest(certificate)
    path.write_text(json.dumps(certificate))
    done = command("check", path, cache=tmp_path)
    assert plain(done.stdout + done.stderr)


def test_the_name_of_a_checkpoint(tmp_path):
    folder = tmp_path / f"run{IN_A_NAME}"
    folder.mkdir()
    Path(folder, "checkpoint.json").write_text(json.dumps({"\x1b[2J": "\x9b"}))
    call = [
        "sample",
        "sgld",
        "--posterior",
        "breast_cancer",
        "--step-size",
        "0.01",
        "--steps",
        "10",
        "--checkpoint",
    ]
    done = command(*call, folder, cache=tmp_path / "cache")
    assert done.returncode == 2
    assert plain(done.stdout + done.stderr)
