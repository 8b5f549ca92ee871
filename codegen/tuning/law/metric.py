"""Roots of a covariance, as a pilot run needs them: a matrix up to ``MAX_DENSE`` coordinates, and
the standard deviations alone where there are more, in which no matrix is made.
"""

from __future__ import annotations

import numpy as np

from codegen.tuning.law.target import Target

MAX_DENSE = 120  # coordinates
MAX_SINGLE = 300  # coordinates, whose curvatures are looked at one by one
PROBES = 24  # of random signs, that show the curvatures of more
PRIOR_DRAWS = 5.0  # that the metric before counts as, beside those of a window


def applied(root: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return a root, a matrix or its diagonal, times a vector."""
    return np.asarray(root * v if root.ndim == 1 else root @ v)


def applied_transposed(root: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return the transpose of a root times a vector."""
    return np.asarray(root * v if root.ndim == 1 else root.T @ v)


def log_width(root: np.ndarray) -> float:
    """Return the logarithm of the determinant of a root."""
    return float(np.sum(np.log(root)) if root.ndim == 1 else np.linalg.slogdet(root)[1])


def root_of_draws(seen: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Return a root of the covariance within chains, with the one before as a prior.

    Args:
        seen: draws, shape (rounds, chains, n).
        before: the root before.
    """
    rounds, chains, n = seen.shape
    flat = (seen - seen.mean(axis=0)).reshape(-1, n)
    count = rounds * chains / 2.0  # draws of one trajectory after another are correlated
    share = count / max(1, (rounds - 1) * chains)
    if before.ndim == 1:
        with np.errstate(all="ignore"):
            squares = np.sum(flat**2, axis=0) * share + PRIOR_DRAWS * before**2
            found = np.sqrt(squares / (count + PRIOR_DRAWS))
        return found if np.all(np.isfinite(found) & (found > 0)) else before
    prior = max(PRIOR_DRAWS, n / 2.0)
    with np.errstate(all="ignore"):
        S = flat.T @ flat * share + prior * before @ before.T
        S = S / (count + prior)
    if not np.all(np.isfinite(S)) or not np.all(np.diag(S) > 0):
        return before  # the law has no finite integral, or no chain has moved
    scale = np.sqrt(np.diag(S))
    values, vectors = np.linalg.eigh(S / np.outer(scale, scale))
    return np.asarray(scale[:, None] * vectors * np.sqrt(np.maximum(values, 1e-13)))


def root_of_curvature(target: Target, point: np.ndarray) -> np.ndarray:
    """Return a root of the inverse of the Hessian at a point, with the size of negative curvature
    in place of itself; its diagonal alone above ``MAX_DENSE`` coordinates.
    """
    n = point.size
    with np.errstate(all="ignore"):
        if n > MAX_DENSE:
            return 1.0 / np.sqrt(_positive(np.abs(_diagonal(target, point))))
        # a difference first in units of the coordinates, then in those that this one shows
        scale = 1.0 / np.sqrt(_positive(np.abs(_diagonal(target, point))))
        columns = []
        for i in range(n):
            move = np.zeros(n)
            move[i] = 1e-3 * scale[i]
            columns.append((target.slope(point + move) - target.slope(point - move)) / 2e-3 * scale)
        H = np.nan_to_num(np.array(columns), nan=0.0, posinf=0.0, neginf=0.0)
    values, vectors = np.linalg.eigh((H + H.T) / 2)
    # eigenvalues that are lost in rounding, or negative, are no curvature to trust
    size = np.maximum(np.abs(values), 1e-9 * max(float(np.abs(values).max()), 1e-300))
    return np.asarray(scale[:, None] * vectors / np.sqrt(size))


def _diagonal(target: Target, point: np.ndarray) -> np.ndarray:
    """Return the diagonal of the Hessian at a point, by differences that fit the slopes."""
    if point.size > MAX_SINGLE:
        return _probed(target, point)
    found = np.ones(point.size)
    for i in range(point.size):
        reach = 1e-4 * (1.0 + abs(point[i]))
        for _ in range(3):
            move = np.zeros(point.size)
            move[i] = reach
            found[i] = (target.slope(point + move)[i] - target.slope(point - move)[i]) / (2 * reach)
            if not np.isfinite(found[i]) or found[i] == 0.0:
                reach *= 1e-2
                continue
            reach = 1e-3 / np.sqrt(abs(found[i]))
    return found


def _probed(target: Target, point: np.ndarray) -> np.ndarray:
    """Return about the diagonal of the Hessian, from its products with vectors of random signs: the
    mean of ``v * (H v)`` (Bekas, Kokiopoulou & Saad 2007, *An estimator for the diagonal of a
    matrix*).
    """
    random = np.random.default_rng(5)
    reach = 1e-4 * (1.0 + np.abs(point))
    found = []
    for _ in range(PROBES):
        signs = random.choice([-1.0, 1.0], size=point.size)
        move = reach * signs
        change = target.slope(point + move) - target.slope(point - move)
        found.append(change * signs / (2 * reach))
    return np.asarray(np.mean(found, axis=0))


def _positive(values: np.ndarray) -> np.ndarray:
    usable = np.isfinite(values) & (values > 0)
    return np.where(usable, values, 1.0)
