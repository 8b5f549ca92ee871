"""Gibbs sweeps over the labels of some data, in threads; their counts do not depend on how many."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recipe.language.errors import RecipeError

LANES = 8  # labels are summed eight at a time
# Uses of random numbers; the sampler of the rows has those from 0 on.
LABELS_PURPOSE, MINIBATCH_PURPOSE, START_PURPOSE, COMPLETION_PURPOSE, FIT_PURPOSE = (
    np.uint64(2**40 + k) for k in range(5)
)


@dataclass(frozen=True, eq=False)
class Counted:
    """What sweeps over some data have counted.

    Attributes:
        columns: the columns that occur in the data, in ascending order.
        table: of the shape (columns, labels): the mean number of items by column and label.
        shares: of the shape (data, labels): the mean factor of the count of each datum; where a
            datum has one label, in which share of its draws it had each.
    """

    columns: np.ndarray
    table: np.ndarray
    shares: np.ndarray

    @property
    def members(self) -> np.ndarray:
        """How many data have each label, where a datum has one; a mean over draws."""
        found: np.ndarray = self.shares.sum(axis=0)
        return found


class Workers:
    """Threads that share work in equal parts.

    Args:
        threads: how many.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def each(self, work: Callable[[int], Any], items: Iterable[int]) -> list[Any]:
        """Return what ``work`` returns for each item, in their order."""
        return list(map(work, items) if self._pool is None else self._pool.map(work, items))


@dataclass(frozen=True, eq=False)
class LabelKernel:
    """The compiled draws of labels.

    Attributes:
        loaded: the imported module of labels.
        params: its parameters.
        labels: K.
        seed, chain: of the random numbers.
        of_data: whether a datum has one label, so that its draws are independent of each other.
        own: the number of each label beside its row; None where labels have none.
    """

    loaded: Any
    params: Any
    labels: int
    seed: int
    chain: int
    of_data: bool = False
    own: np.ndarray | None = None

    def given(self, own: np.ndarray | None) -> LabelKernel:
        """Return the draws of labels that have these numbers beside their rows.

        Args:
            own: one number a label; None where labels have none.
        """
        return self if own is None else replace(self, own=own)

    @property
    def width(self) -> int:
        """K, rounded up to a multiple of eight."""
        return -(-self.labels // LANES) * LANES

    def count(
        self,
        theta: np.ndarray,
        data: tuple[np.ndarray, np.ndarray, np.ndarray],
        step: int,
        sweeps: int,
        burn_in: int,
        workers: Workers,
        *,
        purpose: Any = LABELS_PURPOSE,
        with_shares: bool = False,
    ) -> Counted:
        """Draw the labels of some data, from uniform ones, and count them.

        Args:
            theta: the rows of parameters, of the shape (labels, width of the data).
            data: ``starts``, ``columns`` and ``counts`` of the data.
            step: the number of the step, for the random numbers.
            sweeps, burn_in: how many sweeps, and how many of these are not counted; where a datum
                has one label, these are not made.
            workers: the threads.
            purpose: the use of the random numbers.
            with_shares: whether ``shares`` is wanted.

        Raises:
            RecipeError: where the weights of all labels of an item vanish or overflow.
        """
        if self.of_data:
            sweeps, burn_in = sweeps - burn_in, 0
        starts, columns, counts = data
        present, place = np.unique(columns, return_inverse=True)
        weights = self.row_weights(theta, present, workers)
        size = (len(starts) - 1) * self.width if with_shares else 0
        shares, place = np.zeros(size), place.astype(np.int32)
        parts = _parts(starts, counts, workers.threads)

        def work(part: int) -> np.ndarray:
            table = np.zeros(present.size * self.width, dtype=np.int64)
            first, last = parts[part], parts[part + 1]
            bad = self.loaded.draw_labels(
                *(starts, place, counts, first, last, self.labels, np.uint64(self.width)),
                *(weights, self.params, np.uint64(self.seed), purpose, np.uint64(self.chain)),
                *(np.uint64(step), sweeps, burn_in, table, shares, *self._room(data, first, last)),
                *(() if self.own is None else (self.own,)),
            )
            if bad >= 0:
                raise RecipeError(
                    f"in step {step} the weights of all labels of an item vanish or are not finite"
                    f" (datum {bad} of the minibatch); take smaller steps"
                )
            return table

        table = sum(workers.each(work, range(len(parts) - 1)))
        kept = sweeps - burn_in
        mean = table.reshape(-1, self.width)[:, : self.labels] / kept  # type: ignore[union-attr]
        return Counted(present, mean, shares.reshape(-1, self.width)[:, : self.labels] / kept)

    def item_weights(self, theta: np.ndarray, columns: np.ndarray, workers: Workers) -> np.ndarray:
        """Return the weight that an item of some columns gives a label, of the shape (columns,
        labels).
        """
        found = self.row_weights(theta, columns, workers).reshape(-1, self.width)[:, : self.labels]
        return np.exp(found) if self.of_data else found

    def row_weights(self, theta: np.ndarray, columns: np.ndarray, workers: Workers) -> np.ndarray:
        """Return the factors of rows in some columns, flat, ``width`` numbers a column; their
        logarithms where a datum has one label.
        """
        if columns.size and not 0 <= columns.min() <= columns.max() < theta.shape[1]:
            raise RecipeError(
                f"data have an item in column {columns.max()}, and rows have {theta.shape[1]}"
                " columns, numbered from 0"
            )
        weights = np.zeros(columns.size * self.width)
        width = np.uint64(self.width)

        def work(k: int) -> None:
            self.loaded.row_weights(theta[k], columns, weights, np.uint64(k), width, self.params)

        workers.each(work, range(self.labels))
        return weights

    def row_norms(self, theta: np.ndarray, workers: Workers) -> np.ndarray:
        """Return the sum of the factors of each row over all columns, no logarithms of them."""
        found = workers.each(
            lambda k: self.loaded.row_norm(theta[k], self.params), range(self.labels)
        )
        return np.array(found)

    def _room(
        self, data: tuple[np.ndarray, np.ndarray, np.ndarray], first: int, last: int
    ) -> tuple[np.ndarray, ...]:
        """Scratch for the longest of some data."""
        starts, _, counts = data
        longest = max(
            (int(counts[starts[s] : starts[s + 1]].sum()) for s in range(first, last)), default=0
        )
        return (
            np.zeros(longest, dtype=np.uint64),
            np.zeros(longest, dtype=np.uint64),
            np.zeros(self.width),
            np.zeros(self.width),
            np.zeros(self.width),
        )


def _parts(starts: np.ndarray, counts: np.ndarray, threads: int) -> np.ndarray:
    """Where to cut the data so that each thread has about as many items."""
    before = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])[starts]
    wanted = np.arange(threads + 1) * (before[-1] / threads)
    parts = np.searchsorted(before, wanted)
    parts[0], parts[-1] = 0, len(starts) - 1
    return np.unique(parts)
