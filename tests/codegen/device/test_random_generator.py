"""The generator of random numbers: known answers, an independent implementation in plain integers,
moments, independence.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from numba import njit
from oracles.slow_threefry import MASK, slow_key, slow_threefry

from codegen.device.random import (
    AHEAD,
    draw_ahead,
    fill_normals,
    in_vectors,
    jitter,
    log_uniform,
    normal_pair,
    pair_ahead,
    random_row,
    stream_key,
    strong_threefry,
    threefry,
)
from codegen.device.special import digamma, loggamma
from codegen.device.stable import sigmoid, softplus

LOW = 2**52 - 1
u64 = np.uint64


@njit
def words(c0, c1, k0, k1):
    return threefry(c0, c1, (k0, k1))


@njit
def strong_words(c0, c1, k0, k1):
    return strong_threefry(c0, c1, (k0, k1))


@njit(error_model="numpy")
def normals(values, seed, purpose, chain, t):
    fill_normals(values, stream_key(seed, purpose, chain), t)


@njit(error_model="numpy")
def pair(key, t, k):
    return normal_pair(key, t, k)


@njit
def rows_of(result, key, t, rows):
    for k in range(u64(result.size)):
        result[k] = random_row(key, t, k, rows)


def slow_normals(d, seed, purpose, chain, t):
    """The normals of a block by the definition, with the functions of ``math``."""
    half = (d + 1) // 2
    result = [0.0] * (2 * half)
    for k in range(half):
        x, y = slow_threefry((t, k), slow_key(seed, purpose, chain))
        u = ((x & LOW) + 0.5) / 2**52
        angle = math.pi / 2 * ((y & LOW | 1) / 2**52 - 0.5)
        if y >> 62 & 1:
            angle = math.pi / 2 - angle
        if x >> 63:
            angle += math.pi
        c, s = math.cos(angle), math.sin(angle)
        radius = math.sqrt(-2 * math.log(u))
        result[k], result[half + k] = radius * c, radius * s
    return result[:d]


def drawn(d, seed=1, purpose=0, chain=0, t=0):
    values = np.empty(d)
    normals(values, u64(seed), u64(purpose), u64(chain), u64(t))
    return values


@pytest.mark.parametrize(
    ("word", "answer"),
    [
        (0, (0xF167B032C3B480BD, 0xE91F9FEE4B7A6FB5)),
        (MASK, (0xCCDEC5C917A874B1, 0x4DF53ABCA26CEB01)),
    ],
)
def test_known_answers(word, answer):
    assert tuple(int(w) for w in words(*[u64(word)] * 4)) == answer
    assert slow_threefry((word, word), (word, word)) == answer


@pytest.mark.parametrize(
    ("counter", "key", "answer"),
    [
        ((0, 0), (0, 0), (0xC2B6E3A8C2C69865, 0x6F81ED42F350084D)),
        ((MASK, MASK), (MASK, MASK), (0xE02CB7C4D95D277A, 0xD06633D0893B8B68)),
        (
            (0x243F6A8885A308D3, 0x13198A2E03707344),
            (0xA4093822299F31D0, 0x082EFA98EC4E6C89),
            (0x263C7D30BB0F0AF1, 0x56BE8361D3311526),
        ),
    ],
)
def test_known_answers_of_the_block_that_keys_are(counter, key, answer):
    """Those that Random123 publishes for 20 rounds (kat_vectors)."""
    assert tuple(int(w) for w in strong_words(*map(u64, (*counter, *key)))) == answer
    assert slow_threefry(counter, key, rounds=20) == answer


def test_a_key_is_a_block_of_purpose_and_chain_under_the_seed():
    for seed, purpose, chain in [(0, 0, 0), (1, 2, 3), (MASK, 2**31 + 5, 2**33)]:
        assert tuple(int(w) for w in stream_key(u64(seed), u64(purpose), u64(chain))) == slow_key(
            seed, purpose, chain
        )


def test_words_agree_with_plain_integers():
    for c0, c1, k0, k1 in np.random.default_rng(3).integers(
        0, MASK, (50, 4), dtype=np.uint64, endpoint=True
    ):
        ours = tuple(int(w) for w in words(c0, c1, k0, k1))
        assert ours == slow_threefry((int(c0), int(c1)), (int(k0), int(k1)))


@pytest.mark.parametrize("d", [1, 2, 5, 64, 1001])
def test_normals_agree_with_plain_python(d):
    ours = drawn(d, seed=MASK, purpose=3, chain=7, t=10**12)
    np.testing.assert_allclose(ours, slow_normals(d, MASK, 3, 7, 10**12), rtol=4e-15, atol=2e-15)


@pytest.mark.parametrize("d", [0, 1, 5])
def test_the_first_state_of_a_chain_has_the_normals_of_step_0(d):
    values = np.full(d, 7.0)
    jitter(values, u64(MASK), u64(2**31), u64(7))
    np.testing.assert_array_equal(values, drawn(d, seed=MASK, purpose=2**31, chain=7, t=0))
    np.testing.assert_allclose(values, slow_normals(d, MASK, 2**31, 7, 0), rtol=4e-15, atol=2e-15)


def test_a_pair_is_the_two_halves_of_a_block():
    d, half = 7, 4
    values = drawn(d, seed=5, purpose=2, chain=1, t=9)
    for k in range(d - half):
        key = tuple(map(u64, slow_key(5, 2, 1)))
        assert pair(key, u64(9), u64(k)) == (values[k], values[half + k])


@njit(error_model="numpy")
def pairs_ahead(found, numbers, key, begin, end, first, half):
    """What ``pair_ahead`` has for the steps begin .. end - 1."""
    for t in range(begin, end):
        draw_ahead(numbers, key, t, first, half, begin, end)
        for k in range(first, half):
            found[t - begin, k - first, 0], found[t - begin, k - first, 1] = pair_ahead(
                numbers, t, k - first
            )


@pytest.mark.parametrize("d", [1, 2, 3, 14, 15, 16, 17, 18, 31, 32, 33, 63, 64, 65])
def test_what_is_drawn_ahead_is_what_is_drawn_where_it_is_used(d):
    """From any step on, in any split of the steps: the pairs that fill no vectors, by
    ``normal_pair``.
    """
    key, half = (u64(MASK), u64(3 << 32 | 7)), (d + 1) // 2
    first = int(in_vectors(u64(d // 2)))
    assert first % 8 == 0 <= half - first <= 8
    for start in (0, 1, 37, 63, 64, 10**12 + 5):
        steps = 150
        wanted = [
            [pair(key, u64(start + n), u64(k)) for k in range(first, half)] for n in range(steps)
        ]
        for split in ([0, steps], [0, 1, 2, 29, 64, 65, 127, steps], list(range(steps + 1))):
            found, numbers = np.full((steps, half - first, 2), np.nan), np.full(AHEAD, np.nan)
            for begin, end in pairwise(split):
                steps_of_it = (u64(start + begin), u64(start + end))
                pairs_ahead(found[begin:end], numbers, key, *steps_of_it, u64(first), u64(half))
            np.testing.assert_array_equal(found, np.array(wanted).reshape(found.shape))


def test_moments():
    n = 2_000_000
    z = drawn(n, seed=20)
    exact = {1: 0, 2: 1, 3: 0, 4: 3, 6: 15}
    variance = {1: 1, 2: 2, 3: 15, 4: 96, 6: 10395 - 225}
    for power, mean in exact.items():
        assert abs((z**power).mean() - mean) < 4.5 * math.sqrt(variance[power] / n), power
    halves = z[: n // 2] * z[n // 2 :]
    assert abs(halves.mean()) < 4.5 / math.sqrt(n / 2)
    assert abs(((z[: n // 2] ** 2 - 1) * (z[n // 2 :] ** 2 - 1)).mean()) < 4.5 * 2 / math.sqrt(
        n / 2
    )


def test_the_distribution_function():
    """Kolmogorov-Smirnov: 1.95 / sqrt(n) is exceeded with probability 1e-3 under the null."""
    z = np.sort(drawn(200_000, seed=8))
    exact = np.array([0.5 * math.erfc(-x / math.sqrt(2)) for x in z])
    assert np.abs(exact - (np.arange(z.size) + 0.5) / z.size).max() < 1.95 / math.sqrt(z.size)


@pytest.mark.parametrize("other", [{"seed": 2}, {"purpose": 1}, {"chain": 1}, {"t": 1}])
def test_seeds_purposes_chains_and_steps_are_independent_streams(other):
    a, b = drawn(100_000), drawn(100_000, **other)
    assert not np.any(a == b)
    assert abs((a * b).mean()) < 4.5 / math.sqrt(a.size)


def test_the_logarithm_of_a_uniform_number_is_that_of_its_definition():
    values = []
    for t in range(5000):
        word, _ = slow_threefry((t, 0), (3, 2 << 32 | 1))
        values.append(math.exp(log_uniform((u64(3), u64(2 << 32 | 1)), u64(t))))
        assert values[-1] == pytest.approx(((word & LOW) + 0.5) / 2**52, rel=1e-12)
    z = np.sort(values)
    assert np.abs(z - (np.arange(z.size) + 0.5) / z.size).max() < 1.95 / math.sqrt(z.size)


def test_rows_are_uniform():
    result = np.empty(60_000, dtype=np.int64)
    rows_of(result, (u64(1), u64(2)), u64(3), 7)
    counts = np.bincount(result, minlength=7)
    assert counts.size == 7
    expected = result.size / 7
    assert (
        (counts - expected) ** 2 / expected
    ).sum() < 22.46  # chi-squared, 6 degrees of freedom, p = 1e-3


@pytest.mark.parametrize("a", [-1000.0, -40.0, -1.0, 0.0, 1e-9, 3.0, 1000.0])
def test_logistic_functions_are_finite_and_right(a):
    import mpmath

    with mpmath.workdps(60):
        e = mpmath.exp(mpmath.mpf(a))
        expected = float(mpmath.log(1 + e)), float(e / (1 + e))
    assert softplus(a) == pytest.approx(expected[0], rel=1e-14, abs=1e-300)
    assert sigmoid(a) == pytest.approx(expected[1], rel=1e-14, abs=1e-300)


@pytest.mark.parametrize(
    "x", [1e-300, 1e-3, 0.5, 1.0, 1.4616, 1.47, 3.0, 7.9, 7.999999999999999, 8.0, 100.0, 1e300]
)
def test_digamma(x):
    """Its zero is at 1.4616321449683623, around which only the absolute error is small."""
    import mpmath

    assert digamma(x) == pytest.approx(float(mpmath.digamma(x)), rel=3e-15, abs=3e-15)


@pytest.mark.parametrize("x", [0.0, -0.5, -3.0, -1e17, -math.inf, math.nan])
def test_digamma_ends_where_a_diverging_chain_may_be(x):
    """The formula for numbers above 0 would be a finite number there."""
    assert math.isnan(digamma(x))


@pytest.mark.parametrize(
    "x", [5e-324, 1e-300, 1e-3, 0.5, 1.0, 1.3, 2.0, 3.4, 7.999999999999999, 8.0, 100.0, 1e300]
)
def test_loggamma(x):
    import mpmath

    with mpmath.workdps(40):
        expected = float(mpmath.loggamma(x))
    assert loggamma(x) == pytest.approx(expected, rel=1e-14, abs=1e-14)


def test_loggamma_where_it_has_no_number():
    assert loggamma(0.0) == loggamma(math.inf) == math.inf
    assert all(math.isnan(loggamma(x)) for x in (-0.5, -1e300, -math.inf, math.nan))
