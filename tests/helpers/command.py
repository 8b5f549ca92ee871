"""The command ``recipe`` in a process of its own, as a user calls it.

It is forked from a process that has imported what it needs, which takes seconds. What is about the
start of the interpreter, or about its environment, starts one itself.
"""

import multiprocessing
import os
import signal
import sys
import tempfile
from dataclasses import dataclass
from multiprocessing import forkserver
from pathlib import Path

import recipe

# The folder that our packages are imported from: where `make test` has unpacked the wheel, or ROOT.
INSTALLED = Path(recipe.__file__).resolve().parents[1]
ROOT = Path(__file__).resolve().parents[2]
SECONDS = 300

_forkserver = multiprocessing.get_context("forkserver")
_forkserver.set_forkserver_preload(
    [
        "recipe_cli.main",
        "recipe_cli.sampling.sample_posterior",
        "recipe_cli.render.diagnosis",
        "recipe_cli.program.translation",
    ]
)


def forked(function, *arguments):
    """A process that calls a function of a module, and has begun."""
    if "PYTHONPATH" in os.environ:  # the server would look into its working directory first
        os.environ["PYTHONSAFEPATH"] = "1"
        try:
            forkserver.ensure_running()
        finally:
            del os.environ["PYTHONSAFEPATH"]
    process = _forkserver.Process(target=_hearing, args=(function, *arguments))
    process.start()
    return process


def _hearing(function, *arguments):
    os.environ.pop("PYTHONSAFEPATH", None)
    hear_signals()
    function(*arguments)


def hear_signals():
    """Hear the signals that a terminal's command hears, also where the tests run under nohup or in
    the background, whose children ignore some of them.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


@dataclass(frozen=True)
class Done:
    """What came of it."""

    returncode: int
    stdout: str
    stderr: str


def command(*arguments, cwd=ROOT, cache=None):
    """Exit status, stdout and stderr."""
    environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"} | (
        {"RECIPE_CACHE": str(cache)} if cache else {}
    )
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        process = forked(
            _called, [str(a) for a in arguments], str(cwd), environment, str(out), str(err)
        )
        process.join(SECONDS)
        if process.exitcode is None:
            process.kill()
            raise TimeoutError(
                f"recipe {' '.join(map(str, arguments))}: no end within {SECONDS} seconds"
            )
        return Done(process.exitcode, out.read_text(), err.read_text())


def _called(arguments, cwd, environment, out, err):
    for path, stream in ((os.devnull, 0), (out, 1), (err, 2)):
        opened = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        os.dup2(opened, stream)
        os.close(opened)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["recipe", *arguments]

    from recipe_cli.start import main

    main()
