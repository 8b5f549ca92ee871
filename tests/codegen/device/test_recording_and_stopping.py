"""What is recorded of chains, and how one stops while others go on: against plain Python, on lists
of columns.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from numba import njit

from codegen.device.recording import keep, keep_many
from codegen.device.stopping import copy_column, refill_column, running_chain, stop_chain
from codegen.device.sums import pairwise_many

ODD = [0.0, -0.0, 5e-324, math.inf, -math.inf, math.nan, 1.5]


@njit
def kept(draws, row, values):
    keep(draws, row, values)


@njit
def kept_of_many(draws, row, values):
    keep_many(draws, row, values)


@njit
def copied(to, c, blocks, source):
    copy_column(to, c, blocks, source)


@njit
def stopped_chain(c, block, done, stopped, invalid, blocks, last):
    stop_chain(c, block, done, stopped, invalid, blocks, last)


@njit
def running_one(stopped):
    return running_chain(stopped)


@njit
def refilled(c, block, blocks, running):
    refill_column(c, block, blocks, running)


@njit
def summed(sums, c):
    return pairwise_many(sums, c)


def bits(array):
    return np.ascontiguousarray(array).view(np.uint64)


def assert_same_bits(one, other):
    np.testing.assert_array_equal(bits(one), bits(other))


@pytest.mark.parametrize("length", [0, 1, 7])
@pytest.mark.parametrize("row", [0, 2])
def test_a_row_of_draws_is_a_copy_and_no_other_row_changes(length, row):
    values = np.array(ODD[:length])
    draws = np.full((3, length), 7.0)
    expected = draws.copy()
    expected[row] = values
    kept(draws, row, values)
    assert_same_bits(draws, expected)


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (1, 7), (7, 1), (4, 5)])
@pytest.mark.parametrize("row", [0, 2])
def test_a_row_of_draws_of_many_chains_is_a_copy(shape, row):
    values = np.resize(np.array(ODD), shape)
    draws = np.full((3, *shape), 7.0)
    expected = draws.copy()
    expected[row] = values
    kept_of_many(draws, row, values)
    assert_same_bits(draws, expected)


def test_a_block_that_is_not_kept_is_not_written():
    memory, of_many = np.zeros((6, 2)), np.zeros((6, 2, 3))  # around arrays without a row
    kept(memory[:0], 5, np.ones(2))
    kept_of_many(of_many[:0], 5, np.ones((2, 3)))
    assert not memory.any()
    assert not of_many.any()


def blocks_of(lengths, chains=4):
    rng = np.random.default_rng(3)
    return tuple(rng.normal(size=(d, chains)) for d in lengths)


def columns(blocks, c):
    """The blocks of one chain, as lists of numbers."""
    return [block[:, c].tolist() for block in blocks]


@pytest.mark.parametrize("lengths", [(1,), (3, 1), (0, 2, 5)])
def test_a_column_is_copied_in_every_block_and_no_other_column_changes(lengths):
    blocks, to = blocks_of(lengths), tuple(np.full((d, 4), -1.0) for d in lengths)
    copied(to, np.uint64(2), blocks, np.uint64(1))
    assert columns(to, 2) == columns(blocks, 1)
    for c in (0, 1, 3):
        assert columns(to, c) == [[-1.0] * d for d in lengths]


@pytest.mark.parametrize("lengths", [(1,), (3, 1), (0, 2, 5)])
@pytest.mark.parametrize("block", [-1, 0, 1])
@pytest.mark.parametrize("before", [-1.0, 0.0, 6.0])
def test_a_chain_stops_once_and_where_it_stands(lengths, block, before):
    blocks, last = blocks_of(lengths), tuple(np.full((d, 4), -3.0) for d in lengths)
    stopped, invalid = np.full((1, 4), -1.0), np.full((1, 4), -1.0)
    stopped[0, 2] = before
    untouched = [b.copy() for b in blocks]
    stopped_chain(np.uint64(2), block, 9, stopped, invalid, blocks, last)
    stops = block >= 0 and before < 0
    assert stopped.tolist() == [[-1.0, -1.0, 9.0 if stops else before, -1.0]]
    assert invalid.tolist() == [[-1.0, -1.0, block if stops else -1.0, -1.0]]
    for c in range(4):
        expected = columns(blocks, c) if stops and c == 2 else [[-3.0] * d for d in lengths]
        assert columns(last, c) == expected
    for found, original in zip(blocks, untouched, strict=True):
        assert_same_bits(found, original)


def test_a_chain_stops_at_the_first_step_too():
    stopped, invalid = np.full((1, 1), -1.0), np.full((1, 1), -1.0)
    stopped_chain(np.uint64(0), 0, 0, stopped, invalid, blocks_of((2,), 1), blocks_of((2,), 1))
    assert (stopped[0, 0], invalid[0, 0]) == (0.0, 0.0)


@pytest.mark.parametrize(
    "stopped",
    [[], [-1.0], [0.0], [3.0], [-1.0, -1.0, 4.0], [0.0, -1.0, 4.0], [4.0, 0.0], [-1.0, 0.0, -1.0]],
)
def test_the_last_chain_that_runs_is_found(stopped):
    running = [c for c, step in enumerate(stopped) if step == -1.0]
    assert running_one(np.array([stopped])) == (running[-1] if running else -1)


@pytest.mark.parametrize("block", [-1, 0, 1])
@pytest.mark.parametrize("running", [-1, 0, 3])
def test_the_column_of_an_invalid_chain_goes_on_as_that_of_one_that_runs(block, running):
    blocks = blocks_of((3, 1))
    before = [columns(blocks, c) for c in range(4)]
    refilled(np.uint64(1), block, blocks, running)
    copies = block >= 0 and running >= 0
    expected = [before[running] if copies and c == 1 else before[c] for c in range(4)]
    assert [columns(blocks, c) for c in range(4)] == expected


def slow_pairwise(eight):
    """Eight numbers, then four, then two, then one."""
    while len(eight) > 1:
        half = len(eight) // 2
        eight = [eight[l] + eight[l + half] for l in range(half)]  # noqa: E741
    return eight[0]


def test_eight_running_sums_of_a_chain_are_added_in_pairs():
    rng = np.random.default_rng(5)
    orders = set()
    for _ in range(200):
        sums = rng.normal(size=(8, 3)) * 10.0 ** rng.integers(-8, 8, (8, 3))
        for c in range(3):
            column = sums[:, c].tolist()
            assert summed(sums, np.uint64(c)) == slow_pairwise(column)
            orders.add(slow_pairwise(column) == sum(column))
    assert orders == {True, False}  # the order matters


@pytest.mark.parametrize("number", ODD)
def test_pairs_keep_signs_of_zero_and_what_is_not_finite(number):
    sums = np.full((8, 1), -0.0)
    sums[3] = number
    expected = slow_pairwise(sums[:, 0].tolist())
    assert_same_bits(np.array([summed(sums, np.uint64(0))]), np.array([expected]))
