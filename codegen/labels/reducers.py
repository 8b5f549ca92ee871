"""Reducers: what is kept of the draws of a run while it goes on, in the place of the draws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from codegen.check_arguments import checked_integer
from codegen.files.counts import CountTable, count_table
from codegen.labels.arguments import checked_burn_in
from codegen.labels.sweeps import COMPLETION_PURPOSE, LabelKernel, Workers
from recipe.language.errors import RecipeError


class Reducer(Protocol):
    """Keeps something of the draws.

    Attributes:
        every: it is told of the draw after each step whose number is a multiple of this.
    """

    every: int

    def describe(self) -> str:
        """Return a text that is another one for a reducer that keeps something else."""
        ...

    def update(self, step: int, theta: np.ndarray, kernel: LabelKernel, workers: Workers) -> None:
        """Take note of a draw.

        Args:
            step: how many steps are done.
            theta: the rows of parameters, of the shape (labels, columns); not to be changed.
            kernel: the compiled draws of labels.
            workers: the threads.
        """
        ...

    def state(self) -> Mapping[str, np.ndarray]:
        """Return what it has kept as arrays, for a checkpoint."""
        ...

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Take up what was kept before.

        Args:
            arrays: what ``state`` returned.
        """
        ...


class Kept:
    """Keeps whole draws of the rows of parameters.

    Args:
        every: keep the draw after each multiple of this many steps.

    Attributes:
        steps: after how many steps each draw is.
        draws: of the shape (draws, labels, columns).
        weights: the numbers that labels have beside their rows, of the shape (draws, labels); of
            the shape (draws, 0) where they have none.
    """

    def __init__(self, every: int) -> None:
        self.every = checked_integer("every", every, 1)
        self._steps: list[int] = []
        self._draws: list[np.ndarray] = []
        self._weights: list[np.ndarray] = []

    @property
    def steps(self) -> np.ndarray:
        """After how many steps each draw is."""
        return np.array(self._steps, dtype=np.int64)

    @property
    def draws(self) -> np.ndarray:
        """The draws, of the shape (draws, labels, columns)."""
        return np.array(self._draws)

    @property
    def weights(self) -> np.ndarray:
        """The numbers of labels, of the shape (draws, labels)."""
        return np.array(self._weights)

    def describe(self) -> str:
        """Return a text that is another one for another distance."""
        return f"Kept rows and weights every {self.every}"

    def update(self, step: int, theta: np.ndarray, kernel: LabelKernel, workers: Workers) -> None:
        """Keep a draw.

        Args:
            step: how many steps are done.
            theta: the rows of parameters, of the shape (labels, columns).
            kernel: the compiled draws of labels.
            workers: the threads.
        """
        self._steps.append(step)
        self._draws.append(theta.copy())
        self._weights.append(np.zeros(0) if kernel.own is None else kernel.own.copy())

    def state(self) -> Mapping[str, np.ndarray]:
        """Return the draws as arrays."""
        return {"steps": self.steps, "draws": self.draws, "weights": self.weights}

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Take up draws that were kept before.

        Args:
            arrays: what ``state`` returned.
        """
        self._steps = [int(s) for s in arrays["steps"]]
        self._draws = list(arrays["draws"])
        self._weights = list(arrays["weights"])


def item_probabilities(
    table: CountTable,
    theta: np.ndarray,
    shares: np.ndarray,
    kernel: LabelKernel,
    workers: Workers,
) -> np.ndarray:
    """Return the probability of an item of each entry of a table.

    Args:
        table: the counts.
        theta: the rows of parameters, of the shape (labels, columns).
        shares: the mean factors of the counts of each of these data, as ``Counted`` has them.
        kernel: the compiled draws of labels.
        workers: the threads.
    """
    shares = shares / (shares @ kernel.row_norms(theta, workers))[:, None]
    present, place = np.unique(table.columns, return_inverse=True)
    factors = kernel.item_weights(theta, present, workers)
    datum = np.repeat(np.arange(len(table)), np.diff(table.starts))
    return np.einsum("ek,ek->e", shares[datum], factors[place])  # type: ignore[no-any-return]


class Completion:
    """Document completion: how well the held-out items of data are predicted, from the labels of
    their other items.

    At each update the labels of the items in ``given`` are drawn with the present rows. The
    probability of a held-out item is the mean of ``p(item | labels, theta)`` over these sweeps, and
    over all updates so far. Perplexity is ``exp`` of minus the mean of its logarithm.

    Args:
        given: the counts from which labels are drawn; one datum for each of ``held_out``.
        held_out: the counts that are predicted, of the same data.
        every: update after each multiple of this many steps.
        sweeps: how many sweeps over the labels of each datum.
        burn_in: how many of them are not counted; by default half.
        after: no update before this many steps.

    Attributes:
        steps: after how many steps each update was.
        perplexity: that of the mean over all updates so far, by update.
        single: that of the draw of each update alone.

    Raises:
        RecipeError: where the two tables do not fit.

    Source:
        Patterson & Teh (2013), equations 12 to 15.
    """

    def __init__(
        self,
        given: Any,
        held_out: Any,
        *,
        every: int,
        sweeps: int = 50,
        burn_in: int | None = None,
        after: int = 0,
    ) -> None:
        self.given: CountTable = count_table(given)
        self.held_out: CountTable = count_table(held_out)
        if len(self.given) != len(self.held_out) or self.given.width != self.held_out.width:
            raise RecipeError(
                f"given= is a {self.given!r} and held_out= a {self.held_out!r}; they must be parts"
                " of the same data"
            )
        self.every = checked_integer("every", every, 1)
        self.sweeps = checked_integer("sweeps", sweeps, 1)
        self.burn_in = checked_burn_in(burn_in, self.sweeps)
        self.after = checked_integer("after", after, 0)
        self._mean = np.zeros(self.held_out.columns.size)
        self._steps: list[int] = []
        self._perplexity: list[tuple[float, float]] = []

    @property
    def steps(self) -> np.ndarray:
        """After how many steps each update was."""
        return np.array(self._steps, dtype=np.int64)

    @property
    def perplexity(self) -> np.ndarray:
        """The perplexity of the mean over all updates so far, by update."""
        return np.array([both[0] for both in self._perplexity])

    @property
    def single(self) -> np.ndarray:
        """The perplexity of the draw of each update alone."""
        return np.array([both[1] for both in self._perplexity])

    def describe(self) -> str:
        """Return a text that is another one for other data, or other sweeps."""
        own = self.given.digest, self.held_out.digest, self.every, self.sweeps, self.burn_in
        return f"Completion {' '.join(map(str, own))} {self.after}"

    def update(self, step: int, theta: np.ndarray, kernel: LabelKernel, workers: Workers) -> None:
        """Predict the held-out items with the present rows.

        Args:
            step: how many steps are done.
            theta: the rows of parameters, of the shape (labels, columns).
            kernel: the compiled draws of labels.
            workers: the threads.
        """
        if step < self.after:
            return
        given = self.given.rows(np.arange(len(self.given)))
        counted = kernel.count(
            theta,
            given,
            step,
            self.sweeps,
            self.burn_in,
            workers,
            purpose=COMPLETION_PURPOSE,
            with_shares=True,
        )
        now = item_probabilities(self.held_out, theta, counted.shares, kernel, workers)
        n = len(self._steps)
        self._mean = (self._mean * n + now) / (n + 1)
        self._steps.append(step)
        self._perplexity.append((self._perplexity_of(self._mean), self._perplexity_of(now)))

    def _perplexity_of(self, probability: np.ndarray) -> float:
        counts = self.held_out.counts
        return float(np.exp(-(counts @ np.log(probability)) / counts.sum(dtype=np.int64)))

    def scores(self) -> Mapping[str, np.ndarray]:
        """Return numbers of the draws that do not depend on the order of labels: the logarithm of
        the perplexity of each.
        """
        return {"log_perplexity": np.log(self.single)}

    def state(self) -> Mapping[str, np.ndarray]:
        """Return the means and the perplexities so far."""
        both = np.array(self._perplexity).reshape(-1, 2)
        return {"mean": self._mean, "steps": self.steps, "perplexity": both}

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Take up the means and the perplexities of before.

        Args:
            arrays: what ``state`` returned.
        """
        self._mean = arrays["mean"]
        self._steps = [int(s) for s in arrays["steps"]]
        self._perplexity = [(float(a), float(b)) for a, b in arrays["perplexity"]]
