"""Data with labels on the command line."""

import json

import pytest
from helpers.command import command

FILE = """
from sympy import *
from recipe import *
theta = Vector("theta", domain=Interval.open(0, oo))
alpha = Symbol("alpha", positive=True)
z = Labels("z", like=theta)
joint = z.sum(loggamma(alpha + z.count) + total(z.counts * log(theta / total(theta))))
weight = theta[z.item] / total(theta)
topics = LabelledPosterior(theta, z, joint, -total(theta), conditional=(alpha + z.others) * weight)
undecremented = LabelledPosterior(
    theta, z, joint, -total(theta), conditional=(alpha + z.count) * weight, expect="refuted"
)
"""


@pytest.fixture
def topics(tmp_path):
    path = tmp_path / "topics.py"
    path.write_text(FILE)
    return path


def test_a_file_with_labels_is_verified(topics):
    done = command("verify", topics)
    assert done.returncode == 0, done.stderr
    assert "topics (joint law, " in done.stdout
    assert "the weight is theta[z.item]*(alpha + z.others)/total(theta)" in done.stdout
    assert "undecremented" in done.stdout


def test_labels_as_json(topics):
    (report,) = json.loads(command("verify", f"{topics}:topics", "--json").stdout)
    assert report["kind"] == "joint law"
    names = [line["name"] for line in report["obligations"]]
    assert names == ["well-defined", "conditional", "invariance", "uniqueness", "fisher-identity"]


@pytest.mark.parametrize("verb", ["test", "derive"])
def test_commands_about_samplers_say_that_there_is_none(topics, verb):
    done = command(verb, f"{topics}:topics")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "recipe verify" in done.stderr


def test_there_is_no_certificate_yet(topics, tmp_path):
    done = command("verify", f"{topics}:topics", "--certificate", tmp_path / "proof.json")
    assert done.returncode == 2
    assert "there are no certificates of data with labels yet" in done.stderr


def test_an_obligation_is_explained():
    assert "f(n_k + 1, n_kw + [w = w_i])" in command("explain", "conditional").stdout
    assert "exp(-H)" in command("explain", "invariance").stdout
