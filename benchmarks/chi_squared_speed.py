"""Nanoseconds a draw: the counter-based non-central chi-squared number beside NumPy's, medians of
alternating repetitions.

PYTHONPATH=. python benchmarks/chi_squared_speed.py
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter

import numpy as np
from numba import njit

from codegen.device.chi_squared import noncentral_chi_squared
from codegen.device.random import stream_key

SIZE, REPETITIONS = 100_000, 15
PARAMETERS = (
    (0.2, 0.0),
    (0.2, 1e-8),
    (0.2, 1.0),
    (0.2, 10.0),
    (0.2, 1e4),
    (2.0, 1.0),
    (20.0, 100.0),
)


@njit(error_model="numpy", fastmath={"contract"})
def fill(values: np.ndarray, df: float, nonc: float, t: int) -> None:
    """The draws of one step."""
    key = stream_key(np.uint64(1), 0, 0)
    for i in range(np.uint64(values.size)):
        values[i] = noncentral_chi_squared(df, nonc, key, np.uint64(t), i)


def seconds(draw: Callable[[], object]) -> float:
    """Of one call."""
    began = perf_counter()
    draw()
    return perf_counter() - began


def main() -> None:
    """Print the table."""
    values, numpy = np.empty(SIZE), np.random.default_rng(1)
    fill(values, 1.0, 1.0, 0)
    print("| df | nonc | ours, ns | numpy, ns |\n| --- | --- | --- | --- |")
    for df, nonc in PARAMETERS:
        ours, theirs = [], []
        for t in range(REPETITIONS):
            ours.append(seconds(lambda t=t, df=df, nonc=nonc: fill(values, df, nonc, t)))  # type: ignore[misc]
            theirs.append(
                seconds(lambda df=df, nonc=nonc: numpy.noncentral_chisquare(df, nonc, SIZE))
            )  # type: ignore[misc]
        print(
            f"| {df:g} | {nonc:g} | {median(ours) / SIZE * 1e9:.0f} |"
            f" {median(theirs) / SIZE * 1e9:.0f} |"
        )


if __name__ == "__main__":
    main()
