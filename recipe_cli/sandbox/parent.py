"""The parent of the process that runs a recipe file: it sets a limit of time for each obligation,
and of memory.

The limits are on processes because nothing less ends native code. When one is exceeded, that
obligation is undecided, and a new process goes on with the next; so a file may be run more than
once.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from recipe_cli.declarations import Declaration, UnfitDeclaration
from recipe_cli.errors import BAD_INPUT_STATUS, Mistake, printable
from recipe_cli.sandbox.messages import (
    Answered,
    Begun,
    Ended,
    JudgedDeclaration,
    OutOfMemory,
    RefusedDeclaration,
    Result,
    Task,
    Working,
)
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.sandbox.worker import work
from recipe_cli.terminal.progress import Progress
from verify.report import Report
from verify.verdict import Outcome, undecided

FORK_IS_SAFE = sys.platform.startswith(
    "linux"
)  # elsewhere a fresh interpreter is started, which takes about a second
SILENT_SECONDS = 1.0  # before a terminal is told what is being worked on
MAX_PROGRESS_CHARACTERS = 70  # of what a terminal is told
POLL_SECONDS = 0.5  # between two looks at the process


class _StoppedError(Exception):
    """The process that was watched came to no answer: why, and what would help."""

    def __init__(self, reason: str, advice: str = "") -> None:
        super().__init__(reason)
        self.reason, self.advice = reason, advice


@dataclass
class Watch:
    """Everything that ``load`` finds in ``where``, verified under watch."""

    load: Callable[[], Sequence[Declaration | UnfitDeclaration]]
    where: str
    require: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    certify: bool = False
    method: str = "fork" if FORK_IS_SAFE else "spawn"

    def __post_init__(self) -> None:
        self._done = 0
        self._answered: dict[str, Outcome] = {}
        self._begun: Begun | None = None
        self._obligation: str | None = None
        self._again = False

    def results(self) -> Iterator[Result]:
        """One result a declaration, as it comes; a file that cannot be run is refused once."""
        over = False
        while not over:
            with self._process() as (connection, process):
                try:
                    for message in self._heard(connection, process):
                        yield from self._results_of(message)
                    over = True
                except _StoppedError as stopped:
                    result, over = self._after(stopped)
                    yield from result
            self._again = True

    @contextlib.contextmanager
    def _process(self) -> Iterator[tuple[Connection, BaseProcess]]:
        """A process at work; however this ends, it does not outlive it."""
        context: Any = multiprocessing.get_context(self.method)
        ours, theirs = context.Pipe()
        task = Task(
            self.load,
            self.require,
            self.certify,
            self.limits.gigabytes,
            self._done,
            dict(self._answered),
            self._again,
        )
        process = context.Process(
            target=work, args=(theirs, ours if self.method == "fork" else None, task)
        )
        try:
            with _interruption_put_off():  # in the child it would end in a traceback
                process.start()
            theirs.close()
            yield ours, process
        finally:
            _end(process)
            ours.close()

    def _heard(self, connection: Connection, process: BaseProcess) -> Iterator[Any]:
        """Its messages until it has ended; raises where none comes in time, or none can come any
        more.
        """
        with Progress() as progress:
            while not isinstance(message := self._next(connection, process, progress), Ended):
                yield message

    def _next(self, connection: Connection, process: BaseProcess, progress: Progress) -> Any:
        began = time.monotonic()
        while (left := began + self.limits.seconds - time.monotonic()) > 0:
            ready = wait([connection, process.sentinel], min(left, POLL_SECONDS))
            if connection in ready or (ready and connection.poll()):
                try:
                    message = connection.recv()
                except (EOFError, OSError):
                    raise _StoppedError(_how_it_ended(process)) from None
                except Exception as error:
                    raise _StoppedError(
                        f"its answer cannot be read ({type(error).__name__})"
                    ) from None
                progress.clear()
                if isinstance(message, OutOfMemory):
                    raise _StoppedError(
                        f"it needed more than {self.limits.gigabytes:g} GB of memory",
                        "; --memory allows more",
                    )
                return message
            if ready:
                raise _StoppedError(_how_it_ended(process))
            seconds = time.monotonic() - began
            if seconds > SILENT_SECONDS:
                progress.show(f"{self._now()[:MAX_PROGRESS_CHARACTERS]} ({seconds:.0f} s)")
        raise _StoppedError(
            f"no answer within {self.limits.seconds:g} seconds", "; --timeout allows more"
        )

    def _now(self) -> str:
        if self._begun is None:
            return f"running {self.where}"
        return f"{self._begun.declared.name}: {self._obligation or 'deriving the dynamics'}"

    def _results_of(self, message: Any) -> Iterator[Result]:
        match message:
            case Begun():
                self._begun, self._obligation = message, None
            case Working():
                self._obligation = message.obligation
            case Answered():
                self._answered[message.obligation] = message.outcome
                self._obligation = None
            case JudgedDeclaration() | RefusedDeclaration():
                self._next_declaration()
                yield message

    def _next_declaration(self) -> None:
        self._done += 1
        self._answered, self._begun, self._obligation = {}, None, None

    def _after(self, stopped: _StoppedError) -> tuple[list[Result], bool]:
        """What follows from a process that was stopped: results, and whether that was all."""
        if self._begun is None:
            sentence = (
                f"{printable(self.where)} could not be run to its end:"
                f" {stopped.reason}{stopped.advice}"
            )
            return [RefusedDeclaration(Mistake(sentence, BAD_INPUT_STATUS))], True
        if self._obligation is not None:
            self._answered[self._obligation] = undecided(stopped.reason)
            return [], False
        result = JudgedDeclaration(
            self._begun.declared, _with_reason(self._begun.unanswered, stopped.reason)
        )
        self._next_declaration()
        return [result], False


@contextlib.contextmanager
def _interruption_put_off() -> Iterator[None]:
    """Hear Ctrl-C when this is over; a process that is forked here begins deaf to it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _with_reason(report: Report, reason: str) -> Report:
    lines = (
        replace(line, outcome=undecided(f"{line.outcome.by}: {reason}")) for line in report.lines
    )
    return replace(report, lines=tuple(lines))


def _end(process: BaseProcess) -> None:
    """Kill the process and all that it started."""
    if process.pid is None:
        return
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.join()


def _how_it_ended(process: BaseProcess) -> str:
    process.join(1)
    code = process.exitcode
    if code is None or code >= 0:
        return f"its process ended by itself, with exit status {code}"
    return f"its process was ended by {signal.Signals(-code).name}"
