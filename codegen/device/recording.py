"""The copies of states into the arrays of draws."""

from __future__ import annotations

import numpy as np

from codegen.device.intrinsics import device


@device
def keep(draws: np.ndarray, row: int, values: np.ndarray) -> None:
    """Copy the values into a row of the draws, if this block is kept."""
    if draws.shape[0] > 0:
        for i in range(values.size):
            draws[row, i] = values[i]


@device
def keep_many(draws: np.ndarray, row: int, values: np.ndarray) -> None:
    """Copy the values of all chains into a row of the draws, if this block is kept."""
    if draws.shape[0] > 0:
        for i in range(np.uint64(values.shape[0])):
            for c in range(np.uint64(values.shape[1])):
                draws[row, i, c] = values[i, c]
