"""What is typed for ``recipe test``, what is tested, and what came of it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from codegen.generate import Module
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
    """What is typed for ``recipe test``."""

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
        where: what is typed to mean it.
        scheme: how it is carried out: a scheme, ``printed``, or ``a sweep``.
        what: what its module is made from.
        trial: the step or the kernel, with all numbers that it is tested with.
    """

    where: str
    scheme: str
    what: Recipe | Update | Kernel
    options: ComparisonOptions
    trial: Trial

    @property
    def again(self) -> str:
        """The command that does all this once more."""
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
    """What came of a test: the subject, its module and kernel, the comparisons, and what they
    found.
    """

    subject: ProgramSubject
    module: Module
    kernel: OneStep
    test: ProgramTest
    findings: Findings


def given_parameters(rule: Update | Kernel, options: ComparisonOptions) -> dict[str, float]:
    """The parameters of a rule that are typed.

    Raises:
        RecipeError: for a name that the rule does not have, and for a matrix.
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
