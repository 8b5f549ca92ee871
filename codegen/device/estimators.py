"""Estimates that are built around the gradient from rows of data: control variates (Baker et al.
2019), and the running variance of a mean, by the recursion of Welford (1962).
"""

from __future__ import annotations

import numpy as np

from codegen.device.intrinsics import device


@device
def add_difference(g: np.ndarray, at_mode: np.ndarray, estimate: np.ndarray) -> None:
    """Add to ``g`` the gradient at the mode minus its estimate there."""
    for i in range(np.uint64(g.size)):
        g[i] += at_mode[i] - estimate[i]


@device
def join_mean(mean: np.ndarray, squares: np.ndarray, values: np.ndarray, n: int) -> None:
    """Let values join the mean of the n before them, and the sum of squared differences to it."""
    for i in range(np.uint64(mean.size)):
        change = values[i] - mean[i]
        mean[i] += change / (n + 1)
        squares[i] += change * (values[i] - mean[i])


@device
def join_variance(
    variance: np.ndarray,
    squares: np.ndarray,
    used: int,
    count: int,
    distinct: bool,
    calls: float,
) -> None:
    """Let the variance of a mean join the running average of the variances.

    The mean is that of ``used`` estimates from rows out of ``count``, with or without replacement
    (``distinct``), and ``squares`` the sum of their squared differences to it. ``calls`` counts the
    means; once there have been 1000, the average forgets at that rate.
    """
    kept = 1.0 - used / count if distinct else 1.0
    scale = kept / (used * (used - 1))
    weight = 1.0 / min(calls, 1000.0)
    for i in range(np.uint64(variance.size)):
        variance[i] += weight * (scale * squares[i] - variance[i])
