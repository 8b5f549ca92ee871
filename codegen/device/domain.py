"""Whether values lie in the domain of a block: those of one chain, and those of many chains at
once, a chain a column.

The loops over columns have no branches, so that they become vectors. The loop of ``within`` ends at
the first value outside: a vector costs more than it saves where a block is small.
"""

from __future__ import annotations

import math

import numpy as np

from codegen.device.intrinsics import device


@device
def within(
    values: np.ndarray,
    low: float,
    high: float,
    low_belongs: bool = False,
    high_belongs: bool = False,
) -> bool:
    """Whether every value lies between two ends, or at one that belongs to the domain.

    Between infinite ends lie all finite numbers; NaN lies nowhere.
    """
    for x in values:
        above = x >= low if low_belongs else x > low
        below = x <= high if high_belongs else x < high
        if not above & below:
            return False
    return True


@device
def within_simplex(values: np.ndarray) -> bool:
    """Whether all values are positive, and their sum, added from the first on, is below 1."""
    valid = True
    summed = 0.0
    for x in values:
        valid &= x > 0.0
        summed += x
    return valid and summed < 1.0


@device
def columns_within(
    values: np.ndarray,
    low: float,
    high: float,
    low_belongs: bool = False,
    high_belongs: bool = False,
) -> bool:
    """Whether every column lies ``within`` these ends."""
    valid = True
    for i in range(np.uint64(values.shape[0])):
        for c in range(np.uint64(values.shape[1])):
            x = values[i, c]
            above = x >= low if low_belongs else x > low
            below = x <= high if high_belongs else x < high
            valid &= above & below
    return valid


@device
def columns_within_simplex(values: np.ndarray) -> bool:
    """Whether every column lies ``within_simplex``."""
    valid = columns_within(values, 0.0, math.inf)
    for c in range(np.uint64(values.shape[1])):
        summed = 0.0
        for i in range(np.uint64(values.shape[0])):
            summed += values[i, c]
        valid &= summed < 1.0
    return valid
