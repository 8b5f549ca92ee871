"""The direction across coordinates in which Metropolis tests reject, such as that of a funnel in a
rotated basis, where no coordinate alone has an end that is narrow.

It is Fisher's linear discriminant of the draws that were rejected and all draws: the inverse
covariance times the difference of their means (Fisher 1936, "The use of multiple measurements in
taxonomic problems", Annals of Eugenics 7). Whoever tests an end of that direction tests it with
other draws than those that it was found from.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

MAX_COORDINATES = 200  # a matrix of so many is inverted
MAX_PRODUCTS = 500_000_000  # of numbers, for the covariance
LEAST_REJECTED = 50  # tests, from which a direction may be seen
RIDGE = 1e-6  # of a variance
SMALL = 0.2  # of the largest weight, in standard deviations: it is left out
MAX_NAMED = 4  # coordinates of a direction


def rejecting_direction(
    names: Sequence[str], x: np.ndarray, rates: np.ndarray
) -> tuple[str, np.ndarray] | None:
    """Return the direction in which tests reject: its name, such as ``a - 0.5 b``, and the weights
    of the coordinates, shape (k,); None where it cannot be seen.

    Args:
        names: the names of the coordinates.
        x: draws, shape (draws, k).
        rates: the share of tests that accepted in the step of each draw, shape (draws,).
    """
    count, k = x.shape
    if not 2 <= k <= MAX_COORDINATES:
        return None
    every = max(1, count * k * k // MAX_PRODUCTS)
    x, rejected = x[::every], 1.0 - rates[::every]
    sd = x.std(axis=0)
    if rejected.sum() < LEAST_REJECTED or not np.isfinite(sd).all():
        return None
    used = sd > 0
    z = (x[:, used] - x[:, used].mean(axis=0)) / sd[used]
    apart = rejected @ z / rejected.sum()
    if not apart.size:
        return None
    found = np.linalg.solve(z.T @ z / len(z) + RIDGE * np.eye(z.shape[1]), apart)
    weights = np.zeros(k)
    weights[used] = found
    return _named(names, weights, sd)


def _named(
    names: Sequence[str], weights: np.ndarray, sd: np.ndarray
) -> tuple[str, np.ndarray] | None:
    """Return a direction with its largest weights alone, in few digits, and its name."""
    order = np.argsort(-np.abs(weights))[:MAX_NAMED]
    kept = np.sort(order[np.abs(weights[order]) > SMALL * np.abs(weights[order[0]])])
    if len(kept) < 2:
        return None
    own = weights[kept] / sd[kept]
    own = [float(f"{w:.2g}") for w in own / own[int(np.argmax(np.abs(own)))]]
    rounded = np.zeros(weights.size)
    rounded[kept] = own
    text = ""
    for i, w in zip(kept, own, strict=True):
        sign = (" - " if w < 0 else " + ") if text else ("-" if w < 0 else "")
        text += f"{sign}{'' if abs(w) == 1 else f'{abs(w):g} '}{names[i]}"
    return text, rounded
