"""The child process in which a recipe file runs and its declarations are verified.

Its parent may kill it: a file may hang, and native code (python-flint) reacts to no signal. It
reports each obligation as it begins it, and each outcome as it has it, so that a new child process
can go on from there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any

from sympy import Expr

from recipe import (
    Discretisation,
    Kernel,
    LabelledPosterior,
    Recipe,
    RecipeError,
    Update,
)
from recipe_cli.declarations.choose import single_declaration
from recipe_cli.declarations.declaration import Declaration, UnfitDeclaration
from recipe_cli.errors import Mistake, mistake_of, printable
from recipe_cli.sandbox.child import isolate, silence
from recipe_cli.sandbox.messages import (
    Answered,
    Begun,
    CodeLine,
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
from verify.engine import decided, repaired, unanswered, verify
from verify.labels.subject import LabelSubject
from verify.obligation import Obligation, Outcomes
from verify.subject import KernelSubject, Subject
from verify.verdict import Outcome, Verdict


def work(connection: Connection, ends_of_parent: Connection | None, task: Task) -> None:
    """Run the file, verify its declarations, and send everything to the parent.

    Args:
        connection: the connection to the parent.
        ends_of_parent: the parent's end of that connection, which a forked child has to close; None
            otherwise.
        task: what to do.
    """
    try:
        isolate(connection, ends_of_parent, quiet=task.again)
        with limited_memory(task.gigabytes):
            found = _load(task)
        silence()
        with limited_memory(task.gigabytes):
            _verify_all(connection, found, task)
    except MemoryError:
        connection.send(OutOfMemory())
    except BaseException as error:  # a file may raise anything, also SystemExit
        connection.send(RefusedDeclaration(mistake_of(error)))
        connection.send(Ended())


def _load(task: Task) -> Sequence[Declaration | UnfitDeclaration]:
    """Run the file and return its declarations."""
    process = os.getpid()
    try:
        found = task.load()
        if task.certify:
            found = [single_declaration([d for d in found if isinstance(d, Declaration)])]
    except KeyboardInterrupt:  # by the file itself: this process is not in the foreground
        raise RecipeError("the file raised KeyboardInterrupt") from None
    if os.getpid() != process:  # the file has forked, and only one process may go on
        os._exit(0)
    return found


def _verify_all(
    connection: Connection, found: Sequence[Declaration | UnfitDeclaration], task: Task
) -> None:
    """Verify the declarations that are not done yet, and send a result for each."""
    answered = task.answered
    for declaration in found[task.done :]:
        if isinstance(declaration, UnfitDeclaration):
            mistake = _with_place(declaration, mistake_of(declaration.error))
            connection.send(RefusedDeclaration(mistake))
            continue
        try:
            connection.send(_verify(connection, declaration, task, answered))
        except DisagreementError as error:
            mistake = _with_place(declaration, mistake_of(error))
            connection.send(RefusedDeclaration(mistake, stop=True))
            break
        except MemoryError:
            raise
        except Exception as error:
            connection.send(RefusedDeclaration(_with_place(declaration, mistake_of(error))))
        answered = {}
    connection.send(Ended())


def _verify(
    connection: Connection, declaration: Declaration, task: Task, answered: Mapping[str, Outcome]
) -> JudgedDeclaration:
    """Verify one declaration, and send each obligation and outcome as it comes."""
    declared = _facts_of(declaration)
    connection.send(Begun(declared, replace(unanswered(declaration.declared), name=declared.name)))

    def discharge(
        obligation: Obligation, subject: Subject | KernelSubject | LabelSubject, outcomes: Outcomes
    ) -> Outcome:
        known = answered.get(obligation.name)
        # A certificate needs the steps of a proof, and these were not sent.
        if known is not None and not (task.certify and known.verdict is Verdict.PROVED):
            return known
        connection.send(Working(obligation.name))
        outcome = decided(obligation, subject, outcomes)
        if outcome.verdict is Verdict.REFUTED and obligation.repaired is not None:
            # sent before its repair is searched for, as the time may end in that search
            connection.send(Answered(obligation.name, _without_steps(outcome)))
            connection.send(Working(obligation.name))
            outcome = repaired(obligation, subject, outcome)
        connection.send(Answered(obligation.name, _without_steps(outcome)))
        return outcome

    report = replace(
        verify(declaration.declared, require=task.require, discharge=discharge), name=declared.name
    )
    certificate = None
    if task.certify and report.verdict is Verdict.PROVED:
        from verify.certificate import certificate_of

        certificate = certificate_of(declaration.declared, report)
    lines = tuple(replace(line, outcome=_without_steps(line.outcome)) for line in report.lines)
    return JudgedDeclaration(declared, replace(report, lines=lines), certificate)


def _facts_of(declaration: Declaration) -> DeclarationFacts:
    """Return the facts about a declaration that reports need."""
    declared = (
        declaration.declared.of
        if isinstance(declaration.declared, Discretisation)
        else declaration.declared
    )
    expect = None if isinstance(declared, Recipe) else declared.expect
    target = _target_of(declared)
    source = None if declared.source is None else printable(declared.source)
    return DeclarationFacts(
        printable(declaration.name),
        declaration.file,
        expect,
        source,
        printable(str(target)),
        _code_of(declared),
    )


def _code_of(declared: Any) -> tuple[CodeLine, ...]:
    """Return the lines that the terms of a rule were read from."""
    reading = getattr(declared, "reading", None)
    if reading is None:
        return ()
    from recipe.lifting.reading import code_lines

    return tuple(CodeLine(*line) for line in code_lines(reading))


def _target_of(declared: Recipe | Update | Kernel | LabelledPosterior) -> Expr:
    """Return minus the log density of the law that a declaration is about, up to a constant."""
    if isinstance(declared, LabelledPosterior):
        return -declared.log_prior - declared.log_joint
    return declared.H if isinstance(declared, Recipe) else declared.target


def _without_steps(outcome: Outcome) -> Outcome:
    """Return an outcome without the steps of its proof: these hold expressions, and the parent
    needs text only.
    """
    return replace(outcome, steps=())


def _with_place(declaration: Declaration | UnfitDeclaration, mistake: Mistake) -> Mistake:
    """Return a mistake whose sentence names the file and the declaration."""
    return replace(mistake, sentence=f"{declaration.file}, {declaration.name}: {mistake.sentence}")
