"""``Fit``: numbers of a draw that do not depend on the order of labels, for diagnosis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from codegen.check_arguments import checked_integer
from codegen.files.counts import CountTable, count_table
from codegen.labels.arguments import checked_burn_in
from codegen.labels.reducers import item_probabilities
from codegen.labels.sweeps import FIT_PURPOSE, LabelKernel, Workers


class Fit:
    """How well draws fit some data, and how the labels share them.

    At each update the labels of these data are drawn with the present rows, from uniform ones.
    Both numbers are the same whatever the order of labels, so that chains can be compared by them.

    Args:
        data: counts.
        every: update after each multiple of this many steps.
        sweeps: how many sweeps over the labels of each datum.
        burn_in: how many of them are not counted; by default half.
        after: no update before this many steps.

    Attributes:
        steps: after how many steps each update was.
        log_likelihood: the sum over items of ``log p(item | labels of its datum, theta)``, where
            the law of an item is averaged over the counted sweeps, by update.
        concentration: the sum over labels of the squared share of all items that they have, between
            1/K and 1, by update.

    Raises:
        RecipeError: for data that are no counts, and for numbers out of range.
    """

    def __init__(
        self,
        data: Any,
        *,
        every: int,
        sweeps: int = 20,
        burn_in: int | None = None,
        after: int = 0,
    ) -> None:
        self.data: CountTable = count_table(data)
        self.every = checked_integer("every", every, 1)
        self.sweeps = checked_integer("sweeps", sweeps, 1)
        self.burn_in = checked_burn_in(burn_in, self.sweeps)
        self.after = checked_integer("after", after, 0)
        self._found: list[tuple[float, float, float]] = []

    @property
    def steps(self) -> np.ndarray:
        """After how many steps each update was."""
        return np.array([int(f[0]) for f in self._found], dtype=np.int64)

    @property
    def log_likelihood(self) -> np.ndarray:
        """The log likelihood of each draw."""
        return np.array([f[1] for f in self._found])

    @property
    def concentration(self) -> np.ndarray:
        """The sum of the squared shares of the labels, of each draw."""
        return np.array([f[2] for f in self._found])

    def scores(self) -> Mapping[str, np.ndarray]:
        """Return both numbers of each draw."""
        return {"log_likelihood": self.log_likelihood, "concentration": self.concentration}

    def describe(self) -> str:
        """Return a text that is another one for other data, or other sweeps."""
        own = self.data.digest, self.every, self.sweeps, self.burn_in, self.after
        return f"Fit {' '.join(map(str, own))}"

    def update(self, step: int, theta: np.ndarray, kernel: LabelKernel, workers: Workers) -> None:
        """Take the numbers of a draw.

        Args:
            step: how many steps are done.
            theta: the rows of parameters, of the shape (labels, columns).
            kernel: the compiled draws of labels.
            workers: the threads.
        """
        if step < self.after:
            return
        rows = self.data.rows(np.arange(len(self.data)))
        settings = step, self.sweeps, self.burn_in, workers
        counted = kernel.count(theta, rows, *settings, purpose=FIT_PURPOSE, with_shares=True)
        found = item_probabilities(self.data, theta, counted.shares, kernel, workers)
        sizes = counted.table.sum(axis=0) / counted.table.sum()
        self._found.append(
            (float(step), float(self.data.counts @ np.log(found)), float(sizes @ sizes))
        )

    def state(self) -> Mapping[str, np.ndarray]:
        """Return the numbers so far."""
        return {"found": np.array(self._found).reshape(-1, 3)}

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Take up the numbers of before.

        Args:
            arrays: what ``state`` returned.
        """
        self._found = [(float(a), float(b), float(c)) for a, b, c in arrays["found"]]
