"""The non-central chi-squared draw, counter-based: a pure function of (seed, purpose, chain, step,
coordinate) and its parameters.

``X = 2 Gamma(df/2 + N)`` with ``N ~ Poisson(nonc/2)``, for every df > 0 (Johnson, Kotz &
Balakrishnan 1995, chapter 29). Each part is exact: gamma by Marsaglia & Tsang (2000), "A simple
method for generating gamma variables"; Poisson by inversion where its mean is small and by
Hormann's PTRS elsewhere (1993, "The transformed rejection method for generating Poisson random
variables").

A draw takes as many random words as it needs. Coordinate i has the counters ``i 2^32, i 2^32 + 1,
...`` of its purpose to itself.

At 0.2 degrees of freedom a tenth of all draws is below 1e-10, and one in a thousand below 1e-29.
These values matter. They come from the factor ``U^(1/shape)``, which keeps all its digits down to U
= 2^-53. Smaller draws than 1e-290 are set to 1e-290, so that neither a draw nor its product with a
scale is ever 0, and its reciprocal is finite.
"""

from __future__ import annotations

import math

import numpy as np

from codegen.device.elementary import exp, expm1, log, log1p
from codegen.device.intrinsics import Word, device
from codegen.device.random import Key, direction, radius, threefry, uniform


@device
def poisson_small(mean: float, u: float) -> float:
    """A Poisson number of a small mean from a uniform one, by inversion: at least n iff u < P(N >=
    n).
    """
    n = 0.0
    tail = -expm1(-mean)
    mass = 1.0 - tail
    while u < tail and mass > 1e-30:
        n += 1.0
        mass *= mean / n
        tail -= mass
    return n


@device
def log_mass(k: float, mean: float) -> float:
    """The logarithm of the Poisson mass of k, by Loader (2000), "Fast and accurate computation of
    binomial probabilities": minus ``k log(k/mean) + mean - k``, which does not cancel where k is
    near the mean, and Stirling's series.
    """
    if k < 16.0:
        factorial = 1.0
        for j in range(2, int(k) + 1):
            factorial *= j
        return k * log(mean) - mean - log(factorial)
    v = (k - mean) / (k + mean)
    if abs(v) < 0.1:
        term = 2.0 * k * v
        deviance = (k - mean) * v
        for j in range(1, 9):
            term *= v * v
            deviance += term / (2.0 * j + 1.0)
    else:
        deviance = k * log(k / mean) + mean - k
    z = 1.0 / (k * k)
    stirling = (1.0 / 12.0 - z * (1.0 / 360.0 - z * (1.0 / 1260.0 - z / 1680.0))) / k
    return -deviance - stirling - 0.5 * log(6.283185307179586 * k)


@device
def poisson_large(mean: float, counter: Word, key: Key, t: Word) -> tuple[float, Word]:
    """A Poisson number of a mean of 10 or more, and the next free counter: Hormann's PTRS, with his
    constants.
    """
    b = 0.931 + 2.53 * math.sqrt(mean)
    a = -0.059 + 0.02483 * b
    log_inverse_alpha = log(1.1239 + 1.1328 / (b - 3.4))
    squeeze = 0.9277 - 3.6224 / (b - 2.0)
    while True:
        x, y = threefry(t, counter, key)
        counter += np.uint64(1)
        u = uniform(x) - 0.5
        v = uniform(y)
        s = 0.5 - abs(u)
        k = np.floor((2.0 * a / s + b) * u + mean + 0.43)
        if s >= 0.07 and v <= squeeze:
            return k, counter
        if k < 0.0 or (s < 0.013 and v > s):
            continue
        if log(v) + log_inverse_alpha - log(a / (s * s) + b) <= log_mass(k, mean):
            return k, counter


@device
def large_gamma(shape: float, counter: Word, key: Key, t: Word) -> float:
    """A gamma number of a shape of 1 or more: ``d (1 + c x)^3`` for normal x, accepted with
    Marsaglia & Tsang's probability.
    """
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    x = second = 0.0
    kept = False  # whether the second normal number of a pair is still unused
    while True:
        if kept:
            x = second
        else:
            p, q = threefry(t, counter, key)
            r = radius(p)
            cosine, sine = direction(q)
            x, second = r * cosine, r * sine
            counter += np.uint64(1)
        kept = not kept
        p, q = threefry(t, counter, key)
        counter += np.uint64(1)
        y = c * x
        if y <= -1.0:
            continue
        v = (1.0 + y) * (1.0 + y) * (1.0 + y)
        u = uniform(p)
        if u < 1.0 - 0.0331 * x * x * x * x:
            return d * v
        # x^2/2 + d (1 - v + log v), where d cancels nothing: 1 - v = -3 y - 3 y^2 - y^3.
        if log(u) < 0.5 * x * x + 3.0 * d * (log1p(y) - y - y * y * (1.0 + y / 3.0)):
            return d * v


@device
def noncentral_chi_squared(df: float, nonc: float, key: Key, t: Word, i: Word) -> float:
    """The draw of coordinate i at step t: positive, and NaN unless df > 0 and nonc >= 0."""
    if not (0.0 < df <= 1e30 and 0.0 <= nonc <= 1e30):
        return math.nan
    counter = np.uint64(i) << np.uint64(32)
    x, y = threefry(t, counter, key)
    counter += np.uint64(1)
    if nonc < 20.0:
        n = poisson_small(0.5 * nonc, uniform(x))
    else:
        n, counter = poisson_large(0.5 * nonc, counter, key, t)
    shape = 0.5 * df + n
    if shape >= 1.0:
        return 2.0 * large_gamma(shape, counter, key, t)
    g = large_gamma(shape + 1.0, counter, key, t)
    return max(2.0 * g * exp(log(uniform(y)) / shape), 1e-290)


CHI_SQUARED = (noncentral_chi_squared,)
