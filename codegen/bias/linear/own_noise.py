"""The law that has its own noise: minibatches widen a law, and away from the mode their noise is
larger, so that a wider law has more of it.

Where gradients are linear, a law has a noise that is affine in its covariance, and the law with a
noise is affine in that. So the law that is wanted solves a linear equation. It is looked for by
Anderson's method (Anderson 1965, "Iterative procedures for nonlinear integral equations", J. ACM
12), which needs about one round for each direction in which the noise grows.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

SINGULAR = 1e-9  # of the largest variance in any direction: such a one is 0
SLIGHT = 0.3  # of a variance: what noise that grows with the law does is slight at first
SETTLED = 0.02  # of a variance of that law
MAX_FACTOR = 0.95  # from one of its changes to the next: laws are not followed farther
KNOWN = 1e-6  # of the largest difference of two rounds: a smaller one is rounding


@dataclass(eq=False)
class OwnNoise:
    """The laws that were tried, and the law that each of them wants: the one with its noise.

    Attributes:
        places: of a point, those of the coordinates that are judged. What the noise does to others
            counts for nothing: a gradient that a scheme keeps has little noise beside its own size,
            and all of it may come from minibatches.
        laws, wanted: covariances of points, each of the shape (n, n).
    """

    places: np.ndarray
    laws: list[np.ndarray] = field(default_factory=list)
    wanted: list[np.ndarray] = field(default_factory=list)

    def settled(self, law: np.ndarray, wanted: np.ndarray) -> bool:
        """Add a law and what it wants, and return whether they are the same: within ``SLIGHT`` at
        first, within ``SETTLED`` later, and where a change does not go on for long.
        """
        self.laws.append(law)
        self.wanted.append(wanted)
        change = np.max(np.abs(np.linalg.eigvalsh(self._white(wanted - law, law))))
        if len(self.laws) == 1:
            return bool(change < SLIGHT)
        return bool(change < SETTLED * (1.0 - self._factor()) / (1.0 - MAX_FACTOR)) and (
            self._factor() < MAX_FACTOR
        )

    def following(self) -> np.ndarray:
        """Return the law to try: the mixture of those that are wanted for which the same mixture of
        changes is least.
        """
        if len(self.laws) == 1:
            return self.wanted[0]
        changes = np.column_stack(
            [self._flat(w - x) for x, w in zip(self.laws, self.wanted, strict=True)]
        )
        steps = np.diff(changes, axis=1)
        shares = np.linalg.lstsq(steps, changes[:, -1], rcond=KNOWN)[0]
        moves = np.diff(np.array(self.wanted), axis=0)
        mixed = self.wanted[-1] - np.tensordot(shares, moves, axes=1)
        return mixed if self._is_wider(mixed) else self.wanted[-1]

    def _factor(self) -> float:
        """Return by which factor the last two laws differ more than what they want."""
        law, wanted = (self._flat(f[-1] - f[-2]) for f in (self.laws, self.wanted))
        return float(np.linalg.norm(wanted)) / max(float(np.linalg.norm(law)), 1e-300)

    def _is_wider(self, law: np.ndarray) -> bool:
        """Return whether no direction has much less than the variance of the first law."""
        more = self._white(law - self.laws[0], self.laws[0])
        return bool(np.linalg.eigvalsh(more)[0] > -SLIGHT)

    def _flat(self, change: np.ndarray) -> np.ndarray:
        return self._white(change, self.laws[0]).ravel()

    def _white(self, change: np.ndarray, law: np.ndarray) -> np.ndarray:
        """Return a change of the variances of judged coordinates, relative to those of a law."""
        own, change = (a[np.ix_(self.places, self.places)] for a in (law, change))
        sd = np.sqrt(np.maximum(np.diag(own), 1e-300))
        values, vectors = np.linalg.eigh(own / np.outer(sd, sd))
        kept = values > SINGULAR * values[-1]
        white = vectors[:, kept] / np.sqrt(values[kept])
        found = white.T @ (change / np.outer(sd, sd)) @ white
        return np.asarray((found + found.T) / 2)
