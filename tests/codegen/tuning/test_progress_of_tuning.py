"""What tuning says while it runs: what it does, and how far it is."""

import re

import numpy as np
import pytest
from rich.console import Console

from catalog.hmc import hmc_kernel
from codegen import tune
from codegen.system import doing, progress_bar
from recipe import Scalar

a = Scalar("a")


def test_a_function_is_told_what_is_tried_and_how_far_it_is(monkeypatch):
    monkeypatch.setattr(doing, "SECONDS", 0.0)
    said = []
    tune(hmc_kernel, a**2 / 2, progress=said.append)
    assert said[0] == "tuning: compiling the posterior"
    rounds = [s for s in said if s.startswith("tuning: rounds of a pilot run: ")]
    done = [int(re.search(r": (\d+) of", s)[1]) for s in rounds]
    assert done == sorted(done)
    assert len(done) > 500
    assert any(s.startswith("tuning: a trial with step size ") for s in said)


def test_nothing_is_said_where_nobody_listens(capsys):
    tune(hmc_kernel, a**2 / 2)
    doing.doing("something")
    doing.counted(1, 2)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("progress", "seen"), [(True, True), (False, False)])
def test_a_terminal_gets_a_line_that_goes_away(capsys, monkeypatch, progress, seen):
    def on_a_terminal(file):
        return Console(file=file, force_terminal=True, width=30)

    monkeypatch.setattr(progress_bar, "Console", on_a_terminal)
    tune(hmc_kernel, a**2 / 2, progress=progress)
    written = capsys.readouterr().err
    assert bool(written) == seen
    if seen:
        lines = written.split("\r")
        assert max(map(len, lines)) <= 29
        assert lines[-1] == ""
        assert not lines[-2].strip()


def test_counts_are_said_now_and_then(monkeypatch):
    said = []
    clock = iter(np.arange(0.0, 10.0, 0.05))
    monkeypatch.setattr(doing.time, "monotonic", lambda: next(clock))
    with doing.told(said.append):
        doing.doing("counting")
        for k in range(40):
            doing.counted(k, 40)
    assert said[0] == "counting"
    assert 3 <= len(said) <= 12
    assert said[-1].endswith(" of 40")
