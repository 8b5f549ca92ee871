"""Every verb of the command on recipe files with random mistakes."""

import ast
import random

import pytest
from faults.fuzz_verbs import changed, trials
from helpers.command import ROOT


def test_a_changed_file_is_another_text():
    text = (ROOT / "catalog" / "sghmc.py").read_text()
    made = [changed(text, random.Random(k)) for k in range(40)]
    assert len(set(made)) > 30
    assert text not in made
    assert sum(parses(t) for t in made) > 5  # what is no Python shows little


def parses(text):
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


@pytest.mark.slow
def test_no_verb_ends_in_a_fault_or_without_end():
    tried = list(trials(300, seed=0))
    found = [trial for trial in tried if trial[2] is not None]
    assert not found, found[0]
    assert len(tried) > 100
