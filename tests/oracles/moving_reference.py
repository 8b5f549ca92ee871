"""SVRG and SAGA for a linear regression in plain numpy, with whole gradients and whole tables: the
papers' formulas one after another, without any array that is updated in place.
"""

import numpy as np


def one_row(theta, x, y):
    """N times the gradient of one row, plus that of a standard normal prior, for every row."""
    return len(x) * (x @ theta - y)[:, None] * x + theta


def svrg(points, batches, x, y, every):
    """An estimate at each point from its batch; a snapshot at every so many points."""
    found = []
    for t, (theta, rows) in enumerate(zip(points, batches, strict=True)):
        if t % every == 0:
            snapshot = theta
        here, there = one_row(theta, x, y), one_row(snapshot, x, y)
        found.append(there.mean(0) + (here[rows] - there[rows]).mean(0))
    return np.array(found)


def saga(points, batches, x, y):
    """An estimate at each point from its batch; at first every row is seen at the first point."""
    seen, found = one_row(points[0], x, y), []
    for theta, rows in zip(points, batches, strict=True):
        here = one_row(theta, x, y)
        found.append(seen.mean(0) + (here[rows] - seen[rows]).mean(0))
        seen = np.array([here[n] if n in set(rows) else seen[n] for n in range(len(x))])
    return np.array(found)
