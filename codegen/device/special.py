"""Special functions that ``math`` lacks, as device functions."""

from __future__ import annotations

import math

from codegen.device.elementary import expm1, log
from codegen.device.intrinsics import device


@device
def digamma(x: float) -> float:
    """The derivative of log Gamma for x > 0, and NaN elsewhere: where x is below 8, that at x + 8
    less 1/x + 1/(x + 1) + ... + 1/(x + 7); there the asymptotic series.
    """
    # with q = x (x + 7), the products (x + 1)(x + 6), (x + 2)(x + 5), (x + 3)(x + 4) are these sums
    q = x * (x + 7.0)
    low, high = q * (q + 6.0), (q + 10.0) * (q + 12.0)
    below = (2.0 * x + 7.0) * ((2.0 * q + 6.0) * high + (2.0 * q + 22.0) * low) / (low * high)
    small = x < 8.0
    inverse = 1.0 / (x + 8.0 if small else x)
    z = inverse * inverse
    series = 1.0 / 240.0 - z * (1.0 / 132.0 - z * (691.0 / 32760.0 - z / 12.0))
    series = z * (1.0 / 12.0 - z * (1.0 / 120.0 - z * (1.0 / 252.0 - z * series)))
    y = log(x + 8.0 if small else x) - 0.5 * inverse - series - (below if small else 0.0)
    return y if x > 0.0 else math.nan


@device
def loggamma(x: float) -> float:
    """log Gamma(x) for x > 0, infinity at 0 and NaN below: where x is below 8, that at x + 8 less
    the logarithm of x (x + 1) ... (x + 7); there Stirling's series. The error is below 1e-14 of the
    larger of 1 and the value.
    """
    small = x < 8.0
    q = x * (x + 7.0)  # as in digamma
    product = q * (q + 6.0) * ((q + 10.0) * (q + 12.0))
    n = x + 8.0 if small else x
    inverse = 1.0 / n
    z = inverse * inverse
    series = 1.0 / 1680.0 - z * (1.0 / 1188.0 - z * (691.0 / 360360.0 - z / 156.0))
    series = inverse * (1.0 / 12.0 - z * (1.0 / 360.0 - z * (1.0 / 1260.0 - z * series)))
    half = 0.4189385332046727  # (log(2 pi) - 1)/2
    above = (n - 0.5) * (log(n) - 1.0) + half + series
    y = above - (log(product) if small else 0.0)
    return y if x > 0.0 else math.inf if x == 0.0 else math.nan


@device
def phi_1(z: float) -> float:
    """(exp(z) - 1)/z, and 1 at 0, to 3 ulp; infinity above 709.79, as expm1 is, and NaN at
    infinity.
    """
    return expm1(z) / z if z != 0.0 else 1.0
