"""Draws of labels, counter-based: a pure function of (seed, purpose, chain, step, datum).

A label is drawn with weights ``factors[k] * weights[k]``: a factor of its count, and one of its row
and of the column of the item. The labels are summed eight at a time, in eight lanes: label k is in
lane k mod 8. A lane is drawn first and then a label in it, which is a draw from all weights in
another order of the labels. No operation depends on the width of the vectors of the machine.

The one label of a whole datum has the weight ``factors[k]`` alone.

Datum s of a step has the counters ``s 2^40, s 2^40 + 1, ...`` to itself, two numbers each.
"""

from __future__ import annotations

import numpy as np

from codegen.device.intrinsics import Word, device, fma
from codegen.device.random import Key, threefry, uniform
from codegen.device.simd8 import EIGHT, eight, whole


@device
def running_weights(
    cumulative: np.ndarray, factors: np.ndarray, weights: np.ndarray, offset: Word, width: Word
) -> None:
    """The sums of the weights of all labels up to each label, in its lane.

    Args:
        cumulative: gets the sums, of ``width`` labels.
        factors: the factor of each label by its count; 0 for labels that are none.
        weights: the factors of rows, those of this column from ``offset`` on.
        offset, width: multiples of eight.
    """
    running = eight(0.0)
    for k in range(np.uint64(0), width, EIGHT):
        at = whole(k)
        running = fma(factors[at], weights[whole(offset + k)], running)
        cumulative[at] = running


@device
def running_sums(cumulative: np.ndarray, factors: np.ndarray, width: Word) -> None:
    """The sums of the factors of all labels up to each label, in its lane.

    Args:
        cumulative: gets the sums, of ``width`` labels.
        factors: the factor of each label; 0 for labels that are none.
        width: a multiple of eight.
    """
    running = eight(0.0)
    for k in range(np.uint64(0), width, EIGHT):
        at = whole(k)
        running = running + factors[at]
        cumulative[at] = running


@device
def last_label(cumulative: np.ndarray, width: Word) -> Word:
    """The last label that has a weight, where the sums of weights are known to be positive."""
    k = width
    while True:
        k -= np.uint64(1)
        before = cumulative[k - EIGHT] if k >= EIGHT else 0.0
        if cumulative[k] > before:
            return k


@device
def drawn_label(cumulative: np.ndarray, width: Word, u: float) -> Word:
    """The label that a uniform number chooses; ``width`` where the weights have no positive finite
    sum.
    """
    last = width - EIGHT
    total = 0.0
    for k in range(last, width):
        total += cumulative[k]
    if not (0.0 < total <= 1.7976931348623157e308):
        return width
    target = u * total
    # Whether a sum is below the target is counted and not branched on, which could not be foreseen.
    lane = np.uint64(0)
    below = before = 0.0
    for k in range(last, width):
        below += cumulative[k]
        passed = below <= target
        lane += np.uint64(passed)
        before = below if passed else before
    if lane >= EIGHT:
        return last_label(cumulative, width)  # rounding has left a rest
    target -= before
    label = lane
    for k in range(np.uint64(0), width, EIGHT):
        label += EIGHT if cumulative[k + lane] <= target else np.uint64(0)
    return label if label < width else last_label(cumulative, width)


@device
def two_uniforms(key: Key, t: Word, counter: Word) -> tuple[float, float]:
    """Two uniform numbers of a counter."""
    x, y = threefry(t, counter, key)
    return uniform(x), uniform(y)


LABELS = (running_weights, last_label, drawn_label, two_uniforms)  # of items
DATUM_LABELS = (running_sums, last_label, drawn_label, two_uniforms)  # of whole data
