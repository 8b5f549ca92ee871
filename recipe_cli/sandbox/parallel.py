"""Several files at once, each in processes of its own."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from queue import Empty, SimpleQueue

from recipe_cli.declarations import Declaration, UnfitDeclaration
from recipe_cli.sandbox.messages import Result
from recipe_cli.sandbox.parent import Watch
from recipe_cli.sandbox.process_limits import Limits

Load = Callable[[str], Sequence[Declaration | UnfitDeclaration]]


def results_of_files(
    load: Load, files: Sequence[str], limits: Limits, jobs: int
) -> Iterator[list[Result]]:
    """The results of each file, in their order, while ``jobs`` files are worked on at once.

    The threads that watch these end with the program, and the processes with them: an interruption
    waits for nothing.
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
    except (
        BaseException
    ) as error:  # a thread that ends without an answer would be waited for for ever
        return error


def processor_count() -> int:
    """How many processes can work at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
