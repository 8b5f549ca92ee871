"""Elementary functions in float64 as device functions, without branches and calls, so that a loop
around them is vectorised.

An ulp is 2^-52 times the power of two at or below the exact value. The error was below the stated
one wherever it was compared with mpmath (tests/codegen/device). The polynomial of the
exponential is a minimax one (benchmarks/minimax.py), that of the logarithm is fdlibm's (Sun
Microsystems 1993, e_log.c). NaN stays NaN.
"""

from __future__ import annotations

import math

import numpy as np

from codegen.device.intrinsics import Word, as_float, as_word, device, fma, held


@device
def exponential(x: float) -> tuple[float, Word]:
    """p and the word k + 2046 with exp(x) = 2^k (1 + p), for x from -746 to 710; k = 0 and p =
    exp(x) - 1 where |x| < 0.346.
    """
    # the last bits of this are those of k, the integer next to x / log(2)
    shifted = fma(x, held(1.4426950408889634), held(6755399441055744.0))
    k = shifted - held(6755399441055744.0)
    r = fma(-k, held(2.3190468138462996e-17), fma(-k, held(0.6931471805599453), x))
    q = fma(
        r,
        fma(r, held(2.0889374361428554e-09), held(2.5105175783036367e-08)),
        held(2.7557349621370626e-07),
    )
    q = fma(r, fma(r, q, held(2.7557255509009105e-06)), held(2.4801587245737544e-05))
    q = fma(r, fma(r, q, held(0.00019841269874724948)), held(0.0013888888888917961))
    q = fma(r, fma(r, q, held(0.008333333333326167)), held(0.041666666666666616))
    q = fma(r, fma(r, q, held(0.1666666666666667)), held(0.5))
    return fma(r * r, q, r), as_word(shifted) - np.uint64(0x4337FFFFFFFFF802)


@device
def exp(x: float) -> float:
    """exp(x) to 1 ulp (below 2.3e-308: to 5e-324): 0 below -745.2, infinity above 709.79."""
    p, k = exponential(-746.0 if x < -746.0 else 710.0 if x > 710.0 else x)
    half = k >> np.uint64(1)
    scale = as_float(
        half << np.uint64(52)
    )  # two factors, as 2^k may be no number or have no leading bit
    return fma(scale, p, scale) * as_float((k - half) << np.uint64(52))


@device
def expm1(x: float) -> float:
    """exp(x) - 1 to 2 ulp, x itself near 0."""
    p, k = exponential(-50.0 if x < -50.0 else 710.0 if x > 710.0 else x)
    half = as_float((k - np.uint64(1024)) << np.uint64(52))
    return x if abs(x) < 5e-17 else 2.0 * fma(half, p, half - 0.5)


@device
def logarithm(e: float, f: float) -> float:
    """log(2^e (1 + f)) for an integer e and 1 + f between sqrt(1/2) and sqrt(2)."""
    s = f / (held(2.0) + f)
    z = s * s
    p = fma(
        z, fma(z, held(0.14798198605116586), held(0.15313837699209373)), held(0.1818357216161805)
    )
    p = fma(z, fma(z, p, held(0.22222198432149784)), held(0.2857142874366239))
    p = z * fma(z, fma(z, p, held(0.3999999999940942)), held(0.6666666666666735))
    h = held(0.5) * f * f
    low = fma(s, h + p, e * held(2.3190468138462996e-17))
    return fma(e, held(0.6931471805599453), f - (h - low))


@device
def log(x: float) -> float:
    """log(x) to 1 ulp; minus infinity at 0, NaN below."""
    small = x < 2.2250738585072014e-308
    bits = as_word(x * 18014398509481984.0 if small else x) + np.uint64(0x00095F6200000000)
    bias = 4503599627371573.0 if small else 4503599627371519.0
    e = as_float((bits >> np.uint64(52)) | np.uint64(0x4330000000000000)) - bias
    m = as_float((bits & np.uint64(0x000FFFFFFFFFFFFF)) + np.uint64(0x3FE6A09E00000000))
    y = logarithm(e, m - 1.0) if x < math.inf else x
    return y if x > 0.0 else -math.inf if x == 0.0 else math.nan


@device
def log1p(x: float) -> float:
    """log(1 + x) to 1.5 ulp, x itself near 0 (0.0 at -0.0); minus infinity at -1, NaN below."""
    one = 1.0 + x
    back = one - 1.0
    lost = (1.0 - (one - back)) + (x - back)  # one + lost is 1 + x
    bits = as_word(one) + np.uint64(0x00095F6200000000)
    e = as_float((bits >> np.uint64(52)) | np.uint64(0x4330000000000000)) - 4503599627371519.0
    m = as_float((bits & np.uint64(0x000FFFFFFFFFFFFF)) + np.uint64(0x3FE6A09E00000000))
    scale = as_float((np.uint64(2046) - (bits >> np.uint64(52))) << np.uint64(52))
    f = (m - 1.0) + (lost * scale if x < 1e18 else 0.0)
    y = logarithm(e, f) if x < math.inf else x
    return y if x > -1.0 else -math.inf if x == -1.0 else math.nan


@device
def tanh(x: float) -> float:
    """tanh(x) to 3 ulp, x itself near 0."""
    t = expm1(-2.0 * abs(x))
    return math.copysign(-t / (2.0 + t), x)
