"""Dual averaging of the logarithm of a step size towards an acceptance rate.

Hoffman & Gelman (2014), "The No-U-Turn Sampler: adaptively setting path lengths in Hamiltonian
Monte Carlo", JMLR 15, algorithm 5 and section 3.2, with the constants that they recommend.
"""

from __future__ import annotations

import math

GAMMA, T0, KAPPA = 0.05, 10.0, 0.75
SHRINK_TOWARDS = 10.0  # times the first step size


class DualAveraging:
    """A step size that is moved after each round until the mean acceptance rate is the target.

    Args:
        step_size: the first step size.
        target: the acceptance rate that is wanted.
    """

    def __init__(self, step_size: float, target: float) -> None:
        self._target = target
        self._mu = math.log(SHRINK_TOWARDS * step_size)
        self._error, self._round = 0.0, 0
        self._log_step, self._log_mean = math.log(step_size), 0.0

    @property
    def step_size(self) -> float:
        """The step size to try next."""
        return math.exp(self._log_step)

    @property
    def averaged(self) -> float:
        """The step size to keep: a mean over the rounds, in which late ones count most."""
        return math.exp(self._log_mean if self._round else self._log_step)

    def update(self, acceptance: float) -> None:
        """Move the step size after a round.

        Args:
            acceptance: the mean acceptance probability of the round; NaN counts as 0.
        """
        self._round += 1
        m, rate = self._round, acceptance if acceptance >= 0.0 else 0.0
        weight = 1.0 / (m + T0)
        self._error = (1.0 - weight) * self._error + weight * (self._target - rate)
        self._log_step = self._mu - math.sqrt(m) / GAMMA * self._error
        share = m**-KAPPA
        self._log_mean = share * self._log_step + (1.0 - share) * self._log_mean
