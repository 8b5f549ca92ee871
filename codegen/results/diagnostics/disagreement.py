"""Why chains disagree: each cause has its own remedy, and more steps are the remedy of one alone.

A coordinate with a large R-hat is one of five cases, tried in this order: its labels are switched,
its sign is, the chains sit in different modes, they are still on their way, or they are slow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from codegen.results.diagnostics.convergence import convergence

APART_SDS = 3.0  # between chain means, in standard deviations within chains: different modes
SETTLED_SDS = 0.7  # between the means of a chain's halves: it moves around one place
EQUAL_SDS = 0.7  # between chain means that are taken for the same place
LARGEST_R_HAT_OF_SORTED = 1.05
MAX_LABELS = 20  # coordinates of a block whose labels may be switched: components of a mixture
MAX_CHAINS_SHOWN = 4


@dataclass(frozen=True)
class Disagreement:
    """Coordinates on which chains disagree for one reason.

    Attributes:
        cause: ``labels``, ``sign``, ``modes``, ``moving`` or ``slow``.
        coordinates: the numbers of the coordinates, in the order in which they were given.
        example: where the chains are in the first of them, in words; empty for ``slow``.
    """

    cause: str
    coordinates: tuple[int, ...]
    example: str


def disagreements(values: np.ndarray, numbers: Sequence[object]) -> list[Disagreement]:
    """Return why chains disagree on the coordinates of one block.

    Args:
        values: draws of the coordinates with a large R-hat, shape (chains, draws, coordinates).
        numbers: the names of the chains.
    """
    found = _Places.of(values)
    cause = np.where(found.moving, "moving", "slow").astype(object)
    cause[found.apart & ~found.moving] = "modes"
    mirrored = found.apart & ~found.moving & found.agree(np.abs(found.means))
    cause[mirrored] = "sign"
    if found.labels_are_switched(values):
        cause[:] = "labels"
    return [
        Disagreement(name, tuple(map(int, which)), found.example(int(which[0]), name, numbers))
        for name in ("labels", "sign", "modes", "moving", "slow")
        if (which := np.flatnonzero(cause == name)).size
    ]


@dataclass(frozen=True)
class _Places:
    """Where each chain is: means of its draws and of their halves, shape (chains, coordinates), and
    the standard deviation within a chain, shape (coordinates,).
    """

    means: np.ndarray
    early: np.ndarray
    late: np.ndarray
    sd: np.ndarray

    @staticmethod
    def of(values: np.ndarray) -> _Places:
        half = values.shape[1] // 2
        sd = np.sqrt(values.var(axis=1).mean(axis=0))
        return _Places(
            values.mean(axis=1),
            values[:, :half].mean(axis=1),
            values[:, half:].mean(axis=1),
            np.maximum(sd, np.finfo(float).tiny),
        )

    @property
    def apart(self) -> np.ndarray:
        """Whether chains are so far apart that none has been where another is."""
        return np.ptp(self.means, axis=0) > APART_SDS * self.sd

    @property
    def moving(self) -> np.ndarray:
        """Whether most chains have moved from their first half to their second."""
        steps = np.abs(self.late - self.early)
        return np.median(steps, axis=0) > SETTLED_SDS * self.sd

    def agree(self, places: np.ndarray) -> np.ndarray:
        """Whether all chains have the same place, by coordinate."""
        return np.ptp(places, axis=0) < EQUAL_SDS * self.sd

    def labels_are_switched(self, values: np.ndarray) -> bool:
        """Whether the chains agree if the order of the coordinates is forgotten.

        A switch concerns two coordinates or more. Either it happened between the chains, so that
        each chain has the same means in another order, or within them, and then the sorted draws
        have a small R-hat.
        """
        if not 2 <= values.shape[2] <= MAX_LABELS:
            return False
        order = np.argsort(self.means, axis=1)
        ordered = np.take_along_axis(self.means, order, axis=1)
        sds = np.maximum.reduce(self.sd[order], axis=0)
        if self.apart.all() and bool(np.all(np.ptp(ordered, axis=0) < EQUAL_SDS * sds)):
            return True
        r_hats = convergence(np.sort(values, axis=2)).r_hat
        return bool(np.all(r_hats < LARGEST_R_HAT_OF_SORTED))

    def example(self, k: int, cause: str, numbers: Sequence[object]) -> str:
        """Say where the chains are in coordinate k."""
        if cause == "slow":
            return ""
        if cause == "moving":
            c = int(np.argmax(np.abs(self.late - self.early)[:, k]))
            return f"chain {numbers[c]} from {self.early[c, k]:.3g} to {self.late[c, k]:.3g}"
        near = [
            f"chain {n} near {self.means[c, k]:.3g}"
            for c, n in enumerate(numbers[:MAX_CHAINS_SHOWN])
        ]
        return ", ".join(near) + (" ..." if len(numbers) > MAX_CHAINS_SHOWN else "")
