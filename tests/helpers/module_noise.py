"""The normal numbers of a step, as the text of a module says which they are: two numbers share a
counter.
"""

import re

import numpy as np

from codegen.device.random import fill_normals, stream_key

U64 = np.uint64


def normals(source, noises, draw, size, seed, chain, t):
    """The values of one of the ``noises`` of a body in step ``t``."""
    if draw.length is not None:
        return _filled(source, draw.key, size, seed, chain, t)
    numbers = [d.key for d in noises if d.length is None]
    place = numbers.index(draw.key)
    return _filled(source, numbers[place - place % 2], 2, seed, chain, t)[[place % 2]]


def stream(source, name, seed, chain):
    """The key of a stream of a chain, by the name that the text of a module gives it."""
    purpose = int(re.search(rf"{name} = stream_key\(seed, (\d+), chain\)", source)[1])
    return tuple(map(U64, stream_key(U64(seed), U64(purpose), U64(chain))))


def _filled(source, name, size, seed, chain, t):
    values = np.empty(size)
    fill_normals(values, stream(source, name, seed, chain), U64(t))
    return values
