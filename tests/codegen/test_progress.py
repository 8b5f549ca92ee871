"""Progress where there is no terminal."""

import pytest
from rich.console import Console

from codegen.system import progress_bar

SAID = "sampling\\x1b[2J: 100 %"


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(progress_bar, "SECONDS_PER_LINE", 0.0)


def shown():
    with progress_bar.progress_bar("sampling\x1b[2J", 200) as show:
        show(50)
        show(200)


def test_a_notebook_gets_a_line_of_text_that_goes_away(capsys, monkeypatch):
    def in_a_notebook(file):
        console = Console(file=file)
        console.is_jupyter = True
        return console

    monkeypatch.setattr(progress_bar, "Console", in_a_notebook)
    shown()
    lines = capsys.readouterr().err.split("\r")
    assert lines == ["", SAID.replace("100", "25"), SAID, " " * len(SAID), ""]


def test_a_file_gets_nothing(capsys):
    shown()
    assert capsys.readouterr().err == ""
