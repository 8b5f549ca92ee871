"""What is asked of ``recipe test``, of which step, and what came of it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from codegen.generate import Module
from codegen.running.one_step import OneStep
from recipe import Dense, Kernel, Potential, Recipe, Update
from recipe.language.free_symbols import abstract_of, parameters_of
from recipe.scheme import PRINTED
from recipe_cli.sampling import parameters_typed
from recipe_cli.trial import Trial, lengths_of, parameters_for
from recipe_cli.trial_law import TrialLaw
from verify.statistics import Findings

STEP_SIZE, LENGTH = 0.3, 3


@dataclass(frozen=True)
class Asked:
    """What was typed for ``recipe test``."""

    scheme: str | None = None
    step_size: float = STEP_SIZE
    params: tuple[str, ...] = ()
    length: int = LENGTH
    seed: int = 0
    level: float = 1e-6
    factor: float = 1.1
    allow_unseen: bool = False


@dataclass(frozen=True)
class Subject:
    """A discrete step or a kernel, where it was found, and all numbers that it is tested with.

    Abstract potentials of a step stand for ``trials``; those of a kernel are written out in its
    ``rule``, which has the ``law``.
    """

    where: str
    scheme: str
    what: Recipe | Update | Kernel
    rule: Update | Kernel
    asked: Asked
    params: Mapping[str, Any]
    trials: Mapping[Potential, Trial]
    law: TrialLaw | None = None

    @property
    def texts(self) -> Mapping[str, str]:
        """What each abstract potential stands for, by its name."""
        return (
            {U.name: trial.text for U, trial in self.trials.items()}
            if self.law is None
            else self.law.texts
        )

    @property
    def numbers(self) -> dict[str, Any]:
        """The arguments of a battery that say which step it is."""
        return {
            "step_size": self.asked.step_size,
            "params": self.params,
            "length": self.asked.length,
            **self._gradients,
        }

    @property
    def _gradients(self) -> dict[str, Any]:
        return (
            {"gradients": {U.name: trial.plain for U, trial in self.trials.items()}}
            if self.trials
            else {}
        )

    @property
    def again(self) -> str:
        """The command that does all this once more."""
        a = self.asked
        scheme = (
            f" --scheme {self.scheme}"
            if isinstance(self.what, Recipe) or self.scheme == PRINTED
            else ""
        )
        params, where = (
            "".join(f" --param {shlex.quote(item)}" for item in a.params),
            shlex.quote(self.where),
        )
        return (
            f"recipe test {where}{scheme} --step-size {a.step_size!r}{params} --length {a.length}"
            f" --seed {a.seed} --level {a.level!r} --factor"
            f" {a.factor!r}{' --allow-unseen' if a.allow_unseen else ''}"
        )


def numbers_for(rule: Update | Kernel, asked: Asked) -> dict[str, Any]:
    """A number for every parameter of a rule."""
    expressions = [e for e, _ in rule.written()]
    symbols = [s for s in parameters_of(expressions) if s != rule.step]
    symbols += [a for a in abstract_of(expressions) if isinstance(a, Dense)]
    return parameters_for(
        symbols, parameters_typed(asked.params), lengths_of(rule.state, symbols, asked.length)
    )


class Comparisons(Protocol):
    """What was chosen for a subject, before its program runs; a ``Battery`` is one."""

    @property
    def states(self) -> Mapping[str, np.ndarray]:
        """Some states, a row each, by block."""

    @property
    def steps(self) -> int | None:
        """How many single steps a check takes; None where that is not known before."""

    def check(self, step: OneStep, *, seed: int = 0, name: str | None = None) -> Findings:
        """Run the program, and compare."""


@dataclass(frozen=True)
class Tested:
    """What came of it: the subject, its module and kernel, the comparisons, and what they found."""

    subject: Subject
    module: Module
    kernel: OneStep
    comparisons: Comparisons
    findings: Findings
