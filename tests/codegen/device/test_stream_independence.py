"""Are streams independent of one another? Joint laws of two places of the generator that are
related in counter or key.

A stream by itself may be perfect while its neighbours repeat it: Threefry adds keys to counters, so
that the pair k of chain c and the pair k - j of chain c + j were once nearly one
(docs/arithmetic.md). Every relation below names two places whose words must be independent. Each
comparison with a bound has the level 1e-11; there are about 50,000 of them in the slow run.
"""

from __future__ import annotations

import math
import shutil
import subprocess
import sys

import numpy as np
import pytest
from generators import stream_words
from numba import njit
from scipy import stats

from codegen.device.random import direction, radius, row_of_word, stream_key, threefry

LEVEL = 1e-11
u64 = np.uint64
ROWS = 7

# Two places (seed, purpose, chain, step t, pair k): the second one is the first one plus these
# numbers.
RELATIONS = {
    "next chain": (0, 0, 1, 0, 0),
    "next chain, pair before": (0, 0, 1, 0, -1),
    "second next chain, two pairs before": (0, 0, 2, 0, -2),
    "chain after seven, seven pairs before": (0, 0, 7, 0, -7),
    "next step": (0, 0, 0, 1, 0),
    "next step, pair before": (0, 0, 0, 1, -1),
    "next pair": (0, 0, 0, 0, 1),
    "next chain, step before": (0, 0, 1, -1, 0),
    "next purpose": (0, 1, 0, 0, 0),
    "next purpose, pair before": (0, 1, 0, 0, -1),
    "next purpose, step before": (0, 1, 0, -1, 0),
    "next purpose, chain before": (0, 1, -1, 0, 0),
    "next seed": (1, 0, 0, 0, 0),
    "next seed, step before": (1, 0, 0, -1, 0),
    "next seed, purpose before": (1, -1, 0, 0, 0),
    "next seed, chain before": (1, 0, -1, 0, 0),
    "the first word of the next draw that is not normal": (0, 0, 0, 0, 2**32),
    "that of the next chain": (0, 0, 1, 0, 2**32),
}


@njit(error_model="numpy")
def same_key(seed, purpose, chain):
    """The key as it was: purpose and chain stand in it as they are."""
    return seed, (purpose << u64(32)) | chain


@njit(error_model="numpy")
def joint(first, second, t, u, shift, count, agree, cells, rows, sums):
    """Adds what is looked at for the pairs k of the first stream and k + shift of the second one.

    ``agree`` counts equal bits: x with x, y with y, x with y; the bit 8 i + b stands at [b, i].
    ``cells`` counts pairs of the highest four bits of x, ``rows`` pairs of rows of a minibatch.
    ``sums`` adds products of normal numbers, of their squares, and of each with the square of the
    other.
    """
    eight = np.zeros(
        (3, 8), dtype=np.uint64
    )  # of each byte one bit: eight counts of up to 255 in a word
    for k in range(u64(8), u64(8) + count):
        x, y = threefry(t, k, first)
        p, q = threefry(u, k + shift, second)
        for n, same in enumerate((~(x ^ p), ~(y ^ q), ~(x ^ q))):
            for bit in range(8):
                eight[n, bit] += (same >> u64(bit)) & u64(0x0101010101010101)
        if k & u64(127) == u64(127) or k == u64(7) + count:
            for n in range(3):
                for bit in range(8):
                    for byte in range(8):
                        agree[n, bit, byte] += (eight[n, bit] >> u64(8 * byte)) & u64(255)
            eight[:] = u64(0)
        cells[x >> u64(60), p >> u64(60)] += 1
        rows[row_of_word(x, ROWS), row_of_word(p, ROWS)] += 1
        a, b = radius(x) * direction(y)[0], radius(p) * direction(q)[0]
        sums[0] += a * b
        sums[1] += (a * a - 1) * (b * b - 1)
        sums[2] += a * (b * b - 1)
        sums[3] += (a * a - 1) * b


def surprises(relation, seed, count, key=stream_key):
    """The statistics of a relation as standard normal numbers, by name; chi-squared ones by their
    quantile.
    """
    seeds, purposes, chains, steps, pairs = relation
    at = np.array([seed, 3, 5, 11], dtype=np.int64)
    beside = at + np.array([seeds, purposes, chains, steps])
    first, second = (tuple(map(u64, key(*map(u64, place[:3])))) for place in (at, beside))
    agree, sums = np.zeros((3, 8, 8), dtype=np.uint64), np.zeros(4)
    cells, rows = np.zeros((16, 16), dtype=np.int64), np.zeros((ROWS, ROWS), dtype=np.int64)
    joint(
        first,
        second,
        u64(at[3]),
        u64(beside[3]),
        u64(pairs % 2**64),
        u64(count),
        agree,
        cells,
        rows,
        sums,
    )
    found = {
        f"equal bits {n}": abs(z)
        for n, z in enumerate(((agree - count / 2) / math.sqrt(count / 4)).flat)
    }
    for name, table in (("cells", cells), ("rows", rows)):
        expected = count / table.size
        tail = stats.chi2.logsf(((table - expected) ** 2 / expected).sum(), table.size - 1)
        found[name] = -float(tail)
    variances = (1, 4, 2, 2)
    return found, [abs(s) / math.sqrt(v * count) for s, v in zip(sums, variances, strict=True)]


def check(relation, seed, count, key=stream_key):
    found, moments = surprises(relation, seed, count, key)
    worst = max(z for name, z in found.items() if name.startswith("equal"))
    bound = stats.norm.isf(LEVEL / 2)
    assert worst < bound, f"bits agree too often: {worst:.1f} standard deviations; seed {seed}"
    for name in ("cells", "rows"):
        assert found[name] < -math.log(LEVEL), (
            f"{name} depend: probability exp(-{found[name]:.1f}); seed {seed}"
        )
    for what, z in zip(
        ("values", "squares", "a value and a square", "a square and a value"), moments, strict=True
    ):
        assert z < bound, (
            f"{what} of normal numbers are correlated: {z:.1f} standard deviations; seed {seed}"
        )


@pytest.mark.parametrize("name", RELATIONS)
def test_related_places_are_independent(name):
    for seed in (1, 29):
        check(RELATIONS[name], seed, 2**18)


@pytest.mark.slow
@pytest.mark.parametrize("name", RELATIONS)
def test_related_places_are_independent_at_many_seeds(name):
    for seed in range(24):
        check(RELATIONS[name], seed, 2**23)


@pytest.mark.parametrize("name", ["next chain, pair before", "second next chain, two pairs before"])
def test_keys_that_are_not_blocks_are_seen(name):
    """The same test refuses the keys of before: purpose and chain as they are."""
    with pytest.raises(AssertionError, match=r"agree too often|depend"):
        check(RELATIONS[name], 29, 2**20, key=same_key)


@pytest.mark.slow
def test_practrand_finds_nothing_in_interleaved_streams():
    """2 GB of the streams of 16 chains; docs/arithmetic.md has the command for 32 GB, and what it
    said.
    """
    battery = shutil.which("RNG_test")
    if battery is None:
        pytest.skip("PractRand (RNG_test) is not installed")
    words = subprocess.Popen(
        [sys.executable, stream_words.__file__, "1"],
        stdout=subprocess.PIPE,
    )
    found = subprocess.run(
        [battery, "stdin64", "-tlmax", "2GB"],
        stdin=words.stdout,
        capture_output=True,
        text=True,
        check=False,
    )
    words.kill()
    words.wait()
    assert "length= 2 gigabytes" in found.stdout
    assert "FAIL" not in found.stdout
    assert "very suspicious" not in found.stdout.lower()
