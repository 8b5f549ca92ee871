"""The noise that minibatches add to a step, from all rows of the data.

A row that outweighs all others is in few minibatches, so that some hundred minibatches say too
little. Each row is looked at instead, in a partition whose parts are cut where they stand out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from codegen.bias.linear.linearise import Linear, Setting
from codegen.bias.linear.minibatch_noise import BatchNoise, noise_of_drawn
from codegen.bias.linear.own_noise import OwnNoise
from codegen.bias.linear.work import Work
from codegen.bias.step.partition import Partition, partition
from codegen.bias.step.row_sums import RowSums, row_sums
from codegen.bias.step.unpredictable import UnpredictableError

MAX_PAIRS = 12  # of points around the fixed point that lie opposite each other
MIN_PAIRS = 2
MAX_CONTROLLED_PAIRS = 24
MIN_AGAIN = 4  # rows
LAW_ROUNDS = 6  # in which a law is looked for that has its own noise
PART_BYTES = 2**21  # of the data: a part of the rows is copied
FEW_ROWS = 40.0  # for each coordinate: with fewer, how rows act away from the mode counts for more


def noise_of_minibatches(
    setting: Setting,
    here: Linear,
    batch: int,
    most: Work,
    law_with: Callable[[np.ndarray], np.ndarray | None],
    narrow: np.ndarray,
) -> BatchNoise:
    """Return the noise of minibatches.

    Args:
        setting: the step with its size.
        here: the step near its fixed point.
        batch: the rows of a minibatch.
        most: how many rows may be looked at, and in how many parts.
        law_with: from a noise of minibatches to the covariance of the law around the fixed point
            that the step has with it, shape (n, n); None where it is too wide to say, or none.
        narrow: the covariance over which noise is averaged where there is no such law.

    Raises:
        UnpredictableError: where the noise grows with the law that it widens, and no law is found
            that has its own noise.
    """
    sums = row_sums(setting.step, setting.quiet)
    if sums is not None:
        own = _Rows(setting, here, batch, most, sums)
        found = own.noise(law_with, narrow)
        if found is not None:
            return found
    return noise_of_drawn(setting, here, batch, most, law_with, narrow)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows whose gradients are looked at.

    Attributes:
        setting, here, batch, most: as for ``noise_of_minibatches``.
        sums: the step whose data are chosen rows.
    """

    setting: Setting
    here: Linear
    batch: int
    most: Work
    sums: RowSums

    def noise(
        self, law_with: Callable[[np.ndarray], np.ndarray | None], narrow: np.ndarray
    ) -> BatchNoise | None:
        """Return the noise of minibatches; None where the result of a step is no sum over rows."""
        rows = _some_rows(self.sums.rows, self.most.once)
        first = self._parts(rows, self.sums.rows / len(rows))
        whole = partition(self._from([self.here.point]), *first)
        if whole is None:
            return None
        at_point, again = self.scale * whole.covariance(0), self._looked_at_again(whole)
        law, own = law_with(at_point), OwnNoise(self.setting.step.judged)
        law = narrow if law is None else law
        for _ in range(LAW_ROUNDS):
            points = _around(self.here, law, self._pairs)
            local = partition(self._from([self.here.point, *points]), *again)
            if local is None:
                return None
            around = self.scale * _mean([local.covariance(p) for p in range(1, len(points) + 1)])
            wanted = law_with(around)
            if wanted is None or own.settled(law, wanted):
                return self._found(len(rows), whole, local, points)
            law = own.following()
        raise UnpredictableError(
            "the noise of minibatches grows with the law that it widens, and none was found that"
            " has its own noise"
        )

    @property
    def _pairs(self) -> int:
        """The number of pairs of points around the fixed point. With control variates all noise is
        from there, and one that grows with few coordinates has to be seen along each of them.
        """
        n, rows = self.here.point.size, self.sums.rows
        if self.setting.step.kernel.module.controlled:
            return min(n, MAX_CONTROLLED_PAIRS)
        return min(n, MAX_PAIRS, max(MIN_PAIRS, int(np.ceil(FEW_ROWS * n / rows))))

    @property
    def scale(self) -> float:
        """The variance of N times the mean of a minibatch, by that of one of the N rows."""
        rows, distinct = self.sums.rows, not self.setting.step.kernel.options.replace
        left = (rows - self.batch) / max(1, rows - 1) if distinct else 1.0
        return rows**2 / self.batch * left

    def _from(
        self, points: list[np.ndarray], step_size: float | None = None
    ) -> Callable[[np.ndarray], np.ndarray]:
        size = self.setting.step_size if step_size is None else step_size
        return lambda rows: self.sums.at(rows, points, size)

    def _found(
        self, seen: int, whole: Partition, local: Partition, points: list[np.ndarray]
    ) -> BatchNoise:
        places = range(1, len(points) + 1)
        around = _mean([local.covariance(p) for p in places])
        own = _mean([local.covariance(p) for p in (1, 2)])

        def at_size(other: Setting, near: Linear) -> np.ndarray:
            moved = local.again(self._from(points[:2], other.step_size))
            with np.errstate(all="ignore"):
                more = np.sqrt(np.diag(around) / np.diag(own))
            more = np.where(np.isfinite(more), more, 1.0)  # by which two points say too little
            found = _mean([moved.covariance(p) for p in (0, 1)])
            return np.asarray(self.scale * found * np.outer(more, more))

        heavy_row, heavy_share = local.heaviest(places)
        return BatchNoise(
            self.scale * whole.covariance(0),
            self.scale * around,
            self.scale * _mean([local.covariance(p, 0) for p in places]),
            max(whole.relative_error(0), local.relative_error(1)),
            seen,
            self.sums.rows,
            heavy_row,
            heavy_share,
            at_size,
        )

    def _parts(self, rows: np.ndarray, weight: float) -> tuple[list[np.ndarray], np.ndarray]:
        """Return about equal parts of rows, each sorted as it is read, and the weights of these."""
        count = max(self.most.batches, len(rows) * self.sums.row_bytes // PART_BYTES)
        count = len(rows) if len(rows) <= 2 * count else count
        return [np.sort(p) for p in np.array_split(rows, count)], np.full(count, weight)

    def _looked_at_again(self, whole: Partition) -> tuple[list[np.ndarray], np.ndarray]:
        """Return the parts that are looked at away from the fixed point, with their weights: rows
        that were found to stand out, and some of all others.
        """
        if whole.alone.all():
            return whole.parts, whole.weights
        alone = np.flatnonzero(whole.alone)
        others = np.concatenate([p for p in whole.parts if len(p) > 1])
        np.random.default_rng(1).shuffle(others)
        some = others[: max(MIN_AGAIN, self.most.again)]
        weight = float(whole.weights[0]) * len(others) / len(some)
        parts, weights = self._parts(some, weight)
        return [whole.parts[n] for n in alone] + parts, np.append(whole.weights[alone], weights)


def _some_rows(rows: int, most: int) -> np.ndarray:
    """Return the numbers of at most so many rows, each once, in a random order."""
    random = np.random.default_rng(0)
    if most < rows // 2:  # no array of the length of the data, which may not fit into memory
        return np.asarray(random.permutation(np.unique(random.integers(rows, size=most))))
    numbers = np.arange(rows, dtype=np.uint32 if rows < 2**32 else np.int64)
    random.shuffle(numbers)
    return numbers[:most]


def _around(here: Linear, law: np.ndarray, pairs: int) -> list[np.ndarray]:
    """Return pairs of points that lie opposite each other, whose covariance is in the mean that of
    a law around the fixed point, and exactly that where there is a pair for each coordinate.
    """
    n = here.point.size
    turned = np.linalg.qr(np.random.default_rng(0).standard_normal((n, n)))[0]
    asides = np.sqrt(n) * (_smooth_root(law) @ turned[:, :pairs]).T
    return [here.point + sign * a for a in asides for sign in (1.0, -1.0)]


def _smooth_root(law: np.ndarray) -> np.ndarray:
    """Return R with ``R R^T = law``, which changes little where the law changes little."""
    sd = np.sqrt(np.maximum(np.diag(law), 1e-300))
    values, vectors = np.linalg.eigh(law / np.outer(sd, sd))
    return np.asarray(sd[:, None] * (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)


def _mean(found: list[np.ndarray]) -> np.ndarray:
    return np.asarray(np.mean(found, axis=0))
