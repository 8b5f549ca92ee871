"""Special functions that ``math`` lacks, as device functions."""

from __future__ import annotations

import math

from codegen.device.elementary import exp, expm1, log
from codegen.device.intrinsics import device, fma


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


@device
def ein_exp(a: float) -> float:
    """Ein(exp(a)), the integral of (1 - exp(-t))/t from 0 to exp(a), to 4 ulp: below
    exp(a) = 3 its power series; there a + gamma + E1(exp(a)), with the continued fraction of E1
    (DLMF 6.6.4, 6.2.4 and 6.9.1).
    """
    x = min(exp(a), 3.0)
    # (-1)^(k + 1)/(k k!), from k = 28 downwards
    q = fma(x, -1.1713890132392279e-31, 3.401366616220572e-30)
    q = fma(x, fma(x, q, -9.53690870471076e-29), 2.5787801137537893e-27)
    q = fma(x, fma(x, q, -6.715573212900493e-26), 1.6818131176655147e-24)
    q = fma(x, fma(x, q, -4.0439960874775335e-23), 9.32044812542441e-22)
    q = fma(x, fma(x, q, -2.0551588116560825e-20), 4.326650129802279e-19)
    q = fma(x, fma(x, q, -8.677337204770125e-18), 1.6537983849091297e-16)
    q = fma(x, fma(x, q, -2.9871733327421158e-15), 5.0981091545465446e-14)
    q = fma(x, fma(x, q, -8.193389712664089e-13), 1.2353110643708935e-11)
    q = fma(x, fma(x, q, -1.7397297489890083e-10), 2.27746439867652e-09)
    q = fma(x, fma(x, q, -2.755731922398589e-08), 3.0619243582206544e-07)
    q = fma(x, fma(x, q, -3.1001984126984127e-06), 2.834467120181406e-05)
    q = fma(x, fma(x, q, -0.0002314814814814815), 0.0016666666666666668)
    q = fma(x, fma(x, q, -0.010416666666666666), 0.05555555555555555)
    q = fma(x, fma(x, q, -0.25), 1.0)
    y = max(exp(min(a, 700.0)), 3.0)
    rest = y + 61.0
    for k in range(30, 0, -1):
        rest = y + (2.0 * k - 1.0) - k * k / rest
    return x * q if a < 1.0986122886681098 else a + (0.5772156649015329 + exp(-y) / rest)
