"""Special functions that ``math`` lacks, as device functions."""

from __future__ import annotations

import math

from codegen.device.elementary import expm1, log
from codegen.device.intrinsics import device


@device
def digamma(x: float) -> float:
    """The derivative of log Gamma for x > 0, and NaN elsewhere: the recurrence up to 8, then the
    asymptotic series.
    """
    if not x > 0.0:  # far below 0, where a chain that diverges may be, the recurrence would not end
        return math.nan
    below = 0.0
    while x < 8.0:
        below += 1.0 / x
        x += 1.0
    z = 1.0 / (x * x)
    series = 1.0 / 240.0 - z * (1.0 / 132.0 - z * (691.0 / 32760.0 - z / 12.0))
    series = z * (1.0 / 12.0 - z * (1.0 / 120.0 - z * (1.0 / 252.0 - z * series)))
    return log(x) - 0.5 / x - series - below


@device
def phi_1(z: float) -> float:
    """(exp(z) - 1)/z, and 1 at 0, to 3 ulp; infinity above 709.79, as expm1 is, and NaN at
    infinity.
    """
    return expm1(z) / z if z != 0.0 else 1.0
