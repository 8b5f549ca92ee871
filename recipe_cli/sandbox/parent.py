"""The parent of the child process that runs a recipe file: it limits the time of each obligation,
and the memory.

The limits are on a process because native code cannot be stopped otherwise. If the child exceeds a
limit, the obligation is undecided, and a new child goes on with the next one; so a file may run
more than once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from recipe_cli.declarations.declaration import Declaration, UnfitDeclaration
from recipe_cli.errors import BAD_INPUT_STATUS, Mistake
from recipe_cli.sandbox.child import (
    FORK_IS_SAFE,
    StoppedError,
    child_process,
    how_it_ended,
    no_answer,
    no_memory,
)
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
from verify.verdict import Outcome, Verdict, undecided

SILENT_SECONDS = 1.0  # of work before a terminal shows what is being done
MAX_PROGRESS_CHARACTERS = 70  # of the line that a terminal shows
POLL_SECONDS = 0.5  # between two looks at the process


@dataclass
class Watch:
    """The verification of all declarations that ``load`` returns, in child processes under
    limits.

    Attributes:
        load: the function that runs the file and returns its declarations.
        where: what the user typed, for messages.
        require: the names of further obligations that must be proved.
        limits: time and memory.
        certify: whether a certificate is wanted.
        method: how child processes start, ``fork`` or ``spawn``.
    """

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
        """Yield one result for each declaration as it comes; a file that cannot be run gives one
        refusal.
        """
        over = False
        while not over:
            with self._process() as (connection, process):
                try:
                    for message in self._messages(connection, process):
                        yield from self._results_of(message)
                    over = True
                except StoppedError as stopped:
                    results, over = self._results_after_stop(stopped)
                    yield from results
            self._again = True

    def _process(self) -> AbstractContextManager[tuple[Connection, BaseProcess]]:
        """Return a child process that goes on where the last one has ended, with its connection."""
        task = Task(
            self.load,
            self.require,
            self.certify,
            self.limits.gigabytes,
            self._done,
            dict(self._answered),
            self._again,
        )
        return child_process(work, task, method=self.method)

    def _messages(self, connection: Connection, process: BaseProcess) -> Iterator[Any]:
        """Yield the messages of the child process until it has ended.

        Raises:
            StoppedError: if no message comes in time, or none can come any more.
        """
        with Progress() as progress:
            while not isinstance(message := self._next(connection, process, progress), Ended):
                yield message

    def _next(self, connection: Connection, process: BaseProcess, progress: Progress) -> Any:
        """Return the next message of the child process; see ``_messages``."""
        began = time.monotonic()
        while (left := began + self.limits.seconds - time.monotonic()) > 0:
            ready = wait([connection, process.sentinel], min(left, POLL_SECONDS))
            if connection in ready or (ready and connection.poll()):
                try:
                    message = connection.recv()
                except (EOFError, OSError):
                    raise StoppedError(how_it_ended(process)) from None
                except Exception as error:
                    raise StoppedError(
                        f"its answer cannot be read ({type(error).__name__})"
                    ) from None
                progress.clear()
                if isinstance(message, OutOfMemory):
                    raise no_memory(self.limits.gigabytes)
                return message
            if ready:
                raise StoppedError(how_it_ended(process))
            seconds = time.monotonic() - began
            if seconds > SILENT_SECONDS:
                doing = self._current_work()[:MAX_PROGRESS_CHARACTERS]
                progress.show(f"{doing} ({seconds:.0f} s)")
        raise no_answer(self.limits)

    def _current_work(self) -> str:
        """Return what the child process is doing, in words."""
        if self._begun is None:
            return f"running {self.where}"
        return f"{self._begun.declared.name}: {self._obligation or 'deriving the dynamics'}"

    def _results_of(self, message: Any) -> Iterator[Result]:
        """Note what a message says, and yield the result in it if there is one."""
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

    def _results_after_stop(self, stopped: StoppedError) -> tuple[list[Result], bool]:
        """Return what follows from a child process that was stopped.

        Returns:
            The results, and whether they are the last ones.
        """
        if self._begun is None:
            mistake = Mistake(stopped.sentence(self.where), BAD_INPUT_STATUS)
            return [RefusedDeclaration(mistake)], True
        if self._obligation is not None:
            known = self._answered.get(self._obligation)
            if known is None or known.verdict is not Verdict.REFUTED:  # else its repair is missing
                self._answered[self._obligation] = undecided(stopped.reason)
            return [], False
        result = JudgedDeclaration(
            self._begun.declared, _with_reason(self._begun.unanswered, stopped.reason)
        )
        self._next_declaration()
        return [result], False


def _with_reason(report: Report, reason: str) -> Report:
    """Return an unanswered report with the reason why the process stopped."""
    lines = (
        replace(line, outcome=undecided(f"{line.outcome.by}: {reason}")) for line in report.lines
    )
    return replace(report, lines=tuple(lines))
