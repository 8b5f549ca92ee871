"""Schedules of step sizes and of parameters such as a temperature.

The number is a function of the number of the step alone, so that a run can be split and resumed
anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from codegen.check_arguments import checked_integer, checked_positive
from codegen.inputs.portable_math import exponential, logarithm, power, sine
from recipe.language.errors import RecipeError

BLOCK_STEPS = 2**14  # computed at once, as some twenty arrays of this length are in memory then


@dataclass(frozen=True)
class Constant:
    """The number ``a`` in every step.

    Args:
        a: a number above 0.

    Attributes:
        a: the same as a float.

    Raises:
        RecipeError: where it is no finite number above 0.

    Example:
        >>> Constant(0.1)
        Constant(a=0.1)
    """

    a: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", checked_positive("step_size", self.a))

    def at(self, t: np.ndarray) -> np.ndarray:
        """Return the numbers of some steps, in the shape of ``t``.

        Args:
            t: the numbers of the steps, counted from 0.
        """
        return np.full(t.shape, self.a)


@dataclass(frozen=True)
class Polynomial:
    """The decreasing number ``a (1 + t/b)^-c`` in step t = 0, 1, ...

    (Welling & Teh 2011, section 2, "Bayesian learning via stochastic gradient Langevin dynamics".
    Their convergence needs 1/2 < c <= 1.)

    Args:
        a: the number of the first step, above 0.
        b: the number of steps after which it is ``a 2^-c``, above 0.
        c: the exponent, above 0.

    Attributes:
        a, b, c: the same as floats.

    Raises:
        RecipeError: where one of them is no finite number above 0.

    Example:
        >>> Polynomial(0.1, 1000, 0.55)
        Polynomial(a=0.1, b=1000.0, c=0.55)
    """

    a: float
    b: float
    c: float

    def __post_init__(self) -> None:
        _check_positive_fields(self)

    def at(self, t: np.ndarray) -> np.ndarray:
        """Return the numbers of some steps, in the shape of ``t``.

        Args:
            t: the numbers of the steps, counted from 0.
        """
        return self.a * power(1.0 + t / self.b, -self.c)


@dataclass(frozen=True)
class Cyclical:
    """The number ``a/2 (1 + cos(pi (t mod length)/length))`` in step t = 0, 1, ..., which falls
    from ``a`` almost to 0, again and again.

    (Zhang, Li, Zhang, Chen & Wilson 2020, equation 1, "Cyclical stochastic gradient MCMC for
    Bayesian deep learning".)

    Args:
        a: the largest number, above 0.
        length: the number of steps of a cycle, at least 1.

    Attributes:
        a: the same as a float.
        length: the same as an int.

    Raises:
        RecipeError: where ``a`` is no finite number above 0, or ``length`` is no whole number above
            0.

    Example:
        >>> Cyclical(0.1, 1000)
        Cyclical(a=0.1, length=1000)
    """

    a: float
    length: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", checked_positive("Cyclical: a", self.a))
        object.__setattr__(self, "length", checked_integer("Cyclical: length", self.length, 1))

    def at(self, t: np.ndarray) -> np.ndarray:
        """Return the numbers of some steps, in the shape of ``t``.

        Args:
            t: the numbers of the steps, counted from 0.
        """
        return (
            self.a * sine(0.5 * np.pi * ((self.length - t % self.length) / self.length)) ** 2
        )  # the same, without a difference


@dataclass(frozen=True)
class Geometric:
    """A number that goes from ``a`` to ``last`` by equal factors, and stays there.

    It is ``a (last/a)^(k/(n - 1))`` in the steps k ``every``, ..., (k + 1) ``every`` - 1, for the
    n = ``steps``/``every`` stages k = 0, ..., n - 1, and ``last`` afterwards (Kirkpatrick, Gelatt &
    Vecchi 1983, "Optimization by simulated annealing", whose temperature falls by a factor a
    stage).

    Args:
        a: the number of the first step, above 0.
        last: the number of the last stage, above 0.
        steps: the number of steps until it stays, at least 2, a multiple of ``every``.
        every: the number of steps of a stage, at most half of ``steps``.

    Attributes:
        a, last: the same as floats.
        steps, every: the same as ints.

    Raises:
        RecipeError: where a number is not finite and above 0, or the stages do not fit.

    Example:
        >>> Geometric(4, 0.05, 20_000).at(np.array([0.0, 19_999.0, 30_000.0])).tolist()
        [4.0, 0.05, 0.05]
    """

    a: float
    last: float
    steps: int
    every: int = 1

    def __post_init__(self) -> None:
        for name in ("a", "last"):
            checked = checked_positive(f"Geometric: {name}", getattr(self, name))
            object.__setattr__(self, name, checked)
        steps = checked_integer("Geometric: steps", self.steps, 2)
        object.__setattr__(self, "steps", steps)
        every = checked_integer("Geometric: every", self.every, 1)
        object.__setattr__(self, "every", every)
        if every > steps // 2:
            raise RecipeError(
                f"Geometric: every={every} must be at most {steps // 2}, half of steps={steps}, as"
                " there are two stages at least; give shorter stages, or more steps"
            )
        if steps % every:
            raise RecipeError(
                f"Geometric: every={every} leaves a part of a stage, as steps={steps} is no"
                f" multiple of every={every}; give stages of one length"
            )

    def at(self, t: np.ndarray) -> np.ndarray:
        """Return the numbers of some steps, in the shape of ``t``.

        Args:
            t: the numbers of the steps, counted from 0.
        """
        last = self.steps // self.every - 1
        stage = np.minimum(np.floor(t / self.every), last)
        factor = np.full(t.shape, self.last / self.a)
        between = self.a * exponential(stage / last * logarithm(factor))
        return np.where(stage == 0, self.a, np.where(stage == last, self.last, between))


Schedule = Constant | Polynomial | Cyclical | Geometric


def schedule_of(step_size: Any) -> Schedule:
    """Return a schedule as it is, and a number as a constant schedule.

    Raises:
        RecipeError: for a number that is not above 0, and for None.
    """
    return step_size if isinstance(step_size, Schedule) else Constant(step_size)


def step_sizes(
    schedule: Schedule, start: int, count: int, what: str = "the step size"
) -> np.ndarray:
    """Return the step sizes of the steps start, ..., start + count - 1, of the shape (count,).

    Args:
        schedule: the schedule.
        start, count: the first step, and the number of steps.
        what: what the numbers are, for the message.

    Raises:
        RecipeError: where one of them underflows to 0.
    """
    steps = np.arange(start, start + count, dtype=np.float64)
    pieces = range(BLOCK_STEPS, count, BLOCK_STEPS)
    sizes = np.concatenate([schedule.at(t) for t in np.split(steps, pieces)])
    if not np.all(sizes > 0):
        raise RecipeError(
            f"{what} of {schedule} has come down to 0 in step"
            f" {start + int(np.argmin(sizes > 0))}; take fewer steps"
        )
    return sizes


def _check_positive_fields(schedule: Any) -> None:
    for field in fields(schedule):
        name = f"{type(schedule).__name__}: {field.name}"
        object.__setattr__(
            schedule, field.name, checked_positive(name, getattr(schedule, field.name))
        )
