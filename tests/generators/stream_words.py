"""Words of many streams, interleaved over chains and coordinates, for a battery of tests that reads
standard input.

``python tests/generators/stream_words.py 1 | RNG_test stdin64 -tlmax 32GB -multithreaded`` is what
``test_stream_independence.py`` runs where PractRand is installed; 1 is the seed.
"""

from __future__ import annotations

import sys

import numpy as np
from numba import njit

from codegen.device.random import stream_key, threefry

CHAINS, COORDINATES = 16, 64  # pairs of words of a step: these many of each chain
STEPS = 1024  # in a block that is written at once
u64 = np.uint64


@njit(error_model="numpy")
def fill(words, keys, first):
    """The words of some steps: a chain after the other at each pair, a pair after the other in each
    step.
    """
    at = 0
    for t in range(STEPS):
        for k in range(COORDINATES):
            for c in range(CHAINS):
                words[at], words[at + 1] = threefry(
                    first + u64(t), u64(k), (keys[c, 0], keys[c, 1])
                )
                at += 2


def stream_of(seed, key=stream_key):
    """Blocks of words, without end."""
    keys = np.array([key(u64(seed), u64(0), u64(c)) for c in range(CHAINS)], dtype=np.uint64)
    words = np.empty(2 * STEPS * COORDINATES * CHAINS, dtype=np.uint64)
    step = 0
    while True:
        fill(words, keys, u64(step))
        yield words
        step += STEPS


if __name__ == "__main__":
    try:
        for block in stream_of(int(sys.argv[1])):
            sys.stdout.buffer.write(block.data)
    except BrokenPipeError:  # the battery has had enough
        sys.stderr.close()
