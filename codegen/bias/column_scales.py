"""Columns of data that no one step size fits: on very different scales, or far from 0 for their
width.
"""

from __future__ import annotations

from typing import Any

import numpy as np

MAX_RATIO = 100.0  # of the scales of two columns
MAX_ROWS = 10_000  # that scales are judged by
MAX_SCALE = 1000.0  # of a column without others beside it, where parameters have scales of about 1
CONSTANT = 1e-9  # of the mean: a column with so small a standard deviation is an intercept
MAX_OFFSET = 10.0  # standard deviations of a column that its mean is away from 0


def unequal_columns(symbol: Any, array: np.ndarray) -> str | None:
    """Return a clause about the column of the largest scale, where it is far above the median one;
    None where it is not.

    Args:
        symbol: the data, as they are called.
        array: their values.
    """
    if array.ndim != 2 or array.shape[1] < 2:
        return None
    with np.errstate(all="ignore"):
        scales = np.sqrt(np.mean(_some_rows(array) ** 2, axis=0))
    used = scales[scales > 0]
    if not used.size:
        return None
    middle = float(np.quantile(used, 0.5, method="lower"))
    if not used.max() > MAX_RATIO * middle:
        return None
    worst = int(np.argmax(scales))
    return (
        f"column {worst} of {symbol} has scale {scales[worst]:,.3g}, and the median column has"
        f" {middle:,.3g}"
    )


def unstandardised(symbol: Any, array: np.ndarray) -> str | None:
    """Return a clause about a column that is not standardised: that of the largest scale, or the
    one that is farthest from 0 for its width; None where none is beyond what samplers take.

    Args:
        symbol: the data, as they are called.
        array: their values, shape (rows,) or (rows, columns).
    """
    unequal = unequal_columns(symbol, array)
    if unequal is not None:
        return unequal
    rows = _some_rows(array)
    rows = rows[:, None] if array.ndim == 1 else rows
    with np.errstate(all="ignore"):
        mean, sd = rows.mean(axis=0), rows.std(axis=0)
        offsets = np.where(sd > CONSTANT * np.abs(mean), np.abs(mean) / sd, 0.0)
    column = int(np.argmax(sd if np.max(sd) > MAX_SCALE else offsets))
    if not (sd[column] > MAX_SCALE or offsets[column] > MAX_OFFSET):
        return None
    name = f"{symbol}" if array.ndim == 1 else f"column {column} of {symbol}"
    return f"{name} has mean {mean[column]:,.4g} and standard deviation {sd[column]:,.3g}"


def _some_rows(array: np.ndarray) -> np.ndarray:
    return np.asarray(array[:: max(1, -(-array.shape[0] // MAX_ROWS))], dtype=float)
