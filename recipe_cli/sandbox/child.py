"""A child process under limits of time and memory: how it is started, stopped, and named when it
ends.
"""

from __future__ import annotations

import contextlib
import faulthandler
import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from recipe import RecipeError
from recipe_cli.errors import FailedError, mistake_of, printable
from recipe_cli.sandbox.process_limits import Limits, limited_memory
from verify.verdict import Outcome, undecided

# On other platforms a fresh interpreter is started, which takes about a second.
FORK_IS_SAFE = sys.platform.startswith("linux")


class StoppedError(Exception):
    """The child process gave no answer.

    Args:
        reason: why it gave none.
        advice: what would help, as a clause that begins with "; ", or nothing.
    """

    def __init__(self, reason: str, advice: str = "") -> None:
        super().__init__(reason)
        self.reason, self.advice = reason, advice

    @property
    def outcome(self) -> Outcome:
        """The outcome of a proof that was stopped."""
        return undecided(f"{self.reason}{self.advice}")

    def sentence(self, where: str) -> str:
        """Return the sentence about a file that could not be run to its end."""
        return f"{printable(where)} could not be run to its end: {self.reason}{self.advice}"


def within_limits(call: Callable[[], Any], limits: Limits, quiet: bool = False) -> Any:
    """Return what a function returns, which runs in a child process.

    Where a process cannot be forked, the function runs in this one, without limits.

    Args:
        call: the function; its result must be plain data.
        limits: time and memory.
        quiet: True if nothing that the function prints is shown; otherwise it goes to stderr.

    Raises:
        StoppedError: if it takes too much time or memory, or its process ends by itself.
        RecipeError: what the function raises.
        FailedError: for any other exception of the function.
    """
    if not FORK_IS_SAFE:
        return call()
    arguments = _answer, call, limits.gigabytes, quiet
    with child_process(*arguments, method="fork") as (connection, process):
        if not wait([connection, process.sentinel], limits.seconds):
            raise no_answer(limits)
        try:
            result, error = connection.recv()
        except (EOFError, OSError):
            raise StoppedError(how_it_ended(process)) from None
    if error is not None:
        raise error
    return result


def answer_about(where: str, call: Callable[[], Any], limits: Limits) -> Any:
    """Return what a function returns that runs a file, in a child process.

    Args:
        where: what the user typed.
        call, limits: as for ``within_limits``.

    Raises:
        RecipeError: if the process is stopped, and what the function raises.
        FailedError: for any other exception of the function.
    """
    try:
        return within_limits(call, limits)
    except StoppedError as stopped:
        raise RecipeError(stopped.sentence(where)) from None


def rehearse(where: str, call: Callable[[], Any], limits: Limits) -> None:
    """Check in a child process that a function comes to its end, before it runs in this one.

    What it prints, returns or raises there is ignored: it comes again. Where a process cannot be
    forked, nothing is checked.

    Args:
        where: what the user typed.
        call: the function, whose result may be anything.
        limits: time and memory of the child process.

    Raises:
        RecipeError: if the child process is stopped.
    """
    if not FORK_IS_SAFE:
        return
    try:
        within_limits(partial(_without_result, call), limits, quiet=True)
    except StoppedError as stopped:
        raise RecipeError(stopped.sentence(where)) from None


def _without_result(call: Callable[[], Any]) -> None:
    try:
        call()
    except MemoryError:
        raise
    except (Exception, KeyboardInterrupt):
        return


def no_answer(limits: Limits) -> StoppedError:
    """Return the error of a child process that takes too long."""
    return StoppedError(f"no answer within {limits.seconds:g} seconds", "; --timeout allows more")


def no_memory(gigabytes: float) -> StoppedError:
    """Return the error of a child process that needs too much memory."""
    return StoppedError(f"it needed more than {gigabytes:g} GB of memory", "; --memory allows more")


def _answer(
    connection: Connection,
    parents: Connection,
    call: Callable[[], Any],
    gigabytes: float,
    quiet: bool,
) -> None:
    """Run a function in the child process, and send its result or what it raises."""
    isolate(connection, parents, quiet)
    process = os.getpid()
    answer: tuple[Any, Exception | None]
    try:
        with limited_memory(gigabytes):
            answer = call(), None
    except MemoryError:
        answer = None, no_memory(gigabytes)
    except KeyboardInterrupt:  # by a file itself: this process is not in the foreground
        answer = None, RecipeError("the file raised KeyboardInterrupt")
    except RecipeError as error:
        answer = None, RecipeError(str(error))
    except Exception as error:  # its class may be one of the file, which is not sent
        answer = None, FailedError(mistake_of(error))
    if os.getpid() != process:  # a file has forked, and only one process may answer
        os._exit(0)
    connection.send(answer)


def isolate(connection: Connection, ends_of_parent: Connection | None, quiet: bool) -> None:
    """Separate this process from its parent.

    It gets a process group of its own, so that everything that a file starts ends with it, and its
    standard output becomes stderr, so that the output of the file does not mix with the report.
    """
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)
    if hasattr(signal, "pthread_sigmask"):
        # An interruption that came during the fork is for the parent alone.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    if hasattr(signal, "SIGPIPE"):
        # This is Python's default, which the file, the user's own program, may count on.
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    if ends_of_parent is not None:
        ends_of_parent.close()
    threading.Thread(target=_end_with_parent, args=(connection,), daemon=True).start()
    faulthandler.disable()  # the parent reports a crash in one sentence
    with contextlib.suppress(OSError):
        os.dup2(2, 1)
    # A process that is killed loses the output in its buffers.
    with contextlib.suppress(AttributeError):
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    if quiet:
        silence()


def _end_with_parent(connection: Connection) -> None:
    """Wait until the connection ends, because the parent is gone, and end this process."""
    with contextlib.suppress(Exception):
        connection.recv()
    os._exit(1)


def silence() -> None:
    """Print nothing from now on: messages of native code about memory would hide the one sentence
    of the parent.
    """
    with contextlib.suppress(Exception):
        sys.stdout.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)


@contextlib.contextmanager
def child_process(
    target: Callable[..., None], *arguments: Any, method: str
) -> Iterator[tuple[Connection, BaseProcess]]:
    """Start a child process, yield the connection to it and the process, and kill it at the end.

    Args:
        target: the function that the child calls with its connection, our end of that connection,
            which a forked child has to close (None otherwise), and the arguments.
        arguments: further arguments.
        method: how the process starts, ``fork`` or ``spawn``.
    """
    context: Any = multiprocessing.get_context(method)
    ours, theirs = context.Pipe()
    process = context.Process(
        target=target, args=(theirs, ours if method == "fork" else None, *arguments)
    )
    try:
        # An interruption would print a traceback in the child.
        with _interruption_put_off(), _without_warning_of_jax():
            process.start()
        theirs.close()
        yield ours, process
    finally:
        _end_process(process)
        ours.close()


@contextlib.contextmanager
def _without_warning_of_jax() -> Iterator[None]:
    """Fork without the warning that JAX has for every fork after its import.

    A file that imports JAX is loaded before children prove and generate, with sympy and without
    JAX: they need none of the locks that its threads may hold, and one that hangs all the same is
    ended by its limit of time.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"os\.fork\(\) was called", RuntimeWarning)
        yield


@contextlib.contextmanager
def _interruption_put_off() -> Iterator[None]:
    """Delay Ctrl-C until this block is over; a process that is forked inside it begins with Ctrl-C
    blocked.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_process(process: BaseProcess) -> None:
    """Kill a process and all processes that it started."""
    if process.pid is None:
        return
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.join()


def how_it_ended(process: BaseProcess) -> str:
    """Return how a process ended, in words."""
    process.join(1)
    code = process.exitcode
    if code is None or code >= 0:
        return f"its process ended by itself, with exit status {code}"
    return f"its process was ended by {signal.Signals(-code).name}"
