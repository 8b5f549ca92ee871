"""What the verifier says of a sampler that is about to run."""

from __future__ import annotations

from functools import partial

import typer

from recipe_cli.declarations import Declaration
from recipe_cli.sandbox.messages import JudgedDeclaration, RefusedDeclaration, Result
from recipe_cli.sandbox.parent import Watch
from recipe_cli.terminal.printing import print_line
from verify.verdict import Verdict


def require_not_refuted(declaration: Declaration, unproved: bool) -> None:
    """End the command where the sampler is refuted, unless it may be ``unproved``; name what is
    undecided.
    """
    result = _verified(declaration)
    if isinstance(result, RefusedDeclaration):
        print_line(f"recipe: {result.mistake.sentence}", err=True)
        raise typer.Exit(result.mistake.status)
    if result.report.verdict is Verdict.REFUTED and not unproved:
        print_line(f"recipe: {_said(declaration, result)}, or say --unproved", err=True)
        raise typer.Exit(1)
    _note(declaration, result)


def note_verdict(declaration: Declaration) -> None:
    """Name what is refuted or undecided, and what cannot be verified: a program can do all the same
    what is declared.
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
        print_line(f"note: {_said(declaration, judged)}", err=True)


def _said(declaration: Declaration, judged: JudgedDeclaration) -> str:
    """The verdict, and the obligations that it is about."""
    report = judged.report
    lines = ", ".join(
        line.name
        for line in report.lines
        if line.required and line.outcome.verdict is report.verdict
    )
    return f"{declaration.name} is {report.verdict.value} ({lines}); see recipe verify"
