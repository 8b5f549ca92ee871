"""Blocks on intervals and simplexes as real numbers, for a search that knows no edges.

The maps are those of first states: an exponential, a logistic function, or the ratios of a simplex.
A mode is one in the block itself: no Jacobian is added.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sympy import S, Set, oo

from codegen.inputs.initial_states import in_domain
from recipe.language.blocks import Simplex

FAR = 3.0  # of a real number: the point is within 5 % of an edge, or of its distance at the centre


def as_real(domain: Set, x: np.ndarray) -> np.ndarray:
    """Return the real numbers that ``in_domain`` maps to a point."""
    if isinstance(domain, Simplex):
        return np.log(x) - np.log1p(-x.sum())
    if domain == S.Reals:
        return x
    low, high = float(domain.start), float(domain.end)
    if domain.end == oo:
        return np.log(x - low)
    if domain.start == -oo:
        return np.log(high - x)
    return np.log(x - low) - np.log(high - x)


def real_slopes(domain: Set, x: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """Return derivatives by the real numbers, from those by the coordinates at a point."""
    if isinstance(domain, Simplex):
        return x * (slopes - x @ slopes)
    if domain == S.Reals:
        return slopes
    low, high = float(domain.start), float(domain.end)
    if domain.end == oo:
        return slopes * (x - low)
    if domain.start == -oo:
        return slopes * (x - high)
    return slopes * (x - low) * (high - x) / (high - low)


def nearer_an_edge(domain: Set, z: np.ndarray) -> list[np.ndarray]:
    """Return, for each edge that a point is close to, a point that is closer to it by a factor e,
    both as real numbers.

    Where the potential is smaller there, the search went to the edge, and found no mode inside.
    """
    if isinstance(domain, Simplex):
        x = in_domain(domain, z)
        last = [z + 1.0] if 1.0 - x.sum() < np.exp(-FAR) else []
        return last + [_moved(z, k, -1.0) for k in np.flatnonzero(x < np.exp(-FAR))]
    if domain == S.Reals:
        return []
    one_edge = oo in (domain.end, -domain.start)
    close = z < -FAR if one_edge else np.abs(z) > FAR
    return [_moved(z, k, np.sign(z[k])) for k in np.flatnonzero(close)]


def _moved(z: np.ndarray, k: Any, by: float) -> np.ndarray:
    there = z.copy()
    there[k] += by
    return there
