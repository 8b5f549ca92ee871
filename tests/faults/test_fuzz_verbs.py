"""Every verb of the command on recipe files, certificates and modules with random mistakes."""

import ast
import json
import random

import pytest
from faults.fuzz_verbs import trials
from generators.mistakes_in_files import (
    with_near_fields,
    with_wrong_expressions,
    with_wrong_fields,
    with_wrong_tokens,
)
from helpers.command import ROOT

from catalog.sghmc import sghmc
from verify import verify
from verify.certificate import certificate_of, digest_of
from verify.checker import check

SAMPLER = (ROOT / "catalog" / "sghmc.py").read_text()
FIELDS = {"nodes": [["+", 0, 1], ["sym", "x"]], "scope": "every d", "number": "12"}


@pytest.mark.parametrize("make", [with_wrong_tokens, with_wrong_expressions])
def test_a_changed_file_is_another_text(make):
    made = [make(SAMPLER, random.Random(k)) for k in range(40)]
    assert len(set(made)) > 30
    assert SAMPLER not in made
    # what is no Python shows little
    assert sum(parses(t) for t in made) > (5 if make is with_wrong_tokens else 39)


def test_slices_and_starred_arguments_are_left_alone():
    made = [
        with_wrong_expressions("f(*a[:], a[:, 1:2], [*b])\n", random.Random(k)) for k in range(100)
    ]
    assert all(parses(t) for t in made)


def test_a_changed_certificate_can_be_written():
    made = [json.dumps(with_wrong_fields(FIELDS, random.Random(k))) for k in range(200)]
    assert len(set(made)) > 100


def test_many_a_certificate_with_another_value_of_the_same_kind_is_still_read():
    original = certificate_of(sghmc, verify(sghmc))
    made = [with_near_fields(original, random.Random(k)) for k in range(30)]
    assert original not in made
    results = [check(c | {"sha256": digest_of(c)}).status for c in made]
    assert 5 < sum(status != "not a certificate" for status in results) < 30


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
