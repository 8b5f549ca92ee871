"""The significance level, power and error size that a battery is designed for, and checks of these
numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from recipe import RecipeError

# Defaults: the probability that a correct kernel differs, the probability of finding an error, and
# the factor of a coefficient that counts as an error.
LEVEL, POWER, FACTOR = 1e-6, 0.999, 1.1
MAX_REPLICAS = 200_000
# The relative precision of a kernel's arithmetic: room for another order of operations in float64.
ROUNDING = 1e-10


@dataclass(frozen=True)
class Levels:
    """The design of a battery.

    Attributes:
        level: the significance level of all lines together.
        power: the probability with which an error is found.
        factor: the error of a coefficient that must be found.
        most: the largest number of replicas.
    """

    level: float
    power: float
    factor: float
    most: int

    @property
    def reach(self) -> float:
        """The normal deviates beyond a threshold at which an effect is found with the wanted
        power.
        """
        return float(special.ndtri(self.power))

    def checked(self) -> Levels:
        """Return these numbers, checked.

        Raises:
            RecipeError: for a number that has no meaning.
        """
        for name, x in (
            ("level", self.level),
            ("power", self.power),
            ("factor", self.factor),
            ("most", self.most),
        ):
            if isinstance(x, bool) or not isinstance(x, int | float | np.integer | np.floating):
                raise RecipeError(f"{name}={x!r} must be a number")
        if not 0 < self.level < 1:
            raise RecipeError(f"level={self.level!r} must be between 0 and 1: it is a probability")
        if not 0.5 <= self.power < 1:
            raise RecipeError(
                f"power={self.power!r} must be from 0.5 to below 1: it is the probability of"
                " finding an error"
            )
        if not self.factor > 1:
            raise RecipeError(
                f"factor={self.factor!r} must be above 1: it is how far a coefficient is wrong"
            )
        if not self.most >= 1:
            raise RecipeError(f"most={self.most!r} must be a positive number of replicas")
        return self


def check_replicas(replicas: Any, fewest: int) -> None:
    """Check a number of replicas; None is fine.

    Raises:
        RecipeError: if it is no whole number, or smaller than ``fewest``.
    """
    if replicas is None:
        return
    if (
        isinstance(replicas, bool)
        or not isinstance(replicas, int | np.integer)
        or replicas < fewest
    ):
        raise RecipeError(f"replicas={replicas!r} must be a whole number, {fewest} or more")


def checked_seed(seed: Any) -> int:
    """Return the seed, checked.

    Raises:
        RecipeError: if it is no whole number, or negative.
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise RecipeError(f"seed={seed!r} must be a whole number that is not negative")
    return int(seed)


def checked_rounding(rounding: Any) -> float:
    """Return the relative precision of a kernel's arithmetic, checked.

    Raises:
        RecipeError: if it is not between 0 and 0.01.
    """
    if (
        isinstance(rounding, bool)
        or not isinstance(rounding, int | float | np.floating)
        or not 0 < rounding < 1e-2
    ):
        raise RecipeError(f"rounding={rounding!r} must be a small positive number, such as 1e-10")
    return float(rounding)
