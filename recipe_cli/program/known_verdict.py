"""The verdict on a sampler that is about to run."""

from __future__ import annotations

from functools import partial

import typer

from codegen.verdict_before import SaidBefore
from recipe import Update
from recipe.printing.plain_text import without_codes
from recipe_cli.declarations.declaration import Declaration
from recipe_cli.sandbox.child import StoppedError, within_limits
from recipe_cli.sandbox.messages import RefusedDeclaration, Result
from recipe_cli.sandbox.parent import Watch
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.terminal.printing import print_line
from verify.discrete.weak_order.words import step_error_in_words
from verify.report.before_a_run import BeforeARun, before_a_run
from verify.verdict import Verdict


def require_not_refuted(declaration: Declaration, unproved: bool) -> SaidBefore:
    """Verify a sampler; end the command if it is refuted or nothing can be asked of it, unless
    ``unproved`` is True, and print a note if it is not proved.

    Returns:
        What the draws say of the verdict.

    Raises:
        Exit: with the exit status, after one sentence on stderr.
    """
    result = _verified(declaration)
    if isinstance(result, RefusedDeclaration):
        why = f"{declaration.name} is not judged: {result.mistake.sentence}"
        if unproved and not result.stop:
            print_line(f"note: {why}", err=True)
            return SaidBefore(why)
        advice = "" if result.stop else "; --unproved runs it all the same"
        print_line(f"recipe: {why}{advice}", err=True)
        raise typer.Exit(result.mistake.status)
    said = before_a_run(result.report, declaration.name, unproved)
    if said.refusal is not None:
        print_line(
            f"recipe: {said.refusal}: {said.why}; see recipe verify, or add --unproved", err=True
        )
        raise typer.Exit(1)
    _print_note(said)
    if said.note is None:
        return SaidBefore()
    refuted = result.report.verdict is Verdict.REFUTED
    return SaidBefore(f"{said.note}: {said.why}", refuted=refuted)


def step_error_of(declaration: Declaration, limits: Limits) -> str | None:
    """Return what the proof of a printed rule says of draws at a step size; None for a recipe,
    whose scheme the user chose, and a kernel.
    """
    rule = declaration.declared
    if not isinstance(rule, Update):
        return None
    try:
        found = within_limits(partial(step_error_in_words, rule, declaration.name), limits)
    except StoppedError as stopped:
        return f"the order of the step-size error of {declaration.name} is not known: {stopped}"
    return without_codes(found)


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
