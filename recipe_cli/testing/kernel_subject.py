"""The subject of a test of a kernel: one sweep of it."""

from __future__ import annotations

from dataclasses import replace

from codegen import generate
from codegen.module import Module
from recipe import Kernel, RecipeError
from recipe_cli.declarations.declaration import Declaration
from recipe_cli.testing.program_subject import ComparisonOptions, ProgramSubject, given_parameters
from verify.statistics import trial_of
from verify.statistics.trial.parameters import trial_parameters

SWEEP = "a sweep"  # how a kernel is carried out, in the words of a report


def kernel_subject(
    declaration: Declaration, options: ComparisonOptions
) -> tuple[ProgramSubject, Module]:
    """Return the subject of a test of a kernel, with an expression for each potential and all
    numbers, and its module.

    Raises:
        RecipeError: if a scheme is given, or a parameter does not fit.
        NothingToCompareError: for an abstract potential of which no exact draws are known.
    """
    if options.scheme is not None:
        raise RecipeError(
            f"{declaration.name} is a kernel and needs no discretisation: leave --scheme out"
        )
    assert isinstance(declaration.declared, Kernel)
    trial = trial_of(declaration.declared, step_size=options.step_size, length=options.length)
    kernel = trial.rule
    assert isinstance(kernel, Kernel)
    module = generate(kernel, name=declaration.name)
    numbers = trial_parameters(kernel, given_parameters(kernel, options), options.length)
    return (
        ProgramSubject(declaration.where, SWEEP, kernel, options, replace(trial, params=numbers)),
        module,
    )
