"""Judging each mutant in a process of its own, so that one that takes for ever, or memory without
end, costs its time only.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

CONTEXT = multiprocessing.get_context("fork")  # what was worked out of the original is there
NOT_IN_TIME = "not within {} seconds"


@dataclass
class Running:
    """A process, what it is about, and when it has to be done."""

    key: Any
    process: Any
    answer: Connection
    until: float
    begun: float = field(default_factory=time.monotonic)


def _answering(work: Callable[[Any], Any], key: Any, end: Connection) -> None:
    end.send(work(key))
    end.close()


def each(
    work: Callable[[Any], Any],
    keys: Iterable[Any],
    jobs: int,
    seconds: float,
    failed: Callable[[str], Any],
) -> Iterator[Any]:
    """``(key, answer, seconds)`` as they come; ``failed(why)`` stands for the answer of a process
    that has none.
    """
    running: list[Running] = []
    waiting = iter(keys)
    more = True
    while more or running:
        while more and len(running) < jobs:
            key = next(waiting, None)
            more = key is not None
            if more:
                running.append(_started(work, key, seconds))
        multiprocessing.connection.wait([r.answer for r in running], timeout=0.2)
        for r in list(running):
            answer = _answer_of(r, seconds, failed)
            if answer is not None:
                running.remove(r)
                yield r.key, answer, time.monotonic() - r.begun


def _started(work: Callable[[Any], Any], key: Any, seconds: float) -> Running:
    mine, theirs = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=_answering, args=(work, key, theirs), daemon=True)
    process.start()
    theirs.close()
    return Running(key, process, mine, time.monotonic() + seconds)


def _answer_of(r: Running, seconds: float, failed: Callable[[str], Any]) -> Any:
    """What it answered; None while it works."""
    answer = None
    if r.answer.poll():
        try:
            answer = r.answer.recv()
        except EOFError:
            r.process.join()
            answer = failed(f"the process ended with {r.process.exitcode}")
    elif time.monotonic() > r.until:
        answer = failed(NOT_IN_TIME.format(f"{seconds:g}"))
    if answer is not None:
        r.process.kill()
        r.process.join()
        r.answer.close()
    return answer
