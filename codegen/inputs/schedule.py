"""Step sizes from step to step: each a pure function of the number of the step, so that a run can
be split and resumed anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from codegen.check_arguments import checked_integer, checked_positive
from codegen.inputs.portable_math import power, sine
from recipe.language.errors import RecipeError

BLOCK_STEPS = (
    2**14
)  # step sizes that are worked out together, in some twenty arrays of so many numbers


@dataclass(frozen=True)
class Constant:
    """The same step size ``a`` in every step."""

    a: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", checked_positive("step_size", self.a))

    def at(self, t: np.ndarray) -> np.ndarray:
        """The step sizes of these steps (counted from 0)."""
        return np.full(t.shape, self.a)


@dataclass(frozen=True)
class Polynomial:
    """``a (1 + t/b)^-c`` in step t (Welling & Teh 2011, section 2, who need 1/2 < c <= 1)."""

    a: float
    b: float
    c: float

    def __post_init__(self) -> None:
        _check_positive_fields(self)

    def at(self, t: np.ndarray) -> np.ndarray:
        """The step sizes of these steps (counted from 0)."""
        return self.a * power(1.0 + t / self.b, -self.c)


@dataclass(frozen=True)
class Cyclical:
    """``a/2 (1 + cos(pi (t mod length)/length))`` in step t (Zhang et al. 2020, equation 1)."""

    a: float
    length: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", checked_positive("Cyclical: a", self.a))
        object.__setattr__(self, "length", checked_integer("Cyclical: length", self.length, 1))

    def at(self, t: np.ndarray) -> np.ndarray:
        """The step sizes of these steps (counted from 0)."""
        return (
            self.a * sine(0.5 * np.pi * ((self.length - t % self.length) / self.length)) ** 2
        )  # the same, without a difference


Schedule = Constant | Polynomial | Cyclical


def schedule_of(step_size: Any) -> Schedule:
    """A schedule as it is, a number as a constant one."""
    return step_size if isinstance(step_size, Schedule) else Constant(step_size)


def step_sizes(schedule: Schedule, start: int, count: int) -> np.ndarray:
    """The step sizes of steps start .. start + count - 1."""
    steps = np.arange(start, start + count, dtype=np.float64)
    pieces = range(BLOCK_STEPS, count, BLOCK_STEPS)
    sizes = np.concatenate([schedule.at(t) for t in np.split(steps, pieces)])
    if not np.all(sizes > 0):
        raise RecipeError(
            f"the step size of {schedule} has come down to 0 in step"
            f" {start + int(np.argmin(sizes > 0))}; use fewer steps"
        )
    return sizes


def _check_positive_fields(schedule: Any) -> None:
    for field in fields(schedule):
        name = f"{type(schedule).__name__}: {field.name}"
        object.__setattr__(
            schedule, field.name, checked_positive(name, getattr(schedule, field.name))
        )
