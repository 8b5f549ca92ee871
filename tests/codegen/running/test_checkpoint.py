"""Checkpoints: a run that is stopped anywhere, killed included, goes on bit for bit; what is
damaged or strange is refused.
"""

from __future__ import annotations

import _thread
import json
import os
import random
import resource
import signal
import sys
import threading
import time
import warnings

import numpy as np
import pytest
from cases.stopped_runs import (
    POSTERIOR,
    SGHMC,
    U,
    X,
    run,
    stopped_run,
    theta,
    x_values,
    y,
    y_values,
)
from helpers.command import forked
from numba import njit

from codegen import Polynomial
from codegen.running.checkpoint import Checkpoint, CheckpointWarning
from codegen.running.manifest import digest_of
from recipe import Posterior, RecipeError, bind


@pytest.mark.slow
@pytest.mark.by_default("options1")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"replace": False, "step_size": Polynomial(1e-3, 100, 0.6)},
        {"compensate": True, "step_size": 1e-4},
        {"control_variates": True, "keep": "theta"},
    ],
)
def test_a_run_that_is_stopped_often_is_the_run_that_is_not(tmp_path, monkeypatch, options):
    whole = run(**options)
    for after in (4, 9, 13):
        stopped_run(tmp_path / "c", monkeypatch, after, **options)
    again = run(checkpoint=tmp_path / "c", **options)
    for block, values in whole.values.items():
        np.testing.assert_array_equal(values, again[block])


@pytest.mark.slow
def test_a_finished_run_can_be_asked_for_more_steps(tmp_path):
    first = run(checkpoint=tmp_path / "c", steps=1000)
    longer = run(checkpoint=tmp_path / "c", threads=1)
    np.testing.assert_array_equal(longer["theta"], run()["theta"])
    np.testing.assert_array_equal(first["theta"], longer["theta"][:, :300])
    with pytest.raises(RecipeError, match="stands at step 2000, beyond steps=1999"):
        run(checkpoint=tmp_path / "c", steps=1999)
    np.testing.assert_array_equal(run(checkpoint=tmp_path / "c")["r"], longer["r"])


@pytest.mark.slow
def test_a_diverged_chain_stays_where_it_stopped(tmp_path):
    options = {"step_size": 1.0, "params": {"C": 0.1}}
    first = run(checkpoint=tmp_path / "c", **options)
    again = run(checkpoint=tmp_path / "c", **options)
    assert first.divergences == again.divergences != ()
    np.testing.assert_array_equal(first["theta"], again["theta"])


def long_run(saved, checkpoint=None):
    np.save(saved, run(checkpoint=checkpoint, steps=400_000, thin=100)["theta"])


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_bit_for_bit(tmp_path):
    """SIGKILL at random moments, writing of the checkpoint included, until the run gets to
    its end.
    """
    long_run(tmp_path / "whole.npy")
    chance, kills = random.Random(5), 0
    for _ in range(30):
        process = forked(long_run, tmp_path / "killed.npy", tmp_path / "c")
        patience = (
            None
            if kills >= 4
            else wait_for(tmp_path / "c" / "checkpoint.json", process) + chance.uniform(0.0, 0.3)
        )
        process.join(patience)
        if process.exitcode is not None:
            break
        process.kill()
        process.join()
        kills += 1
    assert process.exitcode == 0
    assert kills >= 1
    np.testing.assert_array_equal(np.load(tmp_path / "whole.npy"), np.load(tmp_path / "killed.npy"))
    assert not list((tmp_path / "c").glob(".*"))


def wait_for(path, process):
    """Wait until the process has begun to write; the rest of its patience is up to the caller."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    while process.is_alive() and not (path.exists() and path.stat().st_mtime_ns != before):
        time.sleep(0.01)
    return 0.0


CHANGES = [
    ({"step_size": 2e-3}, "step_size was Constant {'a': 0.001} and is Constant {'a': 0.002}"),
    ({"params": {"C": 2.0}}, "params C was 5.0 and is 2.0"),
    ({"seed": 1}, "seed was 0 and is 1"),
    ({"batch_size": 11}, "batch_size was 10 and is 11"),
    ({"chains": 2}, "chains was 3 and is 2"),
    ({"keep": "theta"}, "kept blocks was theta, r and is theta"),
    ({"initial": {"theta": [0.0, 0.0]}}, "first state of chain 0"),
    ({"scheme": "euler"}, "scheme was baoab and is euler; choose"),
]


@pytest.mark.by_default(1)
@pytest.mark.parametrize(("change", "message"), CHANGES)
def test_another_run_is_refused(tmp_path, change, message):
    run(checkpoint=tmp_path, steps=200)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    with pytest.raises(RecipeError) as error:
        run(checkpoint=tmp_path, steps=200, **change)
    assert message in str(error.value)
    assert before == {p.name: p.read_bytes() for p in tmp_path.iterdir()}


def test_other_data_are_refused(tmp_path):
    run(checkpoint=tmp_path, steps=200)
    other = Posterior(
        theta, POSTERIOR.log_likelihood, POSTERIOR.log_prior, {X: x_values, y: y_values + 1e-15}
    )
    with pytest.raises(RecipeError, match="data y is of other numbers; choose"):
        run(checkpoint=tmp_path, steps=200, target=bind(SGHMC, {U: other}))


FACTOR = 1.0


@njit
def helper(theta):
    return FACTOR * theta


@njit
def own_gradient(theta, rows, x, y, g):
    g[:] = helper(theta)


@pytest.mark.slow
def test_another_gradient_of_ones_own_is_refused(tmp_path, monkeypatch):
    """Also where only a function that it calls, or a number that it reads, is another one."""
    law = Posterior(theta, data={X: x_values, y: y_values}, gradient=own_gradient)
    target = bind(SGHMC, {U: law})
    run(checkpoint=tmp_path, steps=200, target=target)
    run(checkpoint=tmp_path, steps=200, target=target)
    monkeypatch.setattr(sys.modules[__name__], "FACTOR", 2.0)
    with pytest.raises(RecipeError, match="gradient 0 was"):
        run(checkpoint=tmp_path, steps=200, target=target)


def damages():
    def manifest(change, signed=True):
        """With the digest of the changed content, or with the one of before: both are refused."""

        def apply(folder):
            content = json.loads((folder / "checkpoint.json").read_text())
            digest = content.pop("sha256")
            change(content)
            content["sha256"] = digest_of(content) if signed else digest
            (folder / "checkpoint.json").write_text(json.dumps(content, indent=1))

        return apply

    def in_file(pattern, change):
        def apply(folder):
            path = next(folder.glob(pattern))
            change(path)

        return apply

    def flip(path):
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)

    return [
        in_file("draws-*", flip),
        in_file("state-*", flip),
        in_file("draws-*", os.unlink),
        in_file("state-*", lambda path: path.write_bytes(path.read_bytes()[:100])),
        in_file("checkpoint.json", lambda path: path.write_text("{")),
        in_file("checkpoint.json", lambda path: path.write_text("[]")),
        in_file("checkpoint.json", lambda path: path.write_bytes(b"\xff\xfe")),
        manifest(lambda c: c.pop("state")),
        manifest(lambda c: c["chains"].pop()),
        manifest(lambda c: c["chains"][0].update(done="7")),
        manifest(lambda c: c["chains"][0].update(draws=1)),
        manifest(lambda c: c["state"].update(file="../state.npz")),
        manifest(lambda c: c.update(version=99)),
        manifest(lambda c: c["draws"].append(c["draws"][0])),
        manifest(lambda c: c["chains"][0].update(done=199), signed=False),
        manifest(lambda c: c["chains"][0].update(done=180)),
        manifest(lambda c: c["chains"][0].update(stopped_by=2)),
        manifest(lambda c: c["chains"][0].update(stopped_by=-2)),
        manifest(lambda c: c["chains"][0].update(done=-1)),
        manifest(lambda c: c["chains"][0].update(done=200.0)),
        manifest(lambda c: c["chains"][0].update(stopped_by=False)),
        manifest(lambda c: c.update(draws=[])),
        manifest(lambda c: c.update(state=None)),
        manifest(lambda c: c["draws"][0].update(file=c["state"]["file"])),
        manifest(lambda c: c["draws"][0].update(more=1)),
        manifest(lambda c: c["state"].update(sha256=c["draws"][0]["sha256"])),
        manifest(lambda c: c.update(run=[])),
        in_file("checkpoint.json", lambda path: path.write_text("[" * 100_000)),
    ]


@pytest.mark.by_default(3)
@pytest.mark.parametrize("number", range(28))
def test_damage_is_one_sentence_and_changes_nothing(tmp_path, number):
    run(checkpoint=tmp_path, steps=200)
    damages()[number](tmp_path)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    with pytest.raises(RecipeError, match=r"damaged|not a checkpoint|has the version") as error:
        run(checkpoint=tmp_path, steps=200)
    assert "\n" not in str(error.value)
    assert before == {p.name: p.read_bytes() for p in tmp_path.iterdir()}


def test_folders_that_cannot_be_used(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("all of it")
    with pytest.raises(RecipeError, match=r"holds thesis.tex and no checkpoint"):
        run(checkpoint=tmp_path / "full")
    (tmp_path / "file").write_text("")
    with pytest.raises(RecipeError, match="cannot be made"):
        run(checkpoint=tmp_path / "file")


def test_files_of_the_user_are_never_touched(tmp_path):
    for name in ("draws-mine.npz", "state-of-things.npz", "draws-000001.npz"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / name).write_text("mine")
        with pytest.raises(RecipeError, match=f"holds {name} and no checkpoint"):
            run(checkpoint=folder, steps=200)
        assert (folder / name).read_text() == "mine"
    mine = tmp_path / "run"
    run(checkpoint=mine, steps=200)
    (mine / "draws-mine.npz").write_text("mine")
    run(checkpoint=mine, steps=300)
    assert (mine / "draws-mine.npz").read_text() == "mine"


def test_a_run_that_was_stopped_before_its_first_state_starts_again(tmp_path, monkeypatch):
    stopped_run(tmp_path, monkeypatch, 0)
    assert [p.name for p in sorted(tmp_path.iterdir())] == ["checkpoint.json", "lock"]
    np.testing.assert_array_equal(run(checkpoint=tmp_path)["theta"], run()["theta"])


def test_a_divergence_whose_manifest_cannot_be_written_leaves_the_checkpoint_whole(
    tmp_path, monkeypatch
):
    """The state changes, the number of steps does not: the file of the state before must not be
    written over.
    """
    run(checkpoint=tmp_path, steps=200)
    whole = run(checkpoint=tmp_path, steps=201)
    original = Checkpoint._write_manifest

    def full(self, manifest):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "_write_manifest", full)
        with pytest.warns(CheckpointWarning, match="No space left"):
            run(checkpoint=tmp_path, steps=400)
    assert Checkpoint._write_manifest is original
    np.testing.assert_array_equal(run(checkpoint=tmp_path, steps=201)["theta"], whole["theta"])


def test_the_folder_is_free_after_a_refusal(tmp_path):
    run(checkpoint=tmp_path, steps=200)
    try:
        run(checkpoint=tmp_path, steps=200, seed=5)
    except RecipeError as error:
        kept = error  # with its traceback, as a console does
    assert "seed was 0 and is 5" in str(kept)
    run(checkpoint=tmp_path, steps=200)


def test_data_that_are_mapped_copy_on_write_are_compared_by_their_values(tmp_path):
    np.save(tmp_path / "x.npy", x_values)

    def target(change):
        mapped = np.load(tmp_path / "x.npy", mmap_mode="c")
        mapped[0, 0] += change
        return bind(
            SGHMC,
            {
                U: Posterior(
                    theta, POSTERIOR.log_likelihood, POSTERIOR.log_prior, {X: mapped, y: y_values}
                )
            },
        )

    run(checkpoint=tmp_path / "c", steps=200, target=target(0.0))
    run(checkpoint=tmp_path / "c", steps=200, target=target(0.0))
    with pytest.raises(RecipeError, match="data x is of other numbers"):
        run(checkpoint=tmp_path / "c", steps=200, target=target(1.0))


@pytest.mark.slow
def test_a_copy_of_a_map_lies_in_memory(tmp_path):
    np.save(tmp_path / "x.npy", x_values)
    copied = np.load(tmp_path / "x.npy", mmap_mode="r").astype(np.float32)
    law = Posterior(theta, POSTERIOR.log_likelihood, POSTERIOR.log_prior, {X: copied, y: y_values})
    run(checkpoint=tmp_path / "c", steps=200, target=bind(SGHMC, {U: law}))
    copied[3, 1] = np.nan
    with pytest.raises(RecipeError, match="not finite, in row 3"):
        run(steps=200, target=bind(SGHMC, {U: law}))


def test_two_processes_do_not_share_a_folder(tmp_path):
    import fcntl

    run(checkpoint=tmp_path, steps=200)
    with (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(RecipeError, match="another process is writing"):
            run(checkpoint=tmp_path, steps=200)


def test_a_full_disk_is_said_and_loses_nothing(tmp_path):
    """The limit on the size of a file makes a write fail in its middle, as a full disk does; the
    draws of the run are all there.
    """
    first = run(checkpoint=tmp_path, steps=200)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            draws = run(checkpoint=tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    texts = [str(w.message) for w in said if w.category is CheckpointWarning]
    assert texts
    assert all(
        "cannot be written: File too large; the one before it is whole" in text for text in texts
    )
    np.testing.assert_array_equal(draws["theta"], run()["theta"])
    np.testing.assert_array_equal(run(checkpoint=tmp_path, steps=200)["theta"], first["theta"])
    assert not list(tmp_path.glob(".*"))


def test_an_interrupted_run_goes_on(tmp_path):
    """Ctrl-C saves where the chains are; the next call goes on from there."""

    def steps_done():
        return max(
            c["done"] for c in json.loads((tmp_path / "checkpoint.json").read_text())["chains"]
        )

    def interrupt():
        while steps_done() == 200:
            time.sleep(0.01)
        _thread.interrupt_main()

    run(checkpoint=tmp_path, steps=200)
    threading.Thread(target=interrupt).start()
    first = run(checkpoint=tmp_path, steps=10_000_000, thin=3, warmup=100)
    assert first.interrupted
    steps = steps_done() + 3
    assert 200 < steps < 10_000_000
    np.testing.assert_array_equal(
        run(checkpoint=tmp_path, steps=steps)["theta"], run(steps=steps)["theta"]
    )


@pytest.mark.parametrize("where", ["_snapshot", "_write"])
def test_memory_that_is_missing_for_a_checkpoint_costs_no_draws(tmp_path, monkeypatch, where):
    whole = run(steps=300)

    def missing(*_):
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, where, missing)
        with pytest.warns(
            CheckpointWarning, match=r"cannot be written: MemoryError; the one before it is whole"
        ):
            draws = run(steps=300, checkpoint=tmp_path / "run")
    np.testing.assert_array_equal(whole["theta"], draws["theta"])
