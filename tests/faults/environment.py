"""The command ``recipe``, or any Python program, started under limits, streams and variables that
somebody may have.
"""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

from helpers.command import INSTALLED, ROOT, Done


def started_under(
    arguments,
    *,
    variables=(),
    limits=(),
    closed=(),
    streams=(),
    options=(),
    cwd=ROOT,
    program=("-m", "recipe_cli"),
):
    """The process: ``python OPTIONS PROGRAM ARGUMENTS``, in a process group of its own.

    Args:
        arguments: of the command.
        variables: of the environment, by name; None takes a variable away.
        limits: of ``resource``, by number: ``{resource.RLIMIT_NOFILE: 8}``.
        closed: the standard streams that are closed: 0, 1, 2.
        streams: files in the place of standard streams, by number: ``{1: "/dev/full"}``.
        options: of Python: ``-OO``.
        cwd: where it starts.
        program: what Python runs.
    """
    environment = {
        **os.environ,
        "COLUMNS": "200",
        "NO_COLOR": "1",
        "PYTHONPATH": str(INSTALLED),
        **dict(variables),
    }

    def prepared():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for number, path in dict(streams).items():
            opened = os.open(path, os.O_RDWR)
            os.dup2(opened, number)
            os.close(opened)
        for stream in closed:
            os.close(stream)
        for limit, value in dict(limits).items():
            resource.setrlimit(limit, (value, value))

    return subprocess.Popen(
        [sys.executable, *options, *program, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        preexec_fn=prepared,  # noqa: PLW1509 (no thread of the tests holds a lock here)
        env={name: str(value) for name, value in environment.items() if value is not None},
        start_new_session=True,
    )


def run_under(arguments, *, seconds=120, **environment):
    """What came of it (see ``started_under``); whatever it started is killed with it if it
    hangs.
    """
    process = started_under(arguments, **environment)
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    return Done(process.returncode, out.decode(errors="replace"), err.decode(errors="replace"))


def files_below(folder):
    """The files of a folder, by their path in it, with their content."""
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in sorted(Path(folder).rglob("*"))
        if p.is_file()
    }
