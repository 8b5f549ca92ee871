"""Folds of a coordinate into its interval, as device functions.

A value inside the interval keeps its bits. A folded value is kept inside the open interval, off its
ends by the smallest possible amount, as a density or a gradient may be infinite at an end. NaN
passes, so that the run stops.
"""

from __future__ import annotations

from codegen.device.intrinsics import device


@device
def fold_above(x: float, low: float, least: float) -> float:
    """x reflected at its lower end; at least the next number above it."""
    y = 2.0 * low - x if x < low else x
    return least if y < least else y


@device
def fold_below(x: float, high: float, most: float) -> float:
    """x reflected at its upper end; at most the next number below it."""
    y = 2.0 * high - x if x > high else x
    return most if y > most else y


@device
def fold_between(x: float, low: float, high: float, least: float, most: float) -> float:
    """x reflected at both ends, as often as it takes: a triangular wave."""
    width = high - low
    y = x if low <= x <= high else low + (width - abs(abs(x - low) % (2.0 * width) - width))
    y = least if y < least else y
    return most if y > most else y


@device
def turn_above(x: float, low: float) -> float:
    """-1 where x is reflected, and 1 elsewhere."""
    return -1.0 if x < low else 1.0


@device
def turn_below(x: float, high: float) -> float:
    """-1 where x is reflected, and 1 elsewhere."""
    return -1.0 if x > high else 1.0


@device
def turn_between(x: float, low: float, high: float) -> float:
    """-1 where x is reflected an odd number of times, and 1 elsewhere."""
    turned = abs(x - low) % (2.0 * (high - low)) > high - low
    return -1.0 if turned != (x < low) else 1.0
