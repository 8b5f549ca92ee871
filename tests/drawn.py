"""The normal numbers of a step, as the text of a module says which they are: two numbers share a counter."""

import re

import numpy as np

from codegen.random import fill_normals, lane_of

U64 = np.uint64


def normals(source, noises, draw, size, seed, chain, t):
    """The values of one of the ``noises`` of a body in step ``t``."""
    if draw.length is not None:
        return _filled(source, draw.lane, size, seed, chain, t)
    numbers = [d.lane for d in noises if d.length is None]
    place = numbers.index(draw.lane)
    return _filled(source, numbers[place - place % 2], 2, seed, chain, t)[[place % 2]]


def _filled(source, lane, size, seed, chain, t):
    purpose = int(re.search(rf"{lane} = lane_of\((\d+), chain\)", source)[1])
    values = np.empty(size)
    fill_normals(values, U64(seed), U64(lane_of(purpose, chain)), U64(t))
    return values
