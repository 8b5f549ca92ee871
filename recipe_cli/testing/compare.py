"""Generate the module of a declaration, prove its text, compile it, and compare what it does with
what was declared.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from codegen.generate import Module
from codegen.running.one_step import OneStep, one_step
from recipe import Kernel, RecipeError
from recipe.language.symbols import Indexed, name_of
from recipe_cli.declarations import Declaration
from recipe_cli.program.translation import require_translation
from recipe_cli.terminal.progress import Progress
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
from verify.statistics.trial.bias import MeasuredBias, measured_bias
from verify.statistics.trial.trial import of_one_coordinate

MAX_COORDINATES = 2_000  # a minute for two blocks


def check_options(options: ComparisonOptions) -> None:
    """Refuse numbers that make no sense, before anything takes time."""
    length, level, factor = options.length, options.level, options.factor
    if length < 1:
        raise RecipeError(f"--length {length}: it must be a positive number of coordinates")
    if length > MAX_COORDINATES:
        raise RecipeError(
            f"--length {length}: at most {MAX_COORDINATES}, as all pairs of coordinates are"
            " compared"
        )
    if options.seed < 0:
        raise RecipeError(f"--seed {options.seed}: it must not be negative")
    if not 0 < options.step_size < math.inf:
        raise RecipeError(f"--step-size {options.step_size:g}: it must be a positive number")
    if not 0 < level < 1:
        raise RecipeError(f"--level {level:g}: it must be between 0 and 1, a probability")
    if not 1 < factor < math.inf:
        raise RecipeError(
            f"--factor {factor:g}: it must be above 1, as a coefficient that is too large by"
            " it is to be found"
        )


def compared_program(
    declaration: Declaration, options: ComparisonOptions, progress: Progress
) -> ComparedProgram:
    """The findings about the compiled module of a declaration.

    Raises:
        RecipeError: for input that does not fit.
        NothingToCompareError: where no exact null is known.
    """
    progress.show("generating")
    subject, module = subject_of(declaration, options)
    progress.show("proving that the module is the rule")
    require_translation(module)
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
    found = test.check(kernel, advance=kernel.advanced, name=declaration.name, told=progress.show)
    return ComparedProgram(subject, module, kernel, test, found)


def subject_of(
    declaration: Declaration, options: ComparisonOptions
) -> tuple[ProgramSubject, Module]:
    """What is tested of a declaration, with its module and all of its numbers."""
    by_sweep = isinstance(declaration.declared, Kernel)
    return (kernel_subject if by_sweep else step_subject)(declaration, options)


def kernel_of(subject: ProgramSubject, module: Module, told: Callable[[int], None]) -> OneStep:
    """The compiled kernel of a module, which may be any text that has the plan of the subject."""
    trial = subject.trial
    wanted = {name_of(s) for s in module.plan.settings}
    gradient = {U: COMPILED_GRADIENTS[potential] for U, potential in trial.potentials.items()}
    params = {name: value for name, value in trial.params.items() if name in wanted}
    kernel = one_step(
        module,
        step_size=trial.step_size,
        params=params,
        gradient=gradient or None,
        on_progress=told,
    )
    kernel.compile(
        {
            name_of(b): np.ones(trial.length if isinstance(b, Indexed) else 1)
            for b in trial.rule.state
        }
    )
    return kernel


def program_test_of(subject: ProgramSubject) -> ProgramTest:
    """The comparisons for a subject; the random numbers of a module are functions of seed, chain
    and step.
    """
    a = subject.options
    return program_test(
        subject.trial, seed=a.seed, level=a.level, factor=a.factor, batched=True, coupled=True
    )


def bias_of(subject: ProgramSubject, module: Module) -> MeasuredBias | None:
    """How far one coordinate is off at the step size that was asked for, and at smaller ones."""
    given = given_parameters(subject.trial.rule, subject.options)
    alone = of_one_coordinate(subject.trial, given)
    kernel = kernel_of(replace(subject, trial=alone), module, lambda _: None)
    return measured_bias(
        alone, lambda size: replace(kernel, size=size).advanced, seed=subject.options.seed
    )
