"""Estimates that are built around the gradient from rows of data: control variates (Baker et al.
2019), the references of SVRG and SAGA (Dubey et al. 2016), and the running variance of a mean, by
the recursion of Welford (1962).
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
def take(copy: np.ndarray, values: np.ndarray) -> None:
    """Copy values, in place."""
    for i in range(np.uint64(values.size)):
        copy[i] = values[i]


@device
def join_table(
    g: np.ndarray,
    mean: np.ndarray,
    table: np.ndarray,
    values: np.ndarray,
    row: int,
    used: int,
    count: int,
) -> None:
    """Let values take the place of a row of a table, one row of it after another.

    Their difference joins ``g`` with the weight 1 / used, and the mean of the table, which has
    ``count`` rows.
    """
    size = np.uint64(values.size)
    first = np.uint64(row) * size
    for i in range(size):
        change = values[i] - table[first + i]
        g[i] += change / used
        mean[i] += change / count
        table[first + i] = values[i]


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
