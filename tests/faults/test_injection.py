"""The harness itself: it sees the calls that matter, and a fault does what it says."""

import errno
import os
import resource
import signal

import pytest
from environment import run_under
from injection import Trials, failing, killed, sampled


def nothing():
    """Needs no warming."""


def writes(folder):
    path = os.path.join(folder, "a")
    with open(path, "wb", buffering=0) as file:
        file.write(b"12345678")
        os.fsync(file.fileno())
    os.rename(path, os.path.join(folder, "b"))


def writes_netcdf(folder):
    import h5py
    import numpy as np

    with h5py.File(os.path.join(folder, "a.h5"), "w") as file:
        file["x"] = np.ones(5)


@pytest.fixture(scope="module")
def trials(tmp_path_factory):
    with Trials("test_injection:nothing", tmp_path_factory.mktemp("trials")) as trials:
        yield trials


def test_a_process_is_killed_at_each_call(trials, tmp_path):
    found = []
    for at in range(1, 10):
        folder = tmp_path / str(at)
        folder.mkdir()
        outcome = trials.run("test_injection:writes", [folder], killed(folder, at))
        if outcome.status == 0:
            break
        assert outcome.status == -signal.SIGKILL
        found.append({p.name: p.read_bytes() for p in folder.iterdir()})
    assert found == [
        {},
        {"a": b"1234"},
        {"a": b"12345678"},
        {"a": b"12345678"},
    ]  # open, write, fsync, rename
    assert outcome.calls == 4


def test_a_call_fails_once_or_from_then_on(trials, tmp_path):
    calls = trials.run("test_injection:writes", [tmp_path], failing(tmp_path, -1, errno.EIO)).calls
    for at in range(1, calls + 1):
        for lasting in (False, True):
            outcome = trials.run(
                "test_injection:writes", [tmp_path], failing(tmp_path, at, errno.ENOSPC, lasting)
            )
            assert "No space left on device" in (
                outcome.traceback or "No space left on device" * (at in (2, 3))
            )
    assert calls >= 5  # closing and asking for the size are among them


def test_other_folders_and_libraries_in_c(trials, tmp_path):
    (tmp_path / "here").mkdir()
    outcome = trials.run(
        "test_injection:writes", [tmp_path], failing(tmp_path / "here", 1, errno.EIO)
    )
    assert (outcome.status, outcome.calls, outcome.traceback) == (0, 0, None)
    outcome = trials.run("test_injection:writes_netcdf", [tmp_path], killed(tmp_path, 10**6))
    assert outcome.calls >= 4  # HDF5 is among the callers
    assert (
        trials.run("test_injection:writes_netcdf", [tmp_path], killed(tmp_path, 2)).status
        == -signal.SIGKILL
    )


def test_which_calls_are_tried():
    assert sampled(5, None) == sampled(5, 9) == [1, 2, 3, 4, 5]
    assert sampled(100, 4) == [1, 34, 67, 100]


CODE = (
    "import os, resource, sys; print(os.environ.get('A'),"
    " resource.getrlimit(resource.RLIMIT_NOFILE)[0], __debug__)"
)


def test_a_program_is_started_under_an_environment():
    limits = {resource.RLIMIT_NOFILE: 99}
    done = run_under([CODE], variables={"A": "1"}, limits=limits, options=["-O"], program=("-c",))
    assert (done.returncode, done.stdout) == (0, "1 99 False\n")
    assert "No space left" in run_under([CODE], streams={1: "/dev/full"}, program=("-c",)).stderr
    closed = run_under(["import os; os.write(1, b'1')"], closed=[1], program=("-c",))
    assert "Bad file descriptor" in closed.stderr
