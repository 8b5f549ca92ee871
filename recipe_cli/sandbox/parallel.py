"""Verify several files at once, each in processes of its own."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from queue import Empty, SimpleQueue

from recipe_cli.declarations.declaration import Declaration, UnfitDeclaration
from recipe_cli.sandbox.messages import Result
from recipe_cli.sandbox.parent import Watch
from recipe_cli.sandbox.process_limits import Limits

Load = Callable[[str], Sequence[Declaration | UnfitDeclaration]]


def results_of_files(
    load: Load, files: Sequence[str], limits: Limits, jobs: int
) -> Iterator[list[Result]]:
    """Yield the results of each file, in the order of the files.

    Threads wait for the child processes. Both end with this program, so that an interruption waits
    for nothing.

    Args:
        load: the function that runs a file and returns its declarations.
        files: the files.
        limits: the limits of each child process.
        jobs: how many files are verified at once.
    """
    waiting: SimpleQueue[int] = SimpleQueue()
    finished: SimpleQueue[tuple[int, list[Result] | BaseException]] = SimpleQueue()
    for k in range(len(files)):
        waiting.put(k)

    def work() -> None:
        with contextlib.suppress(Empty):
            while True:
                k = waiting.get_nowait()
                finished.put((k, _results_of_file(load, files[k], limits)))

    for _ in range(min(jobs, len(files))):
        threading.Thread(target=work, daemon=True).start()
    done: dict[int, list[Result] | BaseException] = {}
    for k in range(len(files)):
        while k not in done:
            done |= [finished.get()]
        results = done.pop(k)
        if isinstance(results, BaseException):
            raise results
        yield results


def _results_of_file(load: Load, where: str, limits: Limits) -> list[Result] | BaseException:
    try:
        return list(Watch(partial(load, where), where, limits=limits).results())
    except BaseException as error:  # otherwise the main thread would wait for this one for ever
        return error


def processor_count() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
