"""The process in which a recipe file is run and its declarations are verified.

It is one that can be killed: a file may hang, and native code (python-flint) hears no signal. It
tells its parent what it works on and each answer as it comes, so that a process that takes its
place goes on from there.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Any

from recipe import Discretisation, Kernel, Recipe, RecipeError, Update
from recipe_cli.declarations import Declaration, Unfit, the_one
from recipe_cli.mistakes import Mistake, mistake_of, printable
from verify.certificate import certificate_of
from verify.decide.zero.decide import DisagreementError
from verify.engine import discharged, unanswered, verify
from verify.obligation import Obligation, Outcomes
from verify.report import Report
from verify.subject import KernelSubject, Subject
from verify.verdict import Outcome, Verdict

MOST_GIGABYTES = 2.0**30  # more is no limit, and no number that the system takes


@dataclass(frozen=True)
class Task:
    """What to do: ``done`` declarations are finished, and of the next one these obligations are
    ``answered``.
    """

    load: Callable[[], Sequence[Declaration | Unfit]]
    require: tuple[str, ...]
    certify: bool
    gigabytes: float
    done: int
    answered: Mapping[str, Outcome]
    again: bool  # the file was run before, and what it prints is known


@dataclass(frozen=True)
class Declared:
    """What a reader wants to know of a declaration, as plain data; ``target`` is minus the log
    density that it is said to have.
    """

    name: str
    file: str
    expect: str | None
    source: str | None = None
    target: str = ""


@dataclass(frozen=True)
class Begun:
    """A declaration is worked on; ``unanswered`` is what is to be reported of it if its dynamics
    are never derived.
    """

    declared: Declared
    unanswered: Report


@dataclass(frozen=True)
class Working:
    """An obligation is worked on."""

    obligation: str


@dataclass(frozen=True)
class Answered:
    """An obligation is answered."""

    obligation: str
    outcome: Outcome


@dataclass(frozen=True)
class Judged:
    """A declaration and its report; where one was asked for and all is proved, the certificate."""

    declared: Declared
    report: Report
    certificate: dict[str, Any] | None = None


@dataclass(frozen=True)
class Refused:
    """A declaration, or a whole file, of which there is no report, and why. After a fault of this
    program ``stop`` may be set.
    """

    mistake: Mistake
    stop: bool = False


@dataclass(frozen=True)
class OutOfMemory:
    """Memory ran out, and the process ends."""


@dataclass(frozen=True)
class Ended:
    """Every declaration has been judged or refused."""


def work(connection: Connection, ends_of_parent: Connection | None, task: Task) -> None:
    """Run the file, verify what it declares, and say everything through the connection."""
    try:
        _stand_alone(connection, ends_of_parent, quiet=task.again)
        with limited_memory(task.gigabytes):
            found = _load(task)
        _silence()
        with limited_memory(task.gigabytes):
            _verify_all(connection, found, task)
    except MemoryError:
        connection.send(OutOfMemory())
    except (
        BaseException
    ) as error:  # SystemExit and KeyboardInterrupt as well: a file may raise what it likes
        connection.send(Refused(mistake_of(error)))
        connection.send(Ended())


def _load(task: Task) -> Sequence[Declaration | Unfit]:
    process = os.getpid()
    try:
        found = task.load()
        if task.certify:
            found = [the_one([d for d in found if isinstance(d, Declaration)])]
    except KeyboardInterrupt:  # nobody interrupts this process: it is not in the foreground
        raise RecipeError("the file raised KeyboardInterrupt") from None
    if (
        os.getpid() != process
    ):  # the file has forked: one of the two goes on, or both would speak at once
        os._exit(0)
    return found


def _verify_all(connection: Connection, found: Sequence[Declaration | Unfit], task: Task) -> None:
    answered = task.answered
    for declaration in found[task.done :]:
        if isinstance(declaration, Unfit):
            connection.send(Refused(_named(declaration, mistake_of(declaration.error))))
            continue
        try:
            connection.send(_verify(connection, declaration, task, answered))
        except DisagreementError as error:
            connection.send(Refused(_named(declaration, mistake_of(error)), stop=True))
            break
        except MemoryError:
            raise
        except Exception as error:
            connection.send(Refused(_named(declaration, mistake_of(error))))
        answered = {}
    connection.send(Ended())


def _verify(
    connection: Connection, declaration: Declaration, task: Task, answered: Mapping[str, Outcome]
) -> Judged:
    declared = _declared(declaration)
    connection.send(Begun(declared, replace(unanswered(declaration.declared), name=declared.name)))

    def discharge(
        obligation: Obligation, subject: Subject | KernelSubject, outcomes: Outcomes
    ) -> Outcome:
        known = answered.get(obligation.name)
        if known is not None and not (
            task.certify and known.verdict is Verdict.PROVED
        ):  # its steps were not sent
            return known
        connection.send(Working(obligation.name))
        outcome = discharged(obligation, subject, outcomes)
        connection.send(Answered(obligation.name, _plain(outcome)))
        return outcome

    report = replace(
        verify(declaration.declared, require=task.require, discharge=discharge), name=declared.name
    )
    certificate = None
    if task.certify and report.verdict is Verdict.PROVED:
        assert not isinstance(declaration.declared, Discretisation)  # the command refuses
        certificate = certificate_of(declaration.declared, report)
    lines = tuple(replace(line, outcome=_plain(line.outcome)) for line in report.lines)
    return Judged(declared, replace(report, lines=lines), certificate)


def _declared(declaration: Declaration) -> Declared:
    declared = (
        declaration.declared.of
        if isinstance(declaration.declared, Discretisation)
        else declaration.declared
    )
    expect = declared.expect if isinstance(declared, Update | Kernel) else None
    target = declared.H if isinstance(declared, Recipe) else declared.target
    source = None if declared.source is None else printable(declared.source)
    return Declared(
        printable(declaration.name), declaration.file, expect, source, printable(str(target))
    )


def _plain(outcome: Outcome) -> Outcome:
    """Without its steps: they hold expressions, and a report of text is all that the parent
    needs.
    """
    return replace(outcome, steps=())


def _named(declaration: Declaration | Unfit, mistake: Mistake) -> Mistake:
    return replace(mistake, sentence=f"{declaration.file}, {declaration.name}: {mistake.sentence}")


# -- the process
# --------------------------------------------------------------------------------------------------


def _stand_alone(connection: Connection, ends_of_parent: Connection | None, quiet: bool) -> None:
    """A process group of its own, so that all that the file starts ends with it; no input; its
    output is not the report's.
    """
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)
    if hasattr(signal, "pthread_sigmask"):
        signal.signal(
            signal.SIGINT, signal.SIG_IGN
        )  # one that came while it was forked is for the parent alone
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    if hasattr(signal, "SIGPIPE"):
        signal.signal(
            signal.SIGPIPE, signal.SIG_IGN
        )  # as Python has it: the file is the user's own program
    if ends_of_parent is not None:
        ends_of_parent.close()
    threading.Thread(target=_end_with_parent, args=(connection,), daemon=True).start()
    faulthandler.disable()  # a crash is one sentence of the parent's
    with contextlib.suppress(OSError):
        os.dup2(2, 1)
    with contextlib.suppress(
        AttributeError
    ):  # a process that is stopped loses what it has not written out
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    if quiet:
        _silence()


def _end_with_parent(connection: Connection) -> None:
    """The parent says nothing; that the connection ends is how a process learns that its parent is
    gone.
    """
    with contextlib.suppress(Exception):
        connection.recv()
    os._exit(1)


def _silence() -> None:
    """Print nothing from now on: what native code says of memory that ran out would hide the one
    sentence.
    """
    with contextlib.suppress(Exception):
        sys.stdout.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)


@contextlib.contextmanager
def limited_memory(gigabytes: float):  # type: ignore[no-untyped-def]
    """Let the process have so much memory more than it has now, where the platform can say so
    (Linux; not Windows).

    Within, too much ends in MemoryError, or in native code by a signal; afterwards there is room to
    say so.
    """
    try:
        import resource
    except ImportError:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = _memory_now() + int(min(gigabytes, MOST_GIGABYTES) * 2**30)
    ends = [n for n in (soft, hard, wanted) if n != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    resource.setrlimit(resource.RLIMIT_AS, (min(ends), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _memory_now() -> int:
    """The bytes of address space that the process has; 0 where the platform does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0
