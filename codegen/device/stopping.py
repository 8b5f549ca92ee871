"""How a chain stops while others go on: its step, its invalid block and its state are kept apart,
and its column goes on as a copy of a chain that runs.

A chain is a column of every block. ``stopped`` and ``invalid`` have one row, with the step that
stopped each chain and its invalid block, both -1 while it runs.
"""

from __future__ import annotations

import numpy as np

from codegen.device.intrinsics import Word, device

Blocks = tuple[np.ndarray, ...]


@device
def copy_column(to: Blocks, c: Word, blocks: Blocks, source: Word) -> None:
    """Copy the column ``source`` of every block to the column ``c`` of the array in its place."""
    for n in range(len(blocks)):
        for i in range(np.uint64(blocks[n].shape[0])):
            to[n][i, c] = blocks[n][i, source]


@device
def stop_chain(
    c: Word,
    block: int,
    done: int,
    stopped: np.ndarray,
    invalid: np.ndarray,
    blocks: Blocks,
    last: Blocks,
) -> None:
    """Stop chain ``c`` after the step ``done`` and keep its blocks in ``last``, if it has an
    invalid ``block`` (-1: none) and has not stopped before.
    """
    if block >= 0 and stopped[0, c] < 0.0:
        stopped[0, c] = done
        invalid[0, c] = block
        copy_column(last, c, blocks, c)


@device
def running_chain(stopped: np.ndarray) -> int:
    """The last chain that has not stopped, or -1."""
    running = -1
    for c in range(stopped.shape[1]):
        if stopped[0, c] < 0.0:
            running = c
    return running


@device
def refill_column(c: Word, block: int, blocks: Blocks, running: int) -> None:
    """Give chain ``c`` the values of the ``running`` chain (-1: none), if it has an invalid
    ``block`` (-1: none).
    """
    if block >= 0 and running >= 0:
        copy_column(blocks, c, blocks, running)


STOPPING = (stop_chain, running_chain, refill_column)
