"""The verdict on a sampler that is about to run."""

from __future__ import annotations

from functools import partial

import typer

from recipe_cli.declarations import Declaration
from recipe_cli.sandbox.messages import RefusedDeclaration, Result
from recipe_cli.sandbox.parent import Watch
from recipe_cli.terminal.printing import print_line
from verify.report.before_a_run import BeforeARun, before_a_run


def require_not_refuted(declaration: Declaration, unproved: bool) -> None:
    """Verify a sampler; end the command if it is refuted, unless ``unproved`` is True, and print a
    note if it is undecided.

    Raises:
        Exit: with the exit status, after one sentence on stderr.
    """
    result = _verified(declaration)
    if isinstance(result, RefusedDeclaration):
        print_line(f"recipe: {result.mistake.sentence}", err=True)
        raise typer.Exit(result.mistake.status)
    said = before_a_run(result.report, declaration.name, unproved)
    if said.refusal is not None:
        print_line(f"recipe: {said.refusal}; see recipe verify, or add --unproved", err=True)
        raise typer.Exit(1)
    _print_note(said)


def note_verdict(declaration: Declaration) -> None:
    """Verify a sampler; print a note if it is refuted, undecided or cannot be verified.

    The program of a refuted sampler may still do what is declared, so the command goes on.
    """
    result = _verified(declaration)
    if isinstance(result, RefusedDeclaration):
        print_line(f"note: not verified: {result.mistake.sentence}", err=True)
    else:
        _print_note(before_a_run(result.report, declaration.name, unproved=True))


def _verified(declaration: Declaration) -> Result:
    (result,) = Watch(partial(list, [declaration]), declaration.file).results()
    return result


def _print_note(said: BeforeARun) -> None:
    if said.note is not None:
        print_line(f"note: {said.note}; see recipe verify", err=True)
