"""What is asked of ``recipe test``, of which step, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from codegen.generate import Module
from codegen.one_step import OneStep
from recipe import Potential, Recipe, Update
from recipe.scheme import PRINTED
from recipe_cli.trial import Trial
from verify.statistics import Battery, Findings

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
    """A discrete step, where it was found, and all numbers that it is tested with."""

    where: str
    scheme: str
    what: Recipe | Update
    rule: Update
    asked: Asked
    params: Mapping[str, Any]
    trials: Mapping[Potential, Trial]

    @property
    def numbers(self) -> dict[str, Any]:
        """The arguments of a battery that say which step it is."""
        return {
            "step_size": self.asked.step_size, "params": self.params, "length": self.asked.length,
            "gradients": {U.name: trial.plain for U, trial in self.trials.items()},
        }  # fmt: skip

    @property
    def again(self) -> str:
        """The command that does all this once more."""
        a = self.asked
        scheme = f" --scheme {self.scheme}" if isinstance(self.what, Recipe) or self.scheme == PRINTED else ""
        params = "".join(f" --param {item}" for item in a.params)
        return (
            f"recipe test {self.where}{scheme} --step-size {a.step_size:g}{params} --length {a.length} --seed {a.seed} "
            f"--level {a.level:g} --factor {a.factor:g}{' --allow-unseen' if a.allow_unseen else ''}"
        )


@dataclass(frozen=True)
class Tested:
    """What came of it: the subject, its module and kernel, the battery, and what that found."""

    subject: Subject
    module: Module
    kernel: OneStep
    battery: Battery
    findings: Findings
