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
from collections.abc import Mapping, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection

from recipe import Discretisation, Kernel, Recipe, RecipeError, Update
from recipe_cli.declarations import Declaration, UnfitDeclaration, single_declaration
from recipe_cli.errors import Mistake, mistake_of, printable
from recipe_cli.sandbox.messages import (
    Answered,
    Begun,
    DeclarationFacts,
    Ended,
    JudgedDeclaration,
    OutOfMemory,
    RefusedDeclaration,
    Task,
    Working,
)
from recipe_cli.sandbox.process_limits import limited_memory
from verify.decide.zero.decide import DisagreementError
from verify.engine import discharged, unanswered, verify
from verify.obligation import Obligation, Outcomes
from verify.subject import KernelSubject, Subject
from verify.verdict import Outcome, Verdict


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
        connection.send(RefusedDeclaration(mistake_of(error)))
        connection.send(Ended())


def _load(task: Task) -> Sequence[Declaration | UnfitDeclaration]:
    process = os.getpid()
    try:
        found = task.load()
        if task.certify:
            found = [single_declaration([d for d in found if isinstance(d, Declaration)])]
    except KeyboardInterrupt:  # nobody interrupts this process: it is not in the foreground
        raise RecipeError("the file raised KeyboardInterrupt") from None
    if (
        os.getpid() != process
    ):  # the file has forked: one of the two goes on, or both would speak at once
        os._exit(0)
    return found


def _verify_all(
    connection: Connection, found: Sequence[Declaration | UnfitDeclaration], task: Task
) -> None:
    answered = task.answered
    for declaration in found[task.done :]:
        if isinstance(declaration, UnfitDeclaration):
            connection.send(RefusedDeclaration(_named(declaration, mistake_of(declaration.error))))
            continue
        try:
            connection.send(_verify(connection, declaration, task, answered))
        except DisagreementError as error:
            connection.send(RefusedDeclaration(_named(declaration, mistake_of(error)), stop=True))
            break
        except MemoryError:
            raise
        except Exception as error:
            connection.send(RefusedDeclaration(_named(declaration, mistake_of(error))))
        answered = {}
    connection.send(Ended())


def _verify(
    connection: Connection, declaration: Declaration, task: Task, answered: Mapping[str, Outcome]
) -> JudgedDeclaration:
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
        from verify.certificate import certificate_of

        assert not isinstance(declaration.declared, Discretisation)  # the command refuses
        certificate = certificate_of(declaration.declared, report)
    lines = tuple(replace(line, outcome=_plain(line.outcome)) for line in report.lines)
    return JudgedDeclaration(declared, replace(report, lines=lines), certificate)


def _declared(declaration: Declaration) -> DeclarationFacts:
    declared = (
        declaration.declared.of
        if isinstance(declaration.declared, Discretisation)
        else declaration.declared
    )
    expect = declared.expect if isinstance(declared, Update | Kernel) else None
    target = declared.H if isinstance(declared, Recipe) else declared.target
    source = None if declared.source is None else printable(declared.source)
    return DeclarationFacts(
        printable(declaration.name), declaration.file, expect, source, printable(str(target))
    )


def _plain(outcome: Outcome) -> Outcome:
    """Without its steps: they hold expressions, and a report of text is all that the parent
    needs.
    """
    return replace(outcome, steps=())


def _named(declaration: Declaration | UnfitDeclaration, mistake: Mistake) -> Mistake:
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
