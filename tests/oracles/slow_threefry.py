"""Threefry2x64 as its paper writes it, on Python integers."""

from __future__ import annotations

MASK = 2**64 - 1


def slow_threefry(counter, key, rounds=13):
    """Threefry2x64 as the paper writes it, on Python integers."""
    rotations = (16, 42, 12, 31, 16, 32, 24, 21)
    keys = (*key, 0x1BD11BDAA9FC1A22 ^ key[0] ^ key[1])
    x, y = (counter[0] + keys[0]) & MASK, (counter[1] + keys[1]) & MASK
    for n in range(rounds):
        x = (x + y) & MASK
        r = rotations[n % 8]
        y = ((y << r | y >> (64 - r)) & MASK) ^ x
        if n % 4 == 3:
            s = n // 4 + 1
            x, y = (x + keys[s % 3]) & MASK, (y + keys[(s + 1) % 3] + s) & MASK
    return x, y


def slow_key(seed, purpose, chain):
    """The key of a stream."""
    return slow_threefry((purpose, chain), (seed, 0), rounds=20)
