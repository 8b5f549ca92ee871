"""The options of ``recipe test``, the subject of the test, and its result."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from codegen.module import Module
from codegen.running.one_step import OneStep
from recipe import Dense, Kernel, Recipe, RecipeError, Update
from recipe.language.symbols import name_of
from recipe.scheme import PRINTED
from recipe_cli.program.typed import parameters_typed
from verify.statistics import Findings, ProgramTest, Trial
from verify.statistics.trial.parameters import parameter_symbols
from verify.statistics.trial.trial import LENGTH, STEP_SIZE


@dataclass(frozen=True)
class ComparisonOptions:
    """The options of ``recipe test``.

    Attributes:
        scheme: the discretisation; None for the first default that fits.
        step_size: the step size, above 0.
        params: the options ``NAME=VALUE``.
        length: the number of coordinates of each vector.
        seed: the seed of the random numbers.
        level: the probability with which a correct program differs, at most.
        factor: a coefficient that is wrong by this factor must be found.
        allow_unseen: whether the status is 0 even if a wrong coefficient might be missed.
    """

    scheme: str | None = None
    step_size: float = STEP_SIZE
    params: tuple[str, ...] = ()
    length: int = LENGTH
    seed: int = 0
    level: float = 1e-6
    factor: float = 1.1
    allow_unseen: bool = False


@dataclass(frozen=True)
class ProgramSubject:
    """A declaration whose program is tested.

    Attributes:
        where: the argument that selects it on the command line.
        scheme: how it is carried out: the name of a scheme, ``printed``, or ``a sweep``.
        what: the recipe, rule or kernel that the module is generated from.
        options: the options of the test.
        trial: the step or the kernel, with all numbers of the test.
    """

    where: str
    scheme: str
    what: Recipe | Update | Kernel
    options: ComparisonOptions
    trial: Trial

    @property
    def again(self) -> str:
        """The command line that repeats the test."""
        a = self.options
        scheme = (
            f" --scheme {self.scheme}"
            if isinstance(self.what, Recipe) or self.scheme == PRINTED
            else ""
        )
        params = "".join(f" --param {shlex.quote(item)}" for item in a.params)
        unseen = " --allow-unseen" if a.allow_unseen else ""
        return (
            f"recipe test {shlex.quote(self.where)}{scheme} --step-size {a.step_size!r}{params}"
            f" --length {a.length} --seed {a.seed} --level {a.level!r} --factor {a.factor!r}"
            f"{unseen}"
        )


@dataclass(frozen=True)
class ComparedProgram:
    """The result of a test.

    Attributes:
        subject: what was tested.
        module: its generated module.
        kernel: the compiled kernel.
        test: the comparisons.
        findings: what they found.
        unproved: the warning about a module whose text is not proved to be the rule; empty if it
            is proved.
    """

    subject: ProgramSubject
    module: Module
    kernel: OneStep
    test: ProgramTest
    findings: Findings
    unproved: str = ""


def given_parameters(rule: Update | Kernel, options: ComparisonOptions) -> dict[str, float]:
    """Return the parameters of a rule that are given as options, by name.

    Raises:
        RecipeError: for a name that is no parameter of the rule, and for a matrix.
    """
    typed = parameters_typed(options.params)
    symbols = {name_of(s): s for s in parameter_symbols(rule)}
    for name in typed:
        if name not in symbols:
            raise RecipeError(
                f"--param {name}: there is no such parameter; the parameters are"
                f" {', '.join(sorted(symbols)) or 'none'}"
            )
    for name, s in symbols.items():
        if name in typed and isinstance(s, Dense):
            raise RecipeError(
                f"--param {name}: {name} is a matrix; give it in Python,"
                " verify.check_kernel(..., params={...})"
            )
    return typed
