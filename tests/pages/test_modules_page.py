"""The page on generated modules: its program runs, and an edited module is read again."""

import re
import runpy
import sys

import numpy as np
import pytest
from helpers.command import ROOT, command


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    file = tmp_path_factory.mktemp("modules") / "sghmc_kernel.py"
    assert command("generate", "sghmc", "-o", str(file)).returncode == 0
    return file


@pytest.mark.slow
def test_the_program_of_the_page_samples_the_target(kernel, monkeypatch):
    (program,) = re.findall(
        r"```python\n(.*?)```", (ROOT / "docs/modules.md").read_text(), re.DOTALL
    )
    file = kernel.parent / "by_hand.py"
    file.write_text(program)
    monkeypatch.syspath_prepend(str(kernel.parent))
    names = runpy.run_path(str(file))
    sys.modules.pop("sghmc_kernel")
    assert (names["at"], names["invalid"]) == (10_000, -1)
    np.testing.assert_allclose(names["draws"].theta.var(axis=0), 1, atol=0.3)


@pytest.mark.parametrize(
    ("old", "new", "status", "said"),
    [
        ("", "", 0, "is proved to be sghmc"),
        ("factor * w_r", "2.0 * factor * w_r", 1, "is not sghmc"),
        ("import math", "import os", 3, "is not proved to be sghmc"),
    ],
)
def test_an_edited_module_is_read_again(kernel, tmp_path, old, new, status, said):
    file = tmp_path / "edited.py"
    text = kernel.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    done = command("generate", "sghmc", "-o", str(file), "--check")
    assert (done.returncode, said in done.stdout + done.stderr) == (status, True), (
        done.stdout + done.stderr
    )
    assert file.read_text() == text.replace(old, new)


def test_a_module_that_is_not_there_cannot_be_checked(tmp_path):
    done = command("generate", "sghmc", "-o", str(tmp_path / "no.py"), "--check")
    assert done.returncode == 2
    assert "cannot be read" in done.stdout + done.stderr
