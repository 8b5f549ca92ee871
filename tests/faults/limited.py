"""The command in a process of its own, under limits, with broken streams, or interrupted."""

import os
import resource
import signal
import subprocess
import sys
from dataclasses import dataclass

from helpers.command import INSTALLED, ROOT

START = "from recipe_cli.start import main; main()"
TRACES = ("Traceback", "Fatal Python", "Exception ignored", "internal error")


@dataclass(frozen=True)
class Ended:
    """What came of it; streams that were not kept are empty."""

    status: int
    stdout: str
    stderr: str

    def says(self, status, sentence):
        """One sentence with this status."""
        assert (self.status, sentence in self.stderr) == (status, True), self
        assert len(self.stderr.strip().splitlines()) == 1, self
        self.is_quiet()

    def is_quiet(self):
        """Nothing that a user would report."""
        assert not any(trace in self.stderr for trace in TRACES), self


def environment_of(cache, **more):
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("NUMBA_", "PYTHON"))
    }
    return {
        **kept,
        "COLUMNS": "200",
        "NO_COLOR": "1",
        "RECIPE_CACHE": str(cache),
        "PYTHONPATH": str(INSTALLED),
        **more,
    }


def start_of(arguments, python=()):
    return [sys.executable, *python, "-c", START, *map(str, arguments)]


def limited(
    *arguments, cache, limits=(), python=(), shell="", seconds=120, stdin=subprocess.DEVNULL, **more
):
    """Run the command; ``limits`` are pairs of a resource and a number, ``shell`` is what follows
    it in a shell.
    """

    def prepare():
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for which, number in limits:
            resource.setrlimit(which, (number, number))

    call = start_of(arguments, python)
    if shell:
        call = ["bash", "-c", f'"$@" {shell}', "bash", *call]
    done = subprocess.run(
        call,
        cwd=ROOT,
        env=environment_of(cache, **more),
        stdin=stdin,
        capture_output=True,
        timeout=seconds,
        preexec_fn=prepare,
        check=False,
    )
    return Ended(
        done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    )
