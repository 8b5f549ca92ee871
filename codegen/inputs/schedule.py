"""Schedules of step sizes.

The step size is a function of the number of the step alone, so that a run can be split and resumed
anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from codegen.check_arguments import checked_integer, checked_positive
from codegen.inputs.portable_math import power, sine
from recipe.language.errors import RecipeError

BLOCK_STEPS = 2**14  # computed at once, as some twenty arrays of this length are in memory then


@dataclass(frozen=True)
class Constant:
    """The step size ``a`` in every step.

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
        """Return the step sizes of some steps, in the shape of ``t``.

        Args:
            t: the numbers of the steps, counted from 0.
        """
        return np.full(t.shape, self.a)


@dataclass(frozen=True)
class Polynomial:
    """The decreasing step size ``a (1 + t/b)^-c`` in step t = 0, 1, ...

    (Welling & Teh 2011, section 2, "Bayesian learning via stochastic gradient Langevin dynamics".
    Their convergence needs 1/2 < c <= 1.)

    Args:
        a: the step size of the first step, above 0.
        b: the number of steps after which the step size is ``a 2^-c``, above 0.
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
        """Return the step sizes of some steps, in the shape of ``t``.

        Args:
            t: the numbers of the steps, counted from 0.
        """
        return self.a * power(1.0 + t / self.b, -self.c)


@dataclass(frozen=True)
class Cyclical:
    """The step size ``a/2 (1 + cos(pi (t mod length)/length))`` in step t = 0, 1, ..., which falls
    from ``a`` almost to 0, again and again.

    (Zhang, Li, Zhang, Chen & Wilson 2020, equation 1, "Cyclical stochastic gradient MCMC for
    Bayesian deep learning".)

    Args:
        a: the largest step size, above 0.
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
        """Return the step sizes of some steps, in the shape of ``t``.

        Args:
            t: the numbers of the steps, counted from 0.
        """
        return (
            self.a * sine(0.5 * np.pi * ((self.length - t % self.length) / self.length)) ** 2
        )  # the same, without a difference


Schedule = Constant | Polynomial | Cyclical


def schedule_of(step_size: Any) -> Schedule:
    """Return a schedule as it is, and a number as a constant schedule.

    Raises:
        RecipeError: for a number that is not above 0, and for None.
    """
    return step_size if isinstance(step_size, Schedule) else Constant(step_size)


def step_sizes(schedule: Schedule, start: int, count: int) -> np.ndarray:
    """Return the step sizes of the steps start, ..., start + count - 1, of the shape (count,).

    Raises:
        RecipeError: where one of them underflows to 0.
    """
    steps = np.arange(start, start + count, dtype=np.float64)
    pieces = range(BLOCK_STEPS, count, BLOCK_STEPS)
    sizes = np.concatenate([schedule.at(t) for t in np.split(steps, pieces)])
    if not np.all(sizes > 0):
        raise RecipeError(
            f"the step size of {schedule} has come down to 0 in step"
            f" {start + int(np.argmin(sizes > 0))}; take fewer steps"
        )
    return sizes


def _check_positive_fields(schedule: Any) -> None:
    for field in fields(schedule):
        name = f"{type(schedule).__name__}: {field.name}"
        object.__setattr__(
            schedule, field.name, checked_positive(name, getattr(schedule, field.name))
        )
