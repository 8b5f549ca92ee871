"""Every verb of the command on recipe files, certificates and modules with random mistakes."""

import ast
import json
import random

import pytest
from faults.fuzz_verbs import trials
from generators.mistakes_in_files import (
    with_wrong_expressions,
    with_wrong_fields,
    with_wrong_tokens,
)
from helpers.command import ROOT

SAMPLER = (ROOT / "catalog" / "sghmc.py").read_text()
FIELDS = {"nodes": [["+", 0, 1], ["sym", "x"]], "scope": "every d", "number": "12"}


@pytest.mark.parametrize("make", [with_wrong_tokens, with_wrong_expressions])
def test_a_changed_file_is_another_text(make):
    made = [make(SAMPLER, random.Random(k)) for k in range(40)]
    assert len(set(made)) > 30
    assert SAMPLER not in made
    # what is no Python shows little
    assert sum(parses(t) for t in made) > (5 if make is with_wrong_tokens else 39)


def test_a_changed_certificate_can_be_written():
    made = [json.dumps(with_wrong_fields(FIELDS, random.Random(k))) for k in range(200)]
    assert len(set(made)) > 100


def parses(text):
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


@pytest.mark.slow
def test_no_verb_ends_in_a_fault_or_without_end():
    tried = list(trials(300, seed=0))
    found = [trial for trial in tried if trial.fault is not None]
    assert not found, found[0]
    assert len(tried) > 50
