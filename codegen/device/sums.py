"""Sums of many chains, for which each chain has eight running sums."""

from __future__ import annotations

import numpy as np

from codegen.device.intrinsics import Word, device


@device
def pairwise_many(sums: np.ndarray, c: Word) -> float:
    """The sum of the eight running sums of chain c in pairs: l and l + 4, then l and l + 2."""
    even = (sums[0, c] + sums[4, c]) + (sums[2, c] + sums[6, c])
    odd = (sums[1, c] + sums[5, c]) + (sums[3, c] + sums[7, c])
    return even + odd
