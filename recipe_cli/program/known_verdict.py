"""The verdict on a sampler that is about to run."""

from __future__ import annotations

from functools import partial

import typer

from recipe_cli.declarations import Declaration
from recipe_cli.sandbox.messages import JudgedDeclaration, RefusedDeclaration, Result
from recipe_cli.sandbox.parent import Watch
from recipe_cli.terminal.printing import print_line
from verify.verdict import Verdict


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
    if result.report.verdict is Verdict.REFUTED and not unproved:
        print_line(f"recipe: {_verdict_sentence(declaration, result)}, or add --unproved", err=True)
        raise typer.Exit(1)
    _note(declaration, result)


def note_verdict(declaration: Declaration) -> None:
    """Verify a sampler; print a note if it is refuted, undecided or cannot be verified.

    The program of a refuted sampler may still do what is declared, so the command goes on.
    """
    result = _verified(declaration)
    if isinstance(result, RefusedDeclaration):
        print_line(f"note: not verified: {result.mistake.sentence}", err=True)
    else:
        _note(declaration, result)


def _verified(declaration: Declaration) -> Result:
    (result,) = Watch(partial(list, [declaration]), declaration.file).results()
    return result


def _note(declaration: Declaration, judged: JudgedDeclaration) -> None:
    if judged.report.verdict is not Verdict.PROVED:
        print_line(f"note: {_verdict_sentence(declaration, judged)}", err=True)


def _verdict_sentence(declaration: Declaration, judged: JudgedDeclaration) -> str:
    """Return a sentence with the verdict and the obligations that decide it."""
    report = judged.report
    lines = ", ".join(
        line.name
        for line in report.lines
        if line.required and line.outcome.verdict is report.verdict
    )
    return f"{declaration.name} is {report.verdict.value} ({lines}); see recipe verify"
