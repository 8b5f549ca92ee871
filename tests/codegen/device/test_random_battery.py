"""Is it random? A statistical battery for the generator, with levels that are stated and a seed
that is fixed.

Every test says which value is exceeded with which probability if the numbers are random; as the
seed is fixed, it passes or fails for good. There are about 110 comparisons at the level 1e-6 each,
so random numbers fail with probability about 1e-4. Bounds on means are those of the normal law, to
which they tend; all others are exact. What is too rare to be drawn, test_normal_numbers.py checks
on the words.
"""

from __future__ import annotations

import itertools
import math
import sys

import numpy as np
import pytest
from numba import njit
from scipy import stats

from codegen.device.random import fill_normals, stream_key, threefry

SEED = 20261122
LEVEL = 1e-6  # of each comparison with a bound
u64 = np.uint64


@njit(error_model="numpy")
def fill(values, seed, purpose, chain, t):
    fill_normals(values, stream_key(seed, purpose, chain), t)


@njit(error_model="numpy")
def words(first, second, count, seed, purpose, chain, t):
    key = stream_key(seed, purpose, chain)
    for k in range(u64(count)):
        first[k], second[k] = threefry(t, k, key)


@njit(error_model="numpy")
def beyond(values, counts):
    """Adds how many are above 1, 2, ... and below -1, -2, ..."""
    for x in range(counts.size // 2):
        above = below = 0
        for i in range(values.size):
            above += values[i] > x + 1
            below += values[i] < -x - 1
        counts[2 * x] += above
        counts[2 * x + 1] += below


def drawn(size, purpose=0, chain=0, t=0, seed=SEED):
    values = np.empty(size)
    fill(values, u64(seed), u64(purpose), u64(chain), u64(t))
    return values


def blocks(count, size=1_000_000):
    """Blocks of normal numbers from many chains and steps, one after another."""
    for n in range(count):
        yield drawn(size, purpose=n % 3, chain=n % 7, t=n)


def random_words(count, purpose=0, chain=0, t=0):
    both = np.empty((2, count), dtype=np.uint64)
    words(both[0], both[1], count, u64(SEED), u64(purpose), u64(chain), u64(t))
    return both


def check(statistic, bound, what):
    assert statistic <= bound, (
        f"{what}: {statistic:.6g} is above {bound:.6g} (probability {LEVEL} if random); seed {SEED}"
    )


def check_normal(statistic, what):
    """A statistic that is standard normal in the limit."""
    check(abs(statistic), stats.norm.isf(LEVEL / 2), what)


def check_cells(counts, expected, what):
    check(((counts - expected) ** 2 / expected).sum(), stats.chi2.isf(LEVEL, len(counts) - 1), what)


def check_moments(count):
    powers = np.arange(1, 9)
    total, n = np.zeros(powers.size), 0
    for z in blocks(count):
        power = np.ones_like(z)
        for k in range(powers.size):
            power *= z
            total[k] += power.sum()
        n += z.size
    even = {
        k: math.prod(range(1, k, 2)) for k in range(0, 17, 2)
    }  # the moments of a normal number: 1, 3, 15, ...
    for k in powers:
        mean, variance = even.get(k, 0), even[2 * k] - even.get(k, 0) ** 2
        check_normal((total[k - 1] / n - mean) / math.sqrt(variance / n), f"moment {k}")


def check_equal_cells(count, cells=4096):
    ends = stats.norm.ppf(np.arange(1, cells) / cells)
    counts, n = np.zeros(cells), 0
    for z in blocks(count):
        counts += np.bincount(np.searchsorted(ends, z), minlength=cells)
        n += z.size
    check_cells(counts, n / cells, "equally probable cells")


def check_tails(count, sigmas):
    """How many are beyond 1, ..., ``sigmas`` standard deviations, on each side, by the exact
    binomial law.
    """
    counts, n = np.zeros(2 * sigmas, dtype=np.int64), 0
    for z in blocks(count):
        beyond(z, counts)
        n += z.size
    for k, observed in enumerate(counts):
        law = stats.binom(n, stats.norm.sf(k // 2 + 1))
        surprise = min(law.cdf(observed), law.sf(observed - 1))
        check(
            -math.log(surprise),
            -math.log(LEVEL / 2),
            f"{observed} beyond {'+-'[k % 2]}{k // 2 + 1} sigma",
        )


def test_moments():
    check_moments(5)


def test_equally_probable_cells():
    check_equal_cells(5)


def test_tails():
    check_tails(20, 4)


FAULTS = {
    "too wide": (lambda z: 1.005 * z, lambda: check_moments(2)),
    "skewed": (lambda z: z + 0.002 * (z**2 - 1), lambda: check_moments(2)),
    "a hole": (lambda z: np.where(abs(z - 1) < 1e-3, 1.1, z), lambda: check_equal_cells(2)),
    "no tails": (lambda z: np.clip(z, -4, 4), lambda: check_tails(2, 4)),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_battery_sees_a_fault(fault, monkeypatch):
    right = drawn
    wrong, looked_at = FAULTS[fault]
    monkeypatch.setattr(
        sys.modules[__name__], "drawn", lambda *args, **named: wrong(right(*args, **named))
    )
    with pytest.raises(AssertionError, match="seed 20261122"):
        looked_at()


@pytest.mark.slow
def test_moments_cells_and_tails_of_many():
    check_moments(200)
    check_equal_cells(200)
    check_tails(8_000, 6)  # 8 expected beyond 6 sigma on each side


def test_kolmogorov_smirnov():
    for t in range(3):
        z = drawn(1_000_000, t=t)
        check(
            stats.kstest(z, "norm").statistic, stats.kstwo.isf(LEVEL, z.size), "Kolmogorov-Smirnov"
        )


def test_each_bit_of_the_words_is_a_fair_coin_and_no_two_agree_too_often():
    n = 100_000
    bits = np.unpackbits(random_words(n).T.copy().view(np.uint8), axis=1).astype(np.float64) * 2 - 1
    check(np.abs(bits.mean(axis=0)).max() * math.sqrt(n), stats.norm.isf(LEVEL / 2 / 128), "bits")
    products = bits.T @ bits / n
    np.fill_diagonal(products, 0)
    check(
        np.abs(products).max() * math.sqrt(n),
        stats.norm.isf(LEVEL / 2 / (64 * 127)),
        "pairs of bits",
    )


def test_one_bit_of_the_counter_or_the_key_changes_half_of_the_bits():
    """Each of 256 bits of the input, against each of 128 bits of the output: neighbours in any
    argument share nothing.
    """
    n = 400
    at = np.random.default_rng(SEED).integers(0, 2**64 - 1, (n, 4), dtype=np.uint64, endpoint=True)
    pair = njit(lambda c0, c1, k0, k1: threefry(c0, c1, (k0, k1)))
    before = np.array([pair(*row) for row in at], dtype=np.uint64)
    worst = 0.0
    for argument, bit in itertools.product(range(4), range(64)):
        changed = at.copy()
        changed[:, argument] ^= u64(1) << u64(bit)
        after = np.array([pair(*row) for row in changed], dtype=np.uint64)
        flipped = np.unpackbits((before ^ after).view(np.uint8), axis=1).mean(axis=0)
        worst = max(worst, float(np.abs(flipped - 0.5).max()))
    law = stats.binom(n, 0.5)
    check(worst * n, law.isf(LEVEL / 2 / (256 * 128)) + 1 - n / 2, "flips")


# What must be independent of drawn(N): other places of the counter and of the key, neighbours
# first.
N = 400_000
OTHERS = {
    "next coordinate": lambda z: np.roll(z, 1),
    "two coordinates on": lambda z: np.roll(z, 2),
    "the other half of the pair": lambda z: np.roll(z, N // 2),
    "half a block and one": lambda z: np.roll(z, N // 2 + 1),
    "reversed": lambda z: z[::-1],
    "next step": lambda _: drawn(N, t=1),
    "step 2^32": lambda _: drawn(N, t=2**32),
    "next chain": lambda _: drawn(N, chain=1),
    "chain 2^31": lambda _: drawn(N, chain=2**31),
    "next purpose": lambda _: drawn(N, purpose=1),
    "next seed": lambda _: drawn(N, seed=SEED + 1),
    "one bit of the seed": lambda _: drawn(N, seed=SEED ^ 2**63),
    "chain and purpose exchanged": lambda _: (
        drawn(N, chain=1, purpose=2) * drawn(N, chain=2, purpose=1)
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_neighbours_are_not_correlated(name):
    """Values, squares, absolute values against values, and signs."""
    z = drawn(N)
    other = OTHERS[name](z)
    both = {
        "values": z * other,
        "squares": (z**2 - 1) * (other**2 - np.mean(other**2)),
        "signs": np.sign(z) * np.sign(other),
        "a value and a square": z * (other**2 - np.mean(other**2)),
        "a square and a value": (z**2 - 1) * other,
    }
    for what, product in both.items():
        assert not np.all(product == product[0])
        check_normal(product.mean() / (product.std() / math.sqrt(N)), f"{what} of {name}")


def test_pairs_fill_the_plane():
    """Angle and radius of the two halves of a pair, and of neighbours, in 64 by 64 equally probable
    cells.
    """
    z = drawn(2_000_000)
    for x, y in (np.split(z, 2), (z[::2], z[1::2])):
        angle = np.floor((np.arctan2(y, x) / (2 * math.pi) + 0.5) * 64).astype(int).clip(0, 63)
        radius = np.floor(np.exp(-(x**2 + y**2) / 2) * 64).astype(int).clip(0, 63)
        check_cells(
            np.bincount(angle * 64 + radius, minlength=4096), x.size / 4096, "cells of the plane"
        )


@pytest.mark.parametrize("axis", ["chain", "t", "purpose"])
def test_the_same_coordinate_over_chains_steps_and_purposes(axis):
    """One coordinate of 20,000 chains (steps, purposes) is a sample as well: its law, and its
    neighbours.
    """
    z = np.array([drawn(3, **{axis: n}) for n in range(20_000)])
    for column in z.T:
        check(
            stats.kstest(column, "norm").statistic,
            stats.kstwo.isf(LEVEL, column.size),
            f"law over {axis}",
        )
        check_normal(
            (column[1:] * column[:-1]).mean() * math.sqrt(column.size - 1),
            f"neighbours over {axis}",
        )
