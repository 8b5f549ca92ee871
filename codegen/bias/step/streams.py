"""The normal numbers that a compiled step draws, made again with numpy: they are functions of seed,
chain and step, so that what a step does with them can be read off exactly.

``codegen.device.random`` says how the numbers are made; a test compares the two.
"""

from __future__ import annotations

import re

import numpy as np

from codegen.bias.step.unpredictable import UnpredictableError
from codegen.inputs.lengths import Lengths
from codegen.lowering.statements import Loop, NoiseDraw, chi_squared_draws, scalar_pairs
from codegen.module import Module

ROTATIONS = (16, 42, 12, 31, 16, 32, 24, 21)
PARITY = np.uint64(0x1BD11BDAA9FC1A22)
LOW_BITS = np.uint64(0x000FFFFFFFFFFFFF)  # 52 bits
KEY_ROUNDS, DRAW_ROUNDS = 20, 13


def threefry(
    c0: np.ndarray, c1: np.ndarray, key: tuple[np.ndarray, np.ndarray], rounds: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the two words of Threefry2x64 of each counter (c0, c1), arrays of np.uint64."""
    keys = (key[0], key[1], PARITY ^ key[0] ^ key[1])
    x, y = c0 + keys[0], c1 + keys[1]
    for n in range(rounds):
        r = np.uint64(ROTATIONS[n % 8])
        x = x + y
        y = ((y << r) | (y >> (np.uint64(64) - r))) ^ x
        if n % 4 == 3:
            s = n // 4 + 1
            x, y = x + keys[s % 3], y + keys[(s + 1) % 3] + np.uint64(s)
    return x, y


def normal_pairs(
    seed: int, purpose: int, chain: int, steps: np.ndarray, pairs: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the first and the second halves of the normal numbers of some steps of one stream.

    Args:
        seed, purpose, chain: the stream.
        steps: the numbers of the steps, shape (n,).
        pairs: the number of pairs of a step.

    Returns:
        Two arrays of the shape (n, pairs).
    """
    words = [np.array([v], dtype=np.uint64) for v in (purpose, chain, seed, 0)]
    key = threefry(words[0], words[1], (words[2], words[3]), KEY_ROUNDS)
    t = steps.astype(np.uint64)[:, None]
    k = np.arange(pairs, dtype=np.uint64)[None, :]
    x, y = threefry(t + 0 * k, k + 0 * t, key, DRAW_ROUNDS)
    uniform = ((x & LOW_BITS).astype(float) + 0.5) / 2.0**52
    radius = np.sqrt(-2.0 * np.log(uniform)) * np.where(x >> np.uint64(63), -1.0, 1.0)
    angle = ((y & LOW_BITS) | np.uint64(1)).astype(float) / 2.0**52 - 0.5
    turned = np.pi / 2 * angle
    c, s = np.cos(turned), np.sin(turned)
    mirrored = ((y >> np.uint64(62)) & np.uint64(1)).astype(bool)
    return radius * np.where(mirrored, s, c), radius * np.where(mirrored, c, s)


def noise_lengths(module: Module, lengths: Lengths) -> list[tuple[int, int]]:
    """Return the purpose and the length of each stream of normal numbers of a step.

    Raises:
        UnpredictableError: where a step draws other numbers than normal ones, or repeats a part.
    """
    plan = module.plan
    if chi_squared_draws(plan):
        raise UnpredictableError("the sampler draws numbers that are not normal")
    if any(isinstance(s, Loop) for s in plan.statements):
        raise UnpredictableError("a step of the sampler repeats a part")
    found = []
    for noises in (plan.noises, plan.recorded.noises):
        pairs = scalar_pairs(noises)
        found += [(_purpose(module, pair[0]), len(pair)) for pair in pairs]
        found += [
            (_purpose(module, d), lengths.known(d.length) or 0)
            for d in noises
            if d.length is not None
        ]
    return found


def noise_places(module: Module, lengths: Lengths) -> list[np.ndarray]:
    """Return where the numbers of each draw of a step are among those of ``normals``, draw by draw
    in the order of the step.
    """
    found, start = [], 0
    for noises in (module.plan.noises, module.plan.recorded.noises):
        place = {}
        numbers = [d for d in noises if d.length is None]
        vectors = [d for d in noises if d.length is not None]
        for draw, length in (
            *((d, 1) for d in numbers),
            *((d, lengths.known(d.length) or 0) for d in vectors if d.length is not None),
        ):
            place[draw.key] = np.arange(start, start + length)
            start += length
        found += [place[d.key] for d in noises]
    return found


def normals(streams: list[tuple[int, int]], seed: int, chain: int, steps: np.ndarray) -> np.ndarray:
    """Return all normal numbers of some steps.

    Args:
        streams: purpose and length of each stream.
        seed, chain: the seed, and the number of the chain.
        steps: the numbers of the steps, shape (n,).

    Returns:
        An array of the shape (n, sum of the lengths), stream by stream.
    """
    columns = [np.zeros((len(steps), 0))]
    for purpose, length in streams:
        first, second = normal_pairs(seed, purpose, chain, steps, (length + 1) // 2)
        columns.append(np.hstack([first, second])[:, :length])
    return np.hstack(columns)


def _purpose(module: Module, draw: NoiseDraw) -> int:
    """Return the number of the stream of a draw, as the text of the module has it."""
    found = re.search(rf"\b{draw.key} = stream_key\(seed, (\d+), chain\)", module.source)
    assert found is not None
    return int(found[1])
