"""What rows of labels and the numbers beside them have in common: first numbers, one step of a
sampler's module, and whether numbers are still in their domain.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sympy import Interval

from codegen.labels.sweeps import START_PURPOSE


def gamma_numbers(module: Any, count: int, seed: int, chain: int) -> np.ndarray:
    """Return numbers above 0 with the law Gamma(1, 1): half the sum of two squares of normal
    numbers.

    Args:
        module: the imported module of a sampler.
        count: how many.
        seed, chain: of the random numbers.
    """
    normal = np.empty(2 * count)
    module.jitter(normal, np.uint64(seed), START_PURPOSE, np.uint64(chain))
    found = (normal[:count] ** 2 + normal[count:] ** 2) / 2
    return np.maximum(found, np.finfo(float).tiny)


def no_draws(module: Any) -> Any:
    """Return ``Draws`` of a module without room: its steps record nothing."""
    return module.Draws(*(np.zeros((0, 0)) for _ in module.Draws._fields))


def moved(
    module: Any, state: Any, draws: Any, params: Any, size: float, key: tuple[int, int], step: int
) -> bool:
    """Move a state by one step, and return whether all of it is finite and in its domain.

    Args:
        module: the imported module of a sampler.
        state: its state, which is changed.
        draws: what ``no_draws`` returned.
        params: the values of its parameters.
        size: the size of the step.
        key: the seed and the number of the chain.
        step: the number of the step.
    """
    seed, chain = np.uint64(key[0]), key[1]
    given = (state, draws, (), (), size, params, seed, chain, step, 1, step, 2)
    return int(module.run(*given)[1]) < 0


def inside(numbers: np.ndarray, domain: Interval) -> np.ndarray:
    """Return which numbers are in an open interval, and finite."""
    found: np.ndarray = (numbers > float(domain.start)) & (numbers < float(domain.end))
    return found
