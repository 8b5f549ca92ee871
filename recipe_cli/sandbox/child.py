"""A child process under limits of time and memory: how it is started, stopped, and named when it
ends.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from recipe_cli.sandbox.process_limits import Limits, limited_memory

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


def within_limits(call: Callable[[], Any], limits: Limits) -> Any:
    """Return what a function returns, which runs in a child process.

    Where a process cannot be forked, the function runs in this one, without limits.

    Raises:
        StoppedError: if it takes too much time or memory, or its process ends by itself.
        Exception: what the function raises.
    """
    if not FORK_IS_SAFE:
        return call()
    with child_process(_answer, call, limits.gigabytes, method="fork") as (connection, process):
        if not wait([connection, process.sentinel], limits.seconds):
            raise StoppedError(f"no answer within {limits.seconds:g} seconds")
        try:
            result, error = connection.recv()
        except (EOFError, OSError):
            raise StoppedError(how_it_ended(process)) from None
    if error is not None:
        raise error
    return result


def _answer(
    connection: Connection, parents: Connection, call: Callable[[], Any], gigabytes: float
) -> None:
    """Run a function in the child process, and send its result or what it raises."""
    parents.close()
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the parent says that it was interrupted
    answer: tuple[Any, Exception | None]
    try:
        with limited_memory(gigabytes):
            answer = call(), None
    except MemoryError:
        answer = None, StoppedError(f"it needed more than {gigabytes:g} GB of memory")
    except Exception as error:
        answer = None, error
    connection.send(answer)


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
        with _interruption_put_off():  # in the child it would print a traceback
            process.start()
        theirs.close()
        yield ours, process
    finally:
        _end_process(process)
        ours.close()


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
