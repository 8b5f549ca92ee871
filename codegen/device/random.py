"""Counter-based random numbers: every draw is a pure function of (seed, purpose, chain, step,
coordinate).

Every use of random numbers of every chain is a stream of its own. The words of a stream are
Threefry2x64 with 13 rounds (Salmon, Moraes, Dror & Shaw 2011) under the key of the stream. Threefry
adds keys to counters, so related keys bring related streams: a key is therefore a block of
Threefry2x64 with 20 rounds (docs/arithmetic.md). Normal numbers are by Box-Muller with polynomials,
so that the loop around it can be vectorised. The source text of these functions is what a generated
module contains: they exist once, and are tested here.

Everything is unsigned 64-bit: in Numba an int64 that meets a uint64 becomes a float64.

The polynomials are minimax ones of relative error (benchmarks/minimax.py), as short as they may be:
what they leave out is below 2^-53 of a normal number. A radius has a relative error below 4e-16, a
cosine and a sine below 3e-16, a normal number below 8e-16.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from codegen.device.elementary import log
from codegen.device.intrinsics import (
    Word,
    as_float,
    as_word,
    device,
    fma,
    held,
    reduction,
    start_kernel,
    wide,
)

Key = Any  # of a stream: two words


@device
def rotated(x: Word, bits: int) -> Word:
    """The word rotated to the left."""
    return (x << np.uint64(bits)) | (x >> np.uint64(64 - bits))


@device
def threefry(c0: Word, c1: Word, key: Key) -> tuple[Word, Word]:
    """Two random words from a counter (c0, c1) under a key: Threefry2x64, 13 rounds."""
    k0, k1 = key
    k2 = np.uint64(0x1BD11BDAA9FC1A22) ^ k0 ^ k1
    x = c0 + k0
    y = c1 + k1
    x += y
    y = rotated(y, 16) ^ x
    x += y
    y = rotated(y, 42) ^ x
    x += y
    y = rotated(y, 12) ^ x
    x += y
    y = rotated(y, 31) ^ x
    x += k1
    y += k2 + np.uint64(1)
    x += y
    y = rotated(y, 16) ^ x
    x += y
    y = rotated(y, 32) ^ x
    x += y
    y = rotated(y, 24) ^ x
    x += y
    y = rotated(y, 21) ^ x
    x += k2
    y += k0 + np.uint64(2)
    x += y
    y = rotated(y, 16) ^ x
    x += y
    y = rotated(y, 42) ^ x
    x += y
    y = rotated(y, 12) ^ x
    x += y
    y = rotated(y, 31) ^ x
    x += k0
    y += k1 + np.uint64(3)
    x += y
    y = rotated(y, 16) ^ x
    return x, y


@device
def uniform(word: Word) -> float:
    """(k + 1/2) / 2^52 for the low 52 bits k of the word: never 0, never 1, and exactly that."""
    return as_float((word & np.uint64(0x000FFFFFFFFFFFFF)) | np.uint64(0x3FF0000000000000)) - held(
        0.9999999999999999
    )


@device
def radius(word: Word) -> float:
    """sqrt(-2 log u) for the uniform number u of the word, with the top bit of the word as its
    sign.

    u = 2^e m with m between sqrt(1/2) and sqrt(2), and log m = 2 artanh(s) with s = (m - 1)/(m +
    1).
    """
    bits = as_word(uniform(word)) + np.uint64(0x00095F6200000000)
    e = as_float((bits >> np.uint64(52)) | np.uint64(0x4330000000000000)) - held(4503599627371519.0)
    m = as_float((bits & np.uint64(0x000FFFFFFFFFFFFF)) + np.uint64(0x3FE6A09E00000000))
    s = (m - held(1.0)) / (m + held(1.0))
    z = s * s
    p = fma(
        z, fma(z, held(-0.33638328143152957), held(-0.36247382794330024)), held(-0.4444674047606026)
    )
    p = fma(z, fma(z, p, held(-0.5714283430200593)), held(-0.8000000010427583))
    p = fma(z, fma(z, p, held(-1.3333333333317499)), held(-4.0))
    r = np.sqrt(fma(e, held(-1.3862943611198906), s * p))
    return as_float(as_word(r) | (word & np.uint64(0x8000000000000000)))


@device
def direction(word: Word) -> tuple[float, float]:
    """Cosine and sine of an angle that is uniform on half a circle, from -pi/4 to 3 pi/4; the sign
    of the radius is the other half.

    The low 52 bits, of which the last is taken to be 1, are the angle between -pi/4 and pi/4 (never
    0); bit 62 mirrors it.
    """
    a = as_float((word & np.uint64(0x000FFFFFFFFFFFFF)) | np.uint64(0x3FF0000000000001)) - held(1.5)
    z = a * a
    c = fma(
        z,
        fma(z, held(4.6553041704386153e-07), held(-2.52001408430133e-05)),
        held(0.0009192599535978243),
    )
    c = fma(z, fma(z, c, held(-0.020863480735805545)), held(0.2536695078999563))
    c = fma(z, fma(z, c, held(-1.2337005501361553)), held(1.0))
    s = fma(
        z,
        fma(z, held(5.58528032059985e-08), held(-3.598279430554989e-06)),
        held(0.00016044104872182924),
    )
    s = fma(z, fma(z, s, held(-0.004681754119168649)), held(0.07969262624527501))
    s = a * fma(z, fma(z, s, held(-0.645964097506228)), held(1.5707963267948966))
    mirrored = (word & np.uint64(0x4000000000000000)) != np.uint64(0)
    return (s, c) if mirrored else (c, s)


@device
def strong_threefry(c0: Word, c1: Word, key: Key) -> tuple[Word, Word]:
    """Two words from a counter under a key: Threefry2x64 with 20 rounds, 13 of which are those of
    ``threefry``.
    """
    k0, k1 = key
    k2 = np.uint64(0x1BD11BDAA9FC1A22) ^ k0 ^ k1
    x, y = threefry(c0, c1, key)
    x += y
    y = rotated(y, 32) ^ x
    x += y
    y = rotated(y, 24) ^ x
    x += y
    y = rotated(y, 21) ^ x
    x += k1
    y += k2 + np.uint64(4)
    x += y
    y = rotated(y, 16) ^ x
    x += y
    y = rotated(y, 42) ^ x
    x += y
    y = rotated(y, 12) ^ x
    x += y
    y = rotated(y, 31) ^ x
    x += k2
    y += k0 + np.uint64(5)
    return x, y


@device
def stream_key(seed: Word, purpose: Word, chain: Word) -> Key:
    """The key of the stream of one use of random numbers (``purpose``) of a chain.

    Under one seed no two streams have the same key, as a block of Threefry is a permutation of the
    counters.
    """
    return strong_threefry(np.uint64(purpose), np.uint64(chain), (np.uint64(seed), np.uint64(0)))


@device
def fill_keys(keys: np.ndarray, seed: Word, first: Word) -> None:
    """The keys of many chains, those from ``first`` on: a column is a chain, and two rows are a
    purpose.
    """
    for purpose in range(np.uint64(keys.shape[0]) >> np.uint64(1)):
        for c in range(np.uint64(keys.shape[1])):
            row = np.uint64(2) * purpose
            keys[row, c], keys[row + np.uint64(1), c] = stream_key(seed, purpose, first + c)


@device
def column_key(keys: np.ndarray, purpose: Word, c: Word) -> Key:
    """The key of the chain in column ``c`` for this use of random numbers."""
    return keys[2 * purpose, c], keys[2 * purpose + 1, c]


@device
def normal_pair(key: Key, t: Word, k: Word) -> tuple[float, float]:
    """Two standard normal numbers of step ``t``: those of the coordinates k and ceil(d/2) + k."""
    x, y = threefry(t, k, key)
    r = radius(x)
    c, s = direction(y)
    return r * c, r * s


@device
def fill_normals(values: np.ndarray, key: Key, t: Word) -> None:
    """All standard normal numbers of step ``t``, one a coordinate."""
    d = np.uint64(values.size)
    half = (d + np.uint64(1)) >> np.uint64(1)
    pairs = d >> np.uint64(1)
    for k in range(pairs):
        values[k], values[half + k] = normal_pair(key, t, k)
    if pairs < half:
        values[pairs], _ = normal_pair(key, t, pairs)


@start_kernel
def jitter(values: np.ndarray, seed: Word, purpose: Word, chain: Word) -> None:
    """Standard normal numbers for the first state of a chain."""
    fill_normals(values, stream_key(seed, purpose, chain), np.uint64(0))


@device
def row_of_word(word: Word, rows: int) -> Word:
    """A row of 0 .. rows - 1, at the position among all rows that the word has among all words."""
    return np.uint64(np.float64(word >> np.uint64(11)) * 1.1102230246251565e-16 * rows)


@device
def in_vectors(pairs: Word) -> Word:
    """How many of the pairs of a step are drawn where they are used: as many as fill vectors. The
    rest is drawn ahead.
    """
    return pairs & ~np.uint64(7)


@reduction
def fill_ahead(
    numbers: np.ndarray, key: Key, t: Word, first: Word, half: Word, slot: Word, stop: Word
) -> None:
    """The pairs of the counters (t + n, k) with slot <= n < stop and first <= k < half, at the
    places that ``pair_ahead`` reads.
    """
    wide()
    for k in range(half - first):
        for n in range(
            slot & ~np.uint64(7), (stop + np.uint64(7)) & ~np.uint64(7)
        ):  # whole vectors
            at = k * np.uint64(64) + n
            numbers[at], numbers[np.uint64(512) + at] = normal_pair(key, t + n, first + k)


@device
def draw_ahead(
    numbers: np.ndarray, key: Key, t: Word, first: Word, half: Word, begin: Word, end: Word
) -> None:
    """Make sure that ``pair_ahead`` has the pairs of the counters (t, k) with first <= k < half, at
    most eight of them.

    The steps from ``begin`` up to, and without, ``end`` are made one after another, so the pairs
    are drawn for up to 64 steps at once: at the first step, and at multiples of 64. ``numbers``
    holds 8 * 64 numbers of first halves, then as many of second halves.
    """
    slot = t & np.uint64(63)
    if slot == np.uint64(0) or t == begin:
        fill_ahead(numbers, key, t - slot, first, half, slot, min(slot + (end - t), np.uint64(64)))


@device
def pair_ahead(numbers: np.ndarray, t: Word, k: Word) -> tuple[float, float]:
    """The k-th of the pairs that ``draw_ahead`` has drawn for step ``t``."""
    at = k * np.uint64(64) + (t & np.uint64(63))
    return numbers[at], numbers[np.uint64(512) + at]


@device
def random_row(key: Key, t: Word, k: Word, rows: int) -> Word:
    """The k-th number of step ``t`` that is uniform on 0 .. rows - 1 (two share a counter)."""
    x, y = threefry(t, k >> np.uint64(1), key)
    return row_of_word(y if k & np.uint64(1) else x, rows)


@device
def log_uniform(key: Key, t: Word) -> float:
    """The logarithm of a uniform number of step ``t``."""
    x, _ = threefry(t, np.uint64(0), key)
    return log(uniform(x))


@device
def insert(table: np.ndarray, row: int) -> bool:
    """Put a row into the hash set; True if it was not there."""
    mask = np.uint64(table.size - 1)
    place = ((np.uint64(row) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & mask
    while table[place] != 0:
        if table[place] == row + 1:
            return False
        place = (place + np.uint64(1)) & mask
    table[place] = row + 1
    return True


@device
def draw_rows(rows: np.ndarray, table: np.ndarray, count: int, key: Key, t: Word) -> None:
    """The minibatch of step ``t``: rows 0 .. count - 1, drawn with replacement if the table is
    empty, else all distinct.

    Distinct rows are a uniformly distributed subset, by Floyd's algorithm (Bentley & Floyd 1987);
    the table is a hash set of the rows so far, plus one, with 0 for a free place; its size is a
    power of two and at least twice the number of rows.
    """
    n = rows.size
    if table.size == 0:
        pairs = np.uint64(n) >> np.uint64(1)
        half = np.uint64(n) - pairs
        for k in range(pairs):  # the two halves share counters
            x, y = threefry(t, k, key)
            rows[k], rows[half + k] = row_of_word(x, count), row_of_word(y, count)
        if pairs < half:
            rows[pairs] = row_of_word(threefry(t, pairs, key)[0], count)
    elif n == count:
        for k in range(n):
            rows[k] = k
    else:
        table[:] = 0
        for k in range(np.uint64(n)):
            last = count - n + np.int64(k)
            row = np.int64(random_row(key, t, k, last + 1))
            if not insert(table, row):
                row = last
                insert(table, row)
            rows[k] = row


AHEAD = 1024  # numbers that draw_ahead needs room for

EMBEDDED = (wide, stream_key, normal_pair, fill_normals, in_vectors, draw_ahead, pair_ahead, jitter)
MINIBATCH = (random_row, draw_rows)
MANY_CHAINS = (fill_keys, column_key)
KEYS = "keys"  # the field of the state of many chains that ``fill_keys`` fills
