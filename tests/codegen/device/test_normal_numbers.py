"""A normal number as a function of its random words, against 40 digits: its error, its ends, its
tails.
"""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from numba import njit

from codegen.device.random import direction, radius, uniform

LOW = 2**52 - 1
SEED = 20


@njit(error_model="numpy")
def parts(word):
    cosine, sine = direction(word)
    return uniform(word), radius(word), cosine, sine


def words(count):
    """Random words, those with long runs of zeros and ones, and those around each place where the
    logarithm changes its binade.
    """
    rng = np.random.default_rng(SEED)
    top = [int(w) << 52 for w in rng.integers(0, 2**12, count)]
    low = [int(k) for k in rng.integers(0, LOW, count, endpoint=True)]
    for bits in range(1, 52):
        low += [
            2**bits,
            2**bits - 1,
            LOW - 2**bits,
            LOW - 2**bits + 1,
            int(rng.integers(0, 2**bits)),
            LOW - int(rng.integers(0, 2**bits)),
        ]
        low += [int(math.sqrt(0.5) * 2**52) // 2**bits + j for j in range(3)]
    return [
        t | k
        for t, k in zip(top * (len(low) // count + 1), [0, 1, LOW - 1, LOW, *low], strict=False)
    ]


def exact(word):
    """The uniform number, the radius, the cosine and the sine of a word by their definitions."""
    u = (mpmath.mpf(word & LOW) + 0.5) / 2**52
    angle = mpmath.pi / 2 * (mpmath.mpf(word & LOW | 1) / 2**52 - 0.5)
    angle = mpmath.pi / 2 - angle if word >> 62 & 1 else angle
    return (
        u,
        (-1) ** (word >> 63) * mpmath.sqrt(-2 * mpmath.log(u)),
        mpmath.cos(angle),
        mpmath.sin(angle),
    )


def errors(count):
    with mpmath.workdps(40):
        return np.array(
            [
                [abs(float(a / b - 1)) for a, b in zip(parts(np.uint64(w)), exact(w), strict=True)]
                for w in words(count)
            ]
        )


def check_errors(count):
    uniforms, radii, cosines, sines = errors(count).max(axis=0)
    assert uniforms == 0
    assert 1e-16 < radii < 4e-16
    assert 1e-16 < max(cosines, sines) < 3e-16


def test_the_error_of_a_normal_number():
    check_errors(3000)


@pytest.mark.slow
def test_the_error_of_a_normal_number_at_many_words():
    check_errors(200_000)


def test_the_largest_and_the_smallest_radius():
    assert parts(np.uint64(0))[1] == pytest.approx(math.sqrt(2 * 53 * math.log(2)), rel=4e-16)
    assert parts(np.uint64(LOW))[1] == pytest.approx(2.0**-26, rel=4e-16)


def test_the_tail_of_the_radius_is_exact_in_its_words():
    """The radius falls as the word grows, so ``P(r > x)`` is the number of words below one: it is
    ``exp(-x^2/2)`` to one word.

    6 sigma would take 1e12 draws to count; here nothing is drawn.
    """
    for x in [0.01, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]:
        with mpmath.workdps(40):
            expected = mpmath.exp(-(mpmath.mpf(x) ** 2) / 2) * 2**52
        below, above = 0, LOW
        while below < above:  # the first word whose radius is x or less
            middle = (below + above) // 2
            below, above = (
                (below, middle) if parts(np.uint64(middle))[1] <= x else (middle + 1, above)
            )
        # A relative error e of the radius moves u by u x^2 e, and an integer number of words is
        # half a word off.
        assert abs(below - expected) <= 1 + float(expected) * x * x * 4e-16, x


def test_the_law_of_the_angle_is_that_of_its_words():
    """Cosine and sine are on the circle, and the four quarters are reached by the sign of the
    radius and bit 62.
    """
    rng = np.random.default_rng(SEED)
    for word in rng.integers(0, LOW, 300, dtype=np.uint64):
        _, r, c, s = parts(word)
        assert c * c + s * s == pytest.approx(1, rel=6e-16)
        assert abs(s) <= c
        assert s != 0
        assert parts(word | np.uint64(2**62))[2:] == (s, c)
        assert parts(word | np.uint64(2**63))[1:] == (-r, c, s)
