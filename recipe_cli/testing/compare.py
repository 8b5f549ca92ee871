"""Generate the module of a declaration, prove its text, compile it, and compare the program with
the declaration.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from codegen.module import Module
from codegen.running.one_step import OneStep, one_step
from recipe import Kernel, RecipeError
from recipe.language.symbols import Indexed, name_of
from recipe_cli.declarations.declaration import Declaration
from recipe_cli.program.translation import require_translation
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.terminal.progress import PROVING, Progress
from recipe_cli.testing.compiled_gradients import COMPILED_GRADIENTS
from recipe_cli.testing.kernel_subject import kernel_subject
from recipe_cli.testing.program_subject import (
    ComparedProgram,
    ComparisonOptions,
    ProgramSubject,
    given_parameters,
)
from recipe_cli.testing.step_subject import step_subject
from verify.statistics import ProgramTest, program_test
from verify.statistics.trial.bias import MeasuredBias, measure_bias
from verify.statistics.trial.trial import one_coordinate_trial

MAX_COORDINATES = 2_000  # of a vector: a test of two blocks then takes a minute


def check_options(options: ComparisonOptions) -> None:
    """Check the numbers of a test before any work begins.

    Raises:
        RecipeError: for a number that has no meaning, with the repair.
    """
    length, level, factor = options.length, options.level, options.factor
    if length < 1:
        raise RecipeError(f"--length {length}: it must be a positive number of coordinates")
    if length > MAX_COORDINATES:
        raise RecipeError(
            f"--length {length}: it must be at most {MAX_COORDINATES}, because all pairs of"
            " coordinates are compared"
        )
    if options.seed < 0:
        raise RecipeError(f"--seed {options.seed}: it must not be negative")
    if not 0 < options.step_size < math.inf:
        raise RecipeError(f"--step-size {options.step_size:g}: it must be a positive number")
    if not 0 < level < 1:
        raise RecipeError(f"--level {level:g}: it must be between 0 and 1, a probability")
    if not 1 < factor < math.inf:
        raise RecipeError(
            f"--factor {factor:g}: it must be above 1, because it is how many times too large a"
            " coefficient may be before the test finds it"
        )


def compared_program(
    declaration: Declaration, options: ComparisonOptions, limits: Limits, progress: Progress
) -> ComparedProgram:
    """Compile the module of a declaration and compare it; return the findings with all that they
    are about. The proof of the module has limits of time and memory.

    Raises:
        RecipeError: for input that does not fit.
        NothingToCompareError: if no exact null law is known.
    """
    progress.show("generating")
    subject, module = subject_of(declaration, options)
    progress.show(PROVING)
    unproved = require_translation(module, limits).unproved
    progress.show("compiling")
    done, total = 0, None

    def more(count: int) -> None:
        nonlocal done
        done += count
        progress.count(done, total)

    kernel = kernel_of(subject, module, more)
    progress.show("choosing states")
    test = program_test_of(subject)
    total = test.comparisons.steps
    found = test.check(
        kernel, advance=kernel.advanced, name=declaration.name, on_progress=progress.show
    )
    return ComparedProgram(subject, module, kernel, test, found, unproved)


def subject_of(
    declaration: Declaration, options: ComparisonOptions
) -> tuple[ProgramSubject, Module]:
    """Return what is tested of a declaration, and its generated module."""
    by_sweep = isinstance(declaration.declared, Kernel)
    return (kernel_subject if by_sweep else step_subject)(declaration, options)


def kernel_of(subject: ProgramSubject, module: Module, on_steps: Callable[[int], None]) -> OneStep:
    """Return the compiled kernel of a module.

    Args:
        subject: the subject of the test, with its numbers.
        module: a module with the plan of the subject; its text may be another one.
        on_steps: a function that is called with the number of steps that were just made.
    """
    trial = subject.trial
    wanted = {name_of(s) for s in module.plan.settings}
    gradient = {U: COMPILED_GRADIENTS[potential] for U, potential in trial.potentials.items()}
    wanted |= {name_of(s) for s in module.moves.parameters}
    params = {name: value for name, value in trial.params.items() if name in wanted}
    kernel = one_step(
        module,
        step_size=trial.step_size,
        params=params,
        gradient=gradient or None,
        on_progress=on_steps,
    )
    kernel.compile(
        {
            name_of(b): np.ones(trial.length if isinstance(b, Indexed) else 1)
            for b in trial.rule.state
        }
    )
    return kernel


def program_test_of(subject: ProgramSubject) -> ProgramTest:
    """Return the comparisons for a subject.

    They may use coupled steps, because the random numbers of a module are functions of seed, chain
    and step.
    """
    a = subject.options
    return program_test(
        subject.trial, seed=a.seed, level=a.level, factor=a.factor, batched=True, coupled=True
    )


def bias_of(subject: ProgramSubject, module: Module) -> MeasuredBias | None:
    """Measure the bias of one coordinate at the step size of the test and at smaller ones; None if
    it cannot be measured.
    """
    given = given_parameters(subject.trial.rule, subject.options)
    alone = one_coordinate_trial(subject.trial, given)
    kernel = kernel_of(replace(subject, trial=alone), module, lambda _: None)
    return measure_bias(
        alone, lambda size: replace(kernel, size=size).advanced, seed=subject.options.seed
    )
