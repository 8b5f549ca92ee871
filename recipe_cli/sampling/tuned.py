"""Tune a run before it begins, and say what was found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from codegen import Tuning
from codegen.inputs.options import SamplingOptions
from codegen.module import Module
from codegen.tuning.auto import tuned_run
from codegen.tuning.words import explanation_lines
from recipe import Posterior
from recipe_cli.declarations.declaration import Declaration
from recipe_cli.program.generating import require_to_be_tuned
from recipe_cli.sampling.text_check import TextCheck
from recipe_cli.terminal.printing import print_line
from recipe_cli.terminal.progress import TUNING, Progress


@dataclass(frozen=True)
class TuningTask:
    """What tuning is to find.

    Attributes:
        steps, warmup: the numbers of steps that were typed; None to find them.
        max_error: the largest Monte Carlo error of a mean, in posterior standard deviations.
    """

    steps: int | None
    warmup: int | None
    max_error: float


def tuned(
    declaration: Declaration,
    law: Posterior,
    options: SamplingOptions,
    task: TuningTask,
    text: TextCheck,
    quiet: bool,
) -> tuple[Declaration, SamplingOptions]:
    """Return the sampler to run and its options, after tuning.

    Args:
        declaration: the sampler that was typed.
        law: the posterior.
        options: the options of the run, without what is to be found.
        task: what is to be found.
        text: the check of each module that is tried, and of that of the run.
        quiet: whether nothing is printed.

    Raises:
        UntunableError: where no setting is known to be within the budget.
        RecipeError: for an option that leaves nothing to tune by.
    """
    declared = require_to_be_tuned(declaration)
    with Progress() as progress:
        progress.show(TUNING)
        what, run, tuning = tuned_run(
            declared,
            law,
            options,
            steps=task.steps,
            warmup=task.warmup,
            max_error=task.max_error,
            name=declaration.name,
            check=checked_in_between(text, progress),
            progress=progress.show,
        )
    if not quiet:
        print_tuned(tuning)
    return replace(declaration, declared=what), run


def checked_in_between(text: TextCheck, progress: Progress) -> Callable[[Module], None]:
    """Return the check of a module's text while a tuning is shown as the progress."""

    def check(module: Module) -> None:
        progress.clear()  # the proof shows its own
        text.check(module)
        progress.show(TUNING)

    return check


def print_tuned(tuning: Tuning) -> None:
    """Print how a run was tuned, on standard error."""
    for line in explanation_lines(tuning):
        print_line(line, err=True)
