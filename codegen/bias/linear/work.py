"""How much work a prediction may be, counted in rows of data and not in seconds, so that the result
is the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass

from codegen.running.compiled import Compiled

SHARE = 0.05  # of the rows that the run has gone through
FREE_NUMBERS = 50_000_000  # numbers of the data that any prediction may read
MIN_BATCHES, MAX_BATCHES = 64, 500
BATCH_SHARE = 0.4  # of the work
BATCH_ROUNDS = 13  # evaluations of each part of the rows, in all step sizes that are tried
MAX_ROUNDS = 38  # of them, where the law has to be looked for over which noise is averaged
LINEARISATIONS = 7  # around the fixed point, for small steps, and for the repairs
MIN_ROWS, MIN_BATCHES_IN_ROWS = 200, 4
SHORT_RUNS = 4.8  # lengths of a short run that the allowed steps are
STEPS_OF_POINT = 12  # with gradients that a scheme keeps
MIN_POINTS, MAX_POINTS = 16, 128
MIN_DIRECTIONS, MAX_DIRECTIONS = 8, 40


@dataclass(frozen=True)
class Work:
    """The size of a prediction.

    Attributes:
        rows: the rows that stand for all of the data; 0 for all of them.
        batches: the number of minibatches, or of parts of rows, that show the noise of minibatches.
        once: the rows whose gradient is taken at the fixed point, for that noise.
        again: those of them whose gradient is taken elsewhere too.
    """

    rows: int
    batches: int
    once: int = 0
    again: int = 0


@dataclass(frozen=True)
class WorkOfMany:
    """The size of a prediction for many coordinates.

    Attributes:
        steps: the steps of a short run.
        points: the points at which the bend of a step is measured.
        directions: the directions of the curvature.
        rows: the rows that stand for all of the data in these directions; 0 for all of them.
    """

    steps: int
    points: int
    directions: int
    rows: int


def size_of_data(kernel: Compiled) -> tuple[int, int]:
    """Return the number of rows of the data, the smaller one of several data sets, and the numbers
    in a row of all of them; one row without data.
    """
    estimators = kernel.module.estimators.values()
    data = [kernel.data[f] for e in estimators for f in e.gradient.fields.values()]
    rows = min((a.shape[0] for a in data), default=1)
    return rows, sum(a.size // max(1, a.shape[0]) for a in data)


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
    batches = once = again = 0
    if batch:
        batches = int(min(BATCH_SHARE * allowed / batch, SHARE * run_steps) / BATCH_ROUNDS)
        batches = min(MAX_BATCHES, max(MIN_BATCHES, batches))
        share, least = BATCH_SHARE * allowed, batches * batch
        once = int(min(data_rows, max(share, least)))
        again = int(min(once, max((share - once) / MAX_ROUNDS, least)))
    left = allowed - once - BATCH_ROUNDS * again
    rows = int(left / (LINEARISATIONS * steps + more))
    rows = max(rows, MIN_ROWS, MIN_BATCHES_IN_ROWS * batch)
    return Work(0 if rows >= data_rows else rows, batches, once, again)


def work_of_many(
    *, run_steps: int, data_rows: int, batch: int, columns: int, size: int, copies: int
) -> WorkOfMany:
    """Return the size of a prediction for many coordinates that is at most ``SHARE`` of a run, or
    free: five sixths for short runs, a twelfth for the bend and a twelfth for directions.

    Args:
        run_steps, data_rows, batch, columns: as for ``work``.
        size: the coordinates of a point.
        copies: the blocks of the state for each block of the posterior.
    """
    step_rows = batch or data_rows
    allowed = max(SHARE * run_steps, FREE_NUMBERS / max(size, columns * step_rows))
    slopes = 4 * copies  # steps of a direction, at two step sizes
    rows = allowed * step_rows / 12
    directions = int(min(MAX_DIRECTIONS, max(MIN_DIRECTIONS, rows / (slopes * data_rows))))
    rows = max(int(rows / (slopes * directions)), MIN_ROWS, batch)
    return WorkOfMany(
        int(allowed / SHORT_RUNS),
        int(min(MAX_POINTS, max(MIN_POINTS, allowed / (12 * STEPS_OF_POINT)))),
        directions,
        0 if rows >= data_rows else rows,
    )
