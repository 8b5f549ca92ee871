"""Why chains disagree: each cause has its own remedy, and more steps are the remedy of one alone.

A coordinate with a large R-hat is one of five cases, tried in this order: its labels are switched,
its sign is, the chains sit in different modes, they are still on their way, or they are slow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from codegen.results.diagnostics.convergence import convergence, ess_of_mean

APART_SDS = 3.0  # between chain means, in standard deviations within chains: different modes
SETTLED_SDS = 0.7  # between the means of a chain's halves: it moves around one place
EQUAL_SDS = 0.7  # between chain means that are taken for the same place
LARGEST_R_HAT_OF_SORTED = 1.05
SEPARATE_SDS = 4.0  # between sorted coordinates, whose order is then no chance
LEAST_SHARE = 0.05  # of the draws that are in another order than the rest
DRAWS_LOOKED_AT = 2000  # of a chain, for an exchange of places within it
SETTLED_DRAWS = 20.0  # effective ones of a chain, without which its mean is no place that it has
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
    cause[found.exchanged(values)] = "labels"
    return [
        Disagreement(name, tuple(map(int, which)), found.example(int(which[0]), name, numbers))
        for name in ("labels", "sign", "modes", "moving", "slow")
        if (which := np.flatnonzero(cause == name)).size
    ]


@dataclass(frozen=True)
class _Places:
    """Where each chain is: means of its draws and of their halves, shape (chains, coordinates); the
    standard deviation within a chain, and whether chains are so far apart that none has been where
    another is, each at a place of its own, shape (coordinates,).
    """

    means: np.ndarray
    early: np.ndarray
    late: np.ndarray
    sd: np.ndarray
    apart: np.ndarray

    @staticmethod
    def of(values: np.ndarray) -> _Places:
        half = values.shape[1] // 2
        means, sd = values.mean(axis=1), np.sqrt(values.var(axis=1).mean(axis=0))
        return _Places(
            means,
            values[:, :half].mean(axis=1),
            values[:, half:].mean(axis=1),
            np.maximum(sd, np.finfo(float).tiny),
            np.array(
                [
                    far and _stays(values[:, :, k : k + 1])
                    for k, far in enumerate(np.ptp(means, axis=0) > APART_SDS * sd)
                ]
            ),
        )

    @property
    def moving(self) -> np.ndarray:
        """Whether most chains have moved from their first half to their second."""
        steps = np.abs(self.late - self.early)
        return np.median(steps, axis=0) > SETTLED_SDS * self.sd

    def agree(self, places: np.ndarray) -> np.ndarray:
        """Whether all chains have the same place, by coordinate."""
        return np.ptp(places, axis=0) < EQUAL_SDS * self.sd

    def exchanged(self, values: np.ndarray) -> np.ndarray:
        """Whether a coordinate has changed places with others: all coordinates, or two of them."""
        number = values.shape[2]
        found = np.zeros(number, dtype=bool)
        values = values[:, :: max(1, values.shape[1] // DRAWS_LOOKED_AT)]
        if not 2 <= number <= MAX_LABELS:
            return found
        for some in (tuple(range(number)), *combinations(range(number), 2)):
            if not found[list(some)].all() and self._change_places(list(some), values):
                found[list(some)] = True
        return found

    def _change_places(self, some: list[int], values: np.ndarray) -> bool:
        """Whether the chains agree on some coordinates if their order is forgotten, and not before.

        Either the places were exchanged between the chains, so that each has the same means in
        another order, or within them: then the sorted draws lie apart and have a small R-hat, and
        the order is now one, now another. Places that overlap prove no exchange: sorting makes the
        R-hat of any slow coordinates smaller.
        """
        means, sd = self.means[:, some], self.sd[some]
        order = np.argsort(means, axis=1)
        ordered = np.take_along_axis(means, order, axis=1)
        sds = np.maximum.reduce(sd[order], axis=0)
        agree = bool(np.all(np.ptp(ordered, axis=0) < EQUAL_SDS * sds))
        if agree and self.apart[some].all():
            return True
        draws = values[:, :, some]
        placed = np.sort(draws, axis=2)
        gaps = np.diff(placed.mean(axis=(0, 1)))
        wide = placed.std(axis=(0, 1))
        if np.any(gaps < SEPARATE_SDS * np.maximum(wide[1:], wide[:-1])):
            return False
        ranks = np.argsort(draws, axis=2)
        usual = np.mean((ranks == ranks[0, 0]).all(axis=2))
        if not LEAST_SHARE < usual < 1 - LEAST_SHARE:
            return False
        before, after = convergence(draws).r_hat, convergence(placed).r_hat
        return bool(before.min() > LARGEST_R_HAT_OF_SORTED > after.max())

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


def _stays(values: np.ndarray) -> bool:
    """Whether each chain has come back to its mean so often that this is a place that it has."""
    return all(ess_of_mean(chain[None])[0] >= SETTLED_DRAWS for chain in values)
