"""Runs of Python code that are killed at their N-th file-system call, or in which that call fails;
and bytes that are flipped.

    with Trials("programs:warm", tmp_path) as trials:
        outcome = trials.run("programs:sampled_with", [folder], killed(folder, at=7))

The function is named by its module and name, its arguments and what it returns are JSON. A library
that is preloaded stands between the C library and its callers, so calls from HDF5, numpy and Arrow
count as well; only those on files below ``folder`` count. What the C library calls by itself, as
fwrite does, is not seen.
"""

import errno
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from helpers.command import INSTALLED

HERE = Path(__file__).resolve().parent
NEVER, ALWAYS = -1, 2**62
ERRORS = (errno.EIO, errno.ENOSPC, errno.EACCES, errno.EMFILE)


@dataclass(frozen=True)
class Fault:
    """The calls from the ``first`` to the ``last`` on files below a folder fail; without an error
    the process is killed there.
    """

    folder: Path
    first: int = NEVER
    last: int = NEVER
    error: int = 0
    only_changes: bool = False


def killed(folder, at):
    """SIGKILL in place of the call, a write halfway; calls that only read do not count."""
    return Fault(folder, at, at, only_changes=True)


def failing(folder, at, error, lasting=False):
    """The call fails, and with ``lasting`` all that follow, as on a disk that is gone."""
    return Fault(folder, at, ALWAYS if lasting else at, error)


@dataclass(frozen=True)
class Outcome:
    """What came of a run: its status (negative for a signal), and what the function returned,
    refused or raised.
    """

    status: int
    calls: int = 0
    value: object = None
    refused: str | None = None
    exit: int | None = None
    traceback: str | None = None
    stdout: str = ""
    stderr: str = ""


class Trials:
    """A server of forks; ``warm`` names a function that it calls first, to import and compile what
    the runs need.
    """

    def __init__(self, warm, folder, variables=()):
        self.folder = Path(folder, "trials")
        self.folder.mkdir()
        environment = {
            **os.environ,
            "LD_PRELOAD": str(preloaded()),
            "COLUMNS": "200",
            "NO_COLOR": "1",
            "PYTHONPATH": os.pathsep.join(map(str, (HERE, HERE.parent, INSTALLED))),
            **dict(variables),
        }
        self._server = subprocess.Popen(
            [sys.executable, str(HERE / "trial_server.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=folder,
        )
        outcome = self._asked(warm, [], Fault(self.folder), fork=False, seconds=600)
        assert outcome.traceback is None, outcome.traceback

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.stdin.close()
        self._server.stdout.close()
        self._server.wait(60)

    def run(self, function, arguments=(), fault=None, seconds=120):
        """One call of the function in a fork; SIGALRM ends it if it hangs."""
        return self._asked(
            function, arguments, fault or Fault(self.folder / "nothing"), fork=True, seconds=seconds
        )

    def _asked(self, function, arguments, fault, fork, seconds):
        paths = {name: self.folder / name for name in ("answer", "out", "err")}
        for path in paths.values():
            path.unlink(missing_ok=True)
        faults = [
            str(Path(fault.folder).resolve()),
            fault.first,
            fault.last,
            fault.error,
            int(fault.only_changes),
        ]
        request = {
            "function": function,
            "arguments": [str(a) if isinstance(a, Path) else a for a in arguments],
            "faults": faults,
            "fork": fork,
            "seconds": seconds,
            **{name: str(path) for name, path in paths.items()},
        }
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        status = json.loads(self._server.stdout.readline())
        answer = json.loads(paths["answer"].read_text()) if paths["answer"].exists() else {}
        out, err = (
            p.read_text(errors="replace") if p.exists() else ""
            for p in (paths["out"], paths["err"])
        )
        return Outcome(status, stdout=out, stderr=err, **answer)


@functools.cache
def preloaded():
    """The library that counts calls; the tests that need it are skipped where there is none."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not sys.platform.startswith("linux") or compiler is None:
        pytest.skip(
            "faults are injected by a preloaded library, which needs Linux and a C compiler, cc"
        )
    library = Path(tempfile.mkdtemp(prefix="recipe-faults-"), "failing_calls.so")
    command = [
        compiler,
        "-shared",
        "-fPIC",
        "-O1",
        "-o",
        str(library),
        str(HERE / "failing_calls.c"),
        "-ldl",
    ]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"cc does not compile failing_calls.c here: {made.stderr[:300]}")
    return library


def sampled(count, at_most):
    """The numbers from 1 to ``count``, or so many of them at equal distances, the first and the
    last among them.
    """
    if at_most is None or count <= at_most:
        return list(range(1, count + 1))
    return sorted({1 + k * (count - 1) // (at_most - 1) for k in range(at_most)})


def flipped(path, place, mask):
    """Change the bits ``mask`` of the byte at ``place``; returns the content before."""
    before = path.read_bytes()
    path.write_bytes(before[:place] + bytes([before[place] ^ mask]) + before[place + 1 :])
    return before
