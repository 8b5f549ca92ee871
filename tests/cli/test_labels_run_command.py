"""``recipe labels``: a run on the command line, and what is said of bad input."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from helpers.command import ROOT, command, hear_signals

from codegen.labels.checkpoint import read_checkpoint

FILE = """
from sympy import Interval, Symbol, log, loggamma, oo
from recipe import LabelledPosterior, Labels, Vector, total
theta = Vector("theta", domain=Interval.open(0, oo))
alpha, beta = Symbol("alpha", positive=True), Symbol("beta", positive=True)
z = Labels("z", like=theta)
joint = z.sum(loggamma(alpha + z.count) + total(z.counts * log(theta / total(theta))))
topics = LabelledPosterior(theta, z, joint, total((beta - 1) * log(theta) - theta))
shapes = beta + z.data / z.batch * z.summed
text = "no expression"
"""
WRONG = """
undecremented = LabelledPosterior(
    theta, z, joint, total((beta - 1) * log(theta) - theta),
    conditional=(alpha + z.count) * theta[z.item] / total(theta),
)
"""
OPTIONS = ("--sampler", "scir:scir", "--scheme", "exact", "--labels", "3", "--step-size", "0.5")
OPTIONS += ("--param", "a=shapes", "--param", "alpha=0.1", "--param", "beta=0.5", "--sweeps", "4")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "topics.py").write_text(FILE)
    (tmp_path / "wrong.py").write_text(FILE.replace("topics =", "_topics =") + WRONG)
    rng = np.random.default_rng(0)
    lines = []
    for d in range(30):
        counts = np.bincount(d % 3 * 4 + rng.integers(0, 5, 20), minlength=13)
        lines.append("1 " + " ".join(f"{w + 1}:{n}" for w, n in enumerate(counts) if n))
    (tmp_path / "words.svm").write_text("\n".join(lines) + "\n")
    return tmp_path


def labels(folder, *more, model="topics.py", data="words.svm", **options):
    given = (folder / model, *OPTIONS, "--data", folder / data, *more)
    return command("labels", *given, **options)


MIXTURE = """
from catalog.scir import scir
from codegen import LabelWeights
from recipe import Scalar
w, y = Scalar("w", domain=Interval.open(0, oo)), Labels("y", like=theta, each="datum")
mixture = LabelledPosterior(
    (theta, w), y, y.sum(y.count * log(w) + total(y.counts * log(theta / total(theta)))),
    total((beta - 1) * log(theta) - theta) + (alpha - 1) * log(w) - w,
)
members = beta + y.data / y.batch * y.summed
moved = LabelWeights(scir, params={"a": alpha + y.data / y.batch * y.members})
"""


def test_weights_of_a_mixture_are_moved_by_what_the_file_names(folder):
    (folder / "mixture.py").write_text(FILE.replace("topics =", "_topics =") + MIXTURE)
    run = ("--param", "a=members", "--steps", "20", "--chains", "2", "--batch-size", "10")
    given = [o if o != "a=shapes" else "a=members" for o in OPTIONS]
    common = (folder / "mixture.py:mixture", *given, "--data", folder / "words.svm", *run[2:])
    done = command("labels", *common, "--weights", "moved", "-o", folder / "rows.npz")
    assert done.returncode == 0, done.stderr
    with np.load(folder / "rows.npz") as saved:
        assert saved["w"].shape == (2, 3)
        assert saved["theta"].shape == (2, 3, 13)
    for options, said in (
        ((), "give what moves it, --weights NAME"),
        (("--weights", "text"), "--weights text: it is no LabelWeights, but a str"),
        (("--weights", "none"), "none is neither a number nor an expression"),
    ):
        refused = command("labels", *common, *options)
        assert refused.returncode == 2
        assert said in " ".join(refused.stderr.split())


def test_a_run_is_shown_and_saved(folder):
    run = ("--steps", "40", "--chains", "2", "--batch-size", "10", "--held-out", "5")
    done = labels(folder, *run, "-o", folder / "rows.npz")
    assert done.returncode == 0, done.stderr
    for part in (
        "topics: 2 chains of 21 draws",
        "log_likelihood",
        "log_perplexity",
        "r_hat",
        "rows.npz",
    ):
        assert part in done.stdout
    with np.load(folder / "rows.npz") as saved:
        assert saved["theta"].shape == (2, 3, 13)
        assert saved["log_likelihood"].shape == (2, 21)
        assert saved["steps"].tolist() == [40, 40]


@pytest.mark.slow
def test_scores_and_rows_are_saved_as_netcdf(folder):
    run = ("--steps", "40", "--chains", "2", "--batch-size", "10", "--side-by-side", "2")
    done = labels(folder, *run, "-o", folder / "rows.nc")
    assert done.returncode == 0, done.stderr
    shown = command("diagnose", folder / "rows.nc")
    for part in ("topics: 2 chains of 21 draws", "log_likelihood", "concentration"):
        assert part in done.stdout
        assert part in shown.stdout


@pytest.mark.slow
def test_a_dry_run_says_what_would_be_done_and_writes_nothing(folder):
    run = ("--steps", "40", "--chains", "2", "--batch-size", "10", "--held-out", "5", "--dry-run")
    done = labels(folder, *run, "-o", folder / "rows.nc", "--checkpoint", folder / "run")
    assert done.returncode == 0, done.stderr
    for part in (
        "topics, with 3 labels; scir moves a row",
        "both are proved",
        "theta 3 x 13",
        "25 data, 13 columns, 500 items, 5 held out",
        "10 data, 4 sweeps over their labels",
        "2 chains of 40 steps, 20 of them warm-up; 21 scores of each",
        "a sweep",
        "nothing was sampled or saved",
    ):
        assert part in " ".join(done.stdout.split())
    assert not (folder / "rows.nc").exists()
    assert not (folder / "run").exists()
    found = json.loads(labels(folder, *run, "--json").stdout)
    assert found["scores"] == 21
    assert found["proved"]
    assert 0 < found["seconds"]["sweep"] < found["seconds"]["run"]


@pytest.mark.slow
def test_a_run_is_taken_up_again_and_printed_as_json(folder):
    run = ("--chains", "2", "--checkpoint", folder / "run", "--warmup", "5", "--every", "1")
    rows = []
    for steps, name in ((20, "first"), (40, "second")):
        done = labels(folder, *run, "--steps", steps, "--json", "-o", folder / f"{name}.npz")
        found = json.loads(done.stdout)
        assert found["steps"] == [steps, steps]
        with np.load(folder / f"{name}.npz") as saved:
            rows.append(saved["theta"])
    names = [row["coordinate"] for row in found["diagnosis"]["coordinates"]]
    assert names == ["log_likelihood", "concentration"]
    whole = ("--chains", "2", "--warmup", "5", "--every", "1", "--steps", "40")
    assert labels(folder, *whole, "-o", folder / "whole.npz").returncode == 0
    with np.load(folder / "whole.npz") as saved:
        assert (saved["theta"] == rows[1]).all()
    assert not (rows[0] == rows[1]).any()


@pytest.mark.slow
def test_a_row_that_leaves_its_domain_ends_with_1(folder):
    (folder / "rows.py").write_text(
        "from catalog.sgrld import sgrld_reciprocal\nfrom recipe import mirror\n"
        "rows = mirror(sgrld_reciprocal, sgrld_reciprocal.state[0])\n"
    )
    done = command(
        "labels", folder / "topics.py", "--sampler", f"{folder / 'rows.py'}:rows", "--data",
        folder / "words.svm", "--labels", "3", "--step-size", "1e300", "--param", "alpha=0.1",
        "--param", "beta=0.5", "--steps", "5", "--chains", "1",
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "take smaller steps" in done.stderr
    assert "Traceback" not in done.stderr


BAD = {
    "an empty document": ({"data": "1 1:2\n1\n"}, (), "datum 1 has no items at all"),
    "a negative count": ({"data": "1 1:2\n1 2:-1\n"}, (), "datum 1 has the count -1;"),
    "a row of zeros": ({"data": "1 1:0 2:0\n"}, (), "datum 0 has an entry with the count 0"),
    "a word out of range": ({"data": "2\n4\n2\n1 1 2\n2 5 1\n"}, (), "line 5 has the word 5"),
    "no documents": ({"data": "0\n4\n0\n"}, (), "says that it has 0 documents"),
    "no words": ({"data": "1\n0\n0\n"}, (), "says that it has 0 words"),
    "a file without data": ({"data": ""}, (), "has no rows of data"),
    "a name that is none": ({}, ("--param", "c=other"), "other is neither a number nor an"),
    "a name of no expression": ({}, ("--param", "c=text"), "c"),
    "a parameter twice": ({}, ("--param", "alpha=shapes"), "--param alpha is given twice"),
    "a kernel": ({}, ("--sampler", "hmc_kernel"), "the sampler of a row must be a Recipe"),
    "auto": ({}, ("--step-size", "auto"), "rows of labels are not tuned"),
    "another file": ({}, ("-o", "rows.csv"), "ends in .nc or .npz"),
    "too many held out": ({}, ("--held-out", "30"), "one must be left to sample from"),
    "a large minibatch": ({}, ("--batch-size", "31"), "batch_size"),
    "no labels": ({}, ("--labels", "0"), "labels"),
}


@pytest.mark.by_default(5)
@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_sentence(folder, name):
    changes, more, said = BAD[name]
    if "data" in changes:
        (folder / "bad.txt").write_text(changes["data"])
        changes = {"data": "bad.txt"}
    done = labels(folder, "--steps", "5", "--chains", "1", *more, **changes)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_joint_law_that_is_refuted_is_not_sampled(folder):
    done = labels(folder, "--steps", "5", "--chains", "1", model="wrong.py")
    assert done.returncode == 1
    assert "undecremented is refuted (conditional, invariance)" in done.stderr
    assert "--unproved" in done.stderr


def test_help_has_an_example():
    assert "--sampler scir:scir --scheme exact" in " ".join(command("labels", "-h").stdout.split())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no signals")
@pytest.mark.parametrize(("sent", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_saves_the_step_and_the_same_command_goes_on(folder, sent, status):
    path = folder / "run" / "chain-0.npz"
    run = ("--steps", "100000", "--chains", "1", "--checkpoint", folder / "run")
    given = [folder / "topics.py", *OPTIONS, "--data", folder / "words.svm", *run]
    process = subprocess.Popen(
        [sys.executable, "-m", "recipe_cli", "labels", *map(str, given)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        preexec_fn=hear_signals,  # noqa: PLW1509 - nothing is threaded here
    )
    try:
        time.sleep(25)
        process.send_signal(getattr(signal, sent))
        _, said = process.communicate(timeout=100)
    finally:
        process.kill()
    assert process.returncode == status, said
    assert b"the run stops here" in said
    assert b"Traceback" not in said
    done = int(read_checkpoint(path)[0]["done"])
    assert 0 < done < 100_000
