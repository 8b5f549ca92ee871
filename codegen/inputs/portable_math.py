"""Powers, exponentials and sines of arrays, with the same bits on every machine: they are made of
operations that IEEE 754 rounds correctly.

``numpy.power``, ``numpy.exp`` and ``numpy.cos`` come from the C library, or on some processors from
numpy itself, and differ in their last bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

LOG_2 = 0.6931471805599453
# LOG_2 = HIGH + LOW; the last 20 bits of HIGH are 0, so that its small multiples are exact
LOG_2_HIGH, LOG_2_LOW = 0.6931471803691238, 1.9082149292705877e-10
# Taylor coefficients, the highest power first: of (2 artanh(s)/s - 2)/s^2 in s^2, of exp(r) in r,
# and of sin(x)/x in x^2
LOG_COEFFICIENTS = [2 / (2 * n + 1) for n in range(11, 0, -1)]
EXP_COEFFICIENTS = [1 / math.factorial(n) for n in range(14, -1, -1)]
SINE_COEFFICIENTS = [(-1) ** n / math.factorial(2 * n + 1) for n in range(10, -1, -1)]


def power(x: np.ndarray, exponent: float) -> np.ndarray:
    """Return x^exponent for x > 0; the relative error is below 4e-16 (2 + |exponent log x|)."""
    return exponential(exponent * logarithm(x))


def logarithm(x: np.ndarray) -> np.ndarray:
    """Return log(x) for x > 0; the error is below 4e-16 (1 + |log x|)."""
    m, e = np.frexp(x)
    low = m < math.sqrt(0.5)
    f, e = np.where(low, 2.0 * m, m) - 1.0, e - low
    s = f / (2.0 + f)
    return e * LOG_2_HIGH + (
        2.0 * s + (s * (s * s) * _polynomial(LOG_COEFFICIENTS, s * s) + e * LOG_2_LOW)
    )


def exponential(y: np.ndarray) -> np.ndarray:
    """Return exp(y); the relative error is below 4e-16 (1 + |y|)."""
    k = np.rint(y / LOG_2)
    r = (y - k * LOG_2_HIGH) - k * LOG_2_LOW
    return np.ldexp(_polynomial(EXP_COEFFICIENTS, r), np.clip(k, -1100, 1100).astype(np.int64))


def sine(x: np.ndarray) -> np.ndarray:
    """Return sin(x) for x between 0 and pi/2; the relative error is below 4e-16."""
    return x * _polynomial(SINE_COEFFICIENTS, x * x)


def _polynomial(coefficients: Sequence[float], z: np.ndarray) -> np.ndarray:
    value = np.full_like(z, coefficients[0])
    for c in coefficients[1:]:
        value = value * z + c
    return value
