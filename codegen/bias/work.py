"""How much work a prediction may be, counted in rows of data and not in seconds, so that the result
is the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass

SHARE = 0.05  # of the rows that the run has gone through
FREE_NUMBERS = 50_000_000  # numbers of the data that any prediction may read
MIN_BATCHES, MAX_BATCHES = 64, 500
BATCH_SHARE = 0.4  # of the work
BATCH_ROUNDS = 6  # evaluations of each minibatch, in all step sizes that are tried
LINEARISATIONS = 7  # around the fixed point, for small steps, and for the repairs
MIN_ROWS, MIN_BATCHES_IN_ROWS = 200, 4


@dataclass(frozen=True)
class Work:
    """The size of a prediction.

    Attributes:
        rows: the rows that stand for all of the data; 0 for all of them.
        batches: the number of minibatches.
    """

    rows: int
    batches: int


def work(
    *, run_steps: int, data_rows: int, batch: int, columns: int, steps: int, more: int
) -> Work:
    """Return the size of a prediction that is at most ``SHARE`` of a run, or free.

    Args:
        run_steps: the steps of all chains.
        data_rows: the rows of the data; 1 without data.
        batch: the rows of a minibatch; 0 where each step uses all of the data.
        columns: the numbers of a row.
        steps: the number of steps of one linearisation.
        more: the number of other steps with all of the data.
    """
    run_rows = run_steps * (batch or data_rows)
    allowed = max(SHARE * run_rows, FREE_NUMBERS / max(1, columns))
    batches = 0
    if batch:
        batches = int(min(BATCH_SHARE * allowed / batch, SHARE * run_steps) / BATCH_ROUNDS)
        batches = min(MAX_BATCHES, max(MIN_BATCHES, batches))
    left = allowed - BATCH_ROUNDS * batches * batch
    rows = int(left / (LINEARISATIONS * steps + more))
    rows = max(rows, MIN_ROWS, MIN_BATCHES_IN_ROWS * batch)
    return Work(0 if rows >= data_rows else rows, batches)
