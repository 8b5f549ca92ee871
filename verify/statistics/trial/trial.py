"""A trial: a step or a kernel with a value for everything that its declaration leaves open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from recipe import Discretisation, Kernel, Potential, RecipeError, Update
from recipe.language.abstract import Partial
from verify.statistics.numbers.arrays import Array, State
from verify.statistics.numbers.inputs import Setting, setting_of
from verify.statistics.trial.exact_law import ExactLaw, exact_law
from verify.statistics.trial.parameters import trial_parameters
from verify.statistics.trial.potentials import TrialPotential, trial_potentials
from verify.verdict import Verdict

STEP_SIZE, LENGTH = 0.3, 3  # defaults: the step size, and the coordinates of a vector


@dataclass(frozen=True)
class Trial:
    """A step or a kernel, with the numbers for which a program is compared with it.

    ``trial_of`` makes one.

    Attributes:
        rule: the step, or the kernel with an expression for every potential.
        step_size: the step size, above 0.
        params: a value for every parameter, by name: a number, an array (length,) if it has
            coordinates, or a matrix.
        length: the number of coordinates of each vector.
        potentials: the concrete potential for each abstract one of a step; empty for a kernel.
        law: the law of a kernel; None for a step.
    """

    rule: Update | Kernel
    step_size: float
    params: Mapping[str, Any]
    length: int
    potentials: Mapping[Potential, TrialPotential] = field(default_factory=dict)
    law: ExactLaw | None = None

    @property
    def texts(self) -> Mapping[str, str]:
        """The formula of each abstract potential, by its name."""
        if self.law is not None:
            return self.law.texts
        return {U.name: potential.text for U, potential in self.potentials.items()}

    @property
    def gradients(self) -> dict[str, Callable[[Array], Array]]:
        """The gradient of each abstract potential of a step, by its name: functions from arrays
        (replicas, length) to such arrays. A program that is compared must use the same.
        """
        return {U.name: potential.gradient for U, potential in self.potentials.items()}

    @property
    def numbers(self) -> dict[str, Any]:
        """The arguments ``step_size``, ``params``, ``length`` and, for a step with abstract
        potentials, ``gradients`` of ``battery``, ``check_sweep`` and ``reference``.
        """
        given = {"step_size": self.step_size, "params": self.params, "length": self.length}
        return {**given, "gradients": self.gradients} if self.potentials else given

    @cached_property
    def setting(self) -> Setting:
        """The step with its numbers, checked."""
        return setting_of(self.rule, **self.numbers)

    @property
    def exact_draws(self) -> Callable[[np.random.Generator, int], State] | None:
        """The function ``draws(rng, n)`` that returns n exact draws of the law of a kernel, by
        block, arrays (n, length). None for a step, and if the kernel is not proved to keep its law
        or no draws are known.
        """
        if self.law is None or self.law.unknown is not None:
            return None
        return self.law.draws(self.setting.meanings)


def trial_of(
    against: Update | Discretisation | Kernel,
    *,
    step_size: float = STEP_SIZE,
    params: Mapping[str, Any] | None = None,
    length: int = LENGTH,
    potentials: Iterable[Potential] | None = None,
) -> Trial:
    """Give a value to everything that a step or a kernel leaves open.

    An abstract potential of a step becomes a fixed one, which is neither even nor of unit scale. An
    abstract potential of a kernel becomes one with exact draws of exp(-U), a sum of gamma laws.
    Whether a sweep of the kernel leaves its law invariant is decided here; if that is not proved,
    the law is not compared.

    Args:
        against: an ``Update``, ``discretised(recipe, scheme)``, or a ``Kernel``.
        step_size: the step size, above 0.
        params: values of parameters by name; others get numbers that fit their assumptions.
        length: the number of coordinates of each vector.
        potentials: the abstract potentials of a step; by default all whose gradient it uses.

    Returns:
        The trial, with which any number of programs can be compared.

    Raises:
        RecipeError: for something that is no discrete step, or an abstract potential of a step that
            has several blocks or lives on a simplex.
        NothingToCompareError: for an abstract potential of a kernel that has no default.

    Example:
        >>> from catalog.sgld import sgld
        >>> from recipe import discretised
        >>> trial = trial_of(discretised(sgld, "euler"), step_size=0.1)
        >>> print(trial.texts["U"])
        U = sum((i + 3)/8*x[i]^2 + log(cosh(x[i] - 1/2))) + sum(x[i]*x[i+1])/4, i = 1 .. d
    """
    if isinstance(against, Kernel):
        law = _proved(exact_law(against), against)
        numbers = trial_parameters(law.kernel, params or {}, length)
        return Trial(law.kernel, step_size, numbers, length, law=law)
    rule = against.update if isinstance(against, Discretisation) else against
    if not isinstance(rule, Update):
        raise RecipeError(
            f"a {type(rule).__name__} is no discrete step: give an Update, discretised(recipe,"
            " scheme), or a Kernel"
        )
    abstract = _differentiated(rule) if potentials is None else potentials
    chosen = trial_potentials(abstract)
    return Trial(rule, step_size, trial_parameters(rule, params or {}, length), length, chosen)


def one_coordinate_trial(trial: Trial, given: Mapping[str, Any]) -> Trial:
    """Return the trial of a step with vectors of one coordinate.

    Args:
        trial: the trial of a step.
        given: the parameters that keep their values, by name; the others get default values.
    """
    return replace(trial, length=1, params=trial_parameters(trial.rule, given, 1))


def _differentiated(rule: Update) -> list[Potential]:
    """Return the abstract potentials whose gradient a step uses, in the order of their names."""
    taken = {
        partial.head
        for _, e in (*rule.rule, *rule.observe)
        for partial in e.atoms(Partial)
        if isinstance(partial.head, Potential)
    }
    return sorted(taken, key=str)


def _proved(law: ExactLaw, kernel: Kernel) -> ExactLaw:
    """Return the law, with the reason not to compare it if a sweep of the kernel is not proved to
    keep it.
    """
    from verify.engine import outcome_of
    from verify.obligations.kernel.invariance import INVARIANCE

    verdict = outcome_of(kernel, INVARIANCE.name).verdict
    if verdict is Verdict.PROVED:
        return law
    return replace(law, unknown=f"that a sweep leaves exp(-H) invariant is {verdict.value}")
