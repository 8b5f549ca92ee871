"""A partition of rows of the data into parts, with the sum of the gradients of each part.

For a random partition into C parts the spread of these sums gives the covariance of the rows
without bias, within a relative error of sqrt(2/C) however many rows a part has. Parts that stand
out are cut in two until the rows that make them so are alone, and known exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

STANDS_OUT = 25.0  # times the square that is usual for so many rows: five standard deviations
USUAL = 0.75  # of the parts, whose squares are called usual
MEAN_OF_USUAL = 0.3687  # of a squared normal number, over the lowest 75 percent of them
MIN_CUTS = 256
CONSTANTS = 4  # pairs of parts that say what the constant is
SAME_CONSTANT = 0.1  # of what a part adds: estimates of the constant that differ by less

# from the numbers of some rows to results of steps with them, shape (points, m)
Results = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class Partition:
    """Parts of rows, and what each adds to results of steps from some points.

    Attributes:
        parts: the numbers of the rows of each part.
        sums: what each part adds, shape (parts, points, m).
        constant: the result without rows, shape (points, m).
        weights: how many rows a row of each part stands for, shape (parts,).
    """

    parts: list[np.ndarray]
    sums: np.ndarray
    constant: np.ndarray
    weights: np.ndarray

    @cached_property
    def sizes(self) -> np.ndarray:
        """The number of rows of each part, shape (parts,)."""
        return np.array([len(part) for part in self.parts])

    @property
    def alone(self) -> np.ndarray:
        """Which parts are one row, shape (parts,)."""
        return self.sizes == 1

    def again(self, results: Results) -> Partition:
        """Return the same parts for other results, such as those from other points."""
        found = np.array([results(part) for part in self.parts])
        constant = _constant(results, self.parts, found, 0)
        return replace(self, sums=found - constant, constant=constant)

    def covariance(self, point: int, less: int | None = None) -> np.ndarray:
        """Return the covariance of what one row adds, over all rows, shape (m, m).

        Args:
            point: the number of the point.
            less: the number of a point at which what the same row adds is taken off; None for none.
        """
        one, deviations, factor = self._deviations(self._added(point, less))
        found = (one * self.weights[self.alone][:, None]).T @ one
        if len(deviations):
            weights = self.weights[~self.alone][:, None]
            found = (
                found
                + factor * (deviations * weights).T @ deviations
                + self._of_means(self._added(point, less))
            )
        return np.asarray(found / self._total)

    def relative_error(self, point: int) -> float:
        """Return the standard error of the largest variance that is least known, relative to it.

        Args:
            point: the number of the point.
        """
        one, deviations, factor = self._deviations(self._added(point, None))
        # of a row that stands for itself alone nothing is unknown; E x^4 = 3 (E x^2)^2
        doubt = np.where(self.weights[self.alone] > 1.0, self.weights[self.alone], 0.0)
        squares = np.sum((doubt[:, None] * one**2) ** 2, axis=0)
        if len(deviations):
            many = self.weights[~self.alone][:, None]
            squares = squares + np.sum((many * factor * deviations**2) ** 2, axis=0) * 2 / 3
        variances = self._squares(point)
        known = variances > 0
        return float(np.sqrt(np.max(squares[known] / variances[known] ** 2, initial=0.0)))

    def heaviest(self, points: Sequence[int]) -> tuple[int, float]:
        """Return the row that has the largest share of a variance, among those that are alone, and
        this share, over some points; row -1 where none is.
        """
        if not self.alone.any():
            return -1, 0.0
        ones = sum(self._deviations(self._added(p, None))[0] ** 2 for p in points)
        variances = sum(self._squares(p) for p in points)
        with np.errstate(all="ignore"):
            shares = np.max(np.where(variances > 0, ones / variances, 0.0), axis=1)
        best = int(np.argmax(shares))
        part = self.parts[int(np.flatnonzero(self.alone)[best])]
        return int(part[0]), float(shares[best])

    def _squares(self, point: int) -> np.ndarray:
        """Return the squares of what each row adds, summed over all rows, shape (m,)."""
        added = self._added(point, None)
        one, deviations, factor = self._deviations(added)
        found = self.weights[self.alone] @ one**2
        if len(deviations):
            found = found + factor * self.weights[~self.alone] @ deviations**2
            found = found + np.diag(self._of_means(added))
        return np.asarray(found)

    @property
    def _total(self) -> float:
        return float(np.sum(self.weights * self.sizes))

    def _added(self, point: int, less: int | None) -> np.ndarray:
        added = self.sums[:, point]
        return added if less is None else added - self.sums[:, less]

    def _mean(self, added: np.ndarray) -> np.ndarray:
        return np.asarray(self.weights @ added / self._total)

    def _deviations(self, added: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Return how far rows that are alone are from the mean of all rows, how far other parts are
        from their own mean, and the factor of the squares of these: a part of s out of R rows has
        the variance s (R - s)/(R - 1) of a row.
        """
        one, many, sizes = added[self.alone], added[~self.alone], self.sizes[~self.alone]
        R = int(sizes.sum())
        factor = R * (R - 1) / max(1, int(np.sum(sizes * (R - sizes))))
        own = many.sum(axis=0) / max(1, R)
        return one - self._mean(added), many - sizes[:, None] * own, factor

    def _of_means(self, added: np.ndarray) -> np.ndarray:
        """Return what the mean of the rows that are not alone adds to the sum of squares."""
        many, sizes = added[~self.alone], self.sizes[~self.alone]
        away = many.sum(axis=0) / sizes.sum() - self._mean(added)
        return float(np.sum(self.weights[~self.alone] * sizes)) * np.outer(away, away)


def partition(results: Results, parts: list[np.ndarray], weights: np.ndarray) -> Partition | None:
    """Return the sums of these parts, cut where one stands out; None where the result of a step is
    no constant and a sum over rows, or where there are fewer than four parts.

    Args:
        results: results of steps with some rows.
        parts: the numbers of the rows of each part.
        weights: how many rows a row of each part stands for, shape (parts,).
    """
    if len(parts) < 4:
        return None
    found = np.array([results(part) for part in parts])
    wholes = range(0, min(len(parts) - 1, 2 * CONSTANTS), 2)
    constants = np.array([_constant(results, parts, found, n) for n in wholes])
    constant = constants.mean(axis=0)
    sums = found - constant
    usual = np.sqrt(np.mean((sums - sums.mean(axis=0)) ** 2, axis=0))
    rounding = 1e-13 * (1.0 + np.abs(constant))
    if np.any(np.ptp(constants, axis=0) > SAME_CONSTANT * usual + rounding):
        return None
    return _cut(results, Partition(parts, sums, constant, weights))


def _constant(results: Results, parts: list[np.ndarray], found: np.ndarray, n: int) -> np.ndarray:
    """Return the result without rows, shape (points, m), from a part and its halves, or from two
    parts of one row: two parts have it twice, and both together have it once.
    """
    if len(parts[n]) > 1:
        one, other = np.array_split(parts[n], 2)
        return np.asarray(results(one) + results(other) - found[n])
    both = np.concatenate([parts[n], parts[n + 1]])
    return np.asarray(found[n] + found[n + 1] - results(both))


def _cut(results: Results, whole: Partition) -> Partition:
    """Return a partition with the parts cut in two that stand out, again and again."""
    usual = _usual_squares(whole)
    left = max(MIN_CUTS, len(whole.parts))
    while left > 0:
        chosen = _standing_out(whole, usual)[:left]
        if not len(chosen):
            break
        left -= len(chosen)
        halves = [np.array_split(whole.parts[n], 2) for n in chosen]
        first = np.array([results(one) for one, _ in halves]) - whole.constant
        kept = np.delete(np.arange(len(whole.parts)), chosen)
        parts = [whole.parts[n] for n in kept]
        parts += [one for one, _ in halves] + [other for _, other in halves]
        sums = [whole.sums[kept], first, whole.sums[chosen] - first]
        weights = [whole.weights[kept], whole.weights[chosen], whole.weights[chosen]]
        whole = replace(
            whole, parts=parts, sums=np.concatenate(sums), weights=np.concatenate(weights)
        )
    return whole


def _squares(whole: Partition) -> np.ndarray:
    """Return the squares of what each part adds by the rows that it has, (parts, points, m)."""
    mean = whole.sums.sum(axis=0) / whole.sizes.sum()
    sizes = whole.sizes[:, None, None]
    return np.asarray((whole.sums - sizes * mean) ** 2 / sizes)


def _usual_squares(whole: Partition) -> np.ndarray:
    """Return the squares that most parts have, shape (points, m)."""
    squares = np.sort(_squares(whole), axis=0)
    most = squares[: max(1, int(USUAL * len(squares)))].mean(axis=0) / MEAN_OF_USUAL
    return np.where(most > 0, most, squares.mean(axis=0))


def _standing_out(whole: Partition, usual: np.ndarray) -> np.ndarray:
    """Return the numbers of the parts that stand out and can be cut, the farthest first."""
    with np.errstate(all="ignore"):
        far = np.where(usual > 0, _squares(whole) / usual, 0.0).max(axis=(1, 2))
    far = np.where(whole.alone, 0.0, far)
    order = np.argsort(-far)
    return order[far[order] > STANDS_OUT]
