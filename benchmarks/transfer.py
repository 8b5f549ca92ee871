"""The stationary variance of a discrete chain on ``U = x^4 - 2 x^2`` without sampling: its transfer
operator on a grid.

``(P g)(z) = E g(z')`` by Gauss-Hermite quadrature over the one normal number of a step, and local
interpolation of g; the stationary law is the left eigenvector of P. The schemes are written here
once more. Explicit Euler has no stationary law here (rare steps far out grow without end); the box
keeps it, and what comes out is the law that it has for a very long time.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import eigs

DEGREE = 7  # of the interpolation
Step = Callable[..., tuple[np.ndarray, ...]]


def slope(x: np.ndarray) -> np.ndarray:
    return 4 * x**3 - 4 * x


def step_of(dynamics: str, scheme: str, h: float, C: float) -> Step:
    """New coordinates from old ones and a standard normal number; of x + noise for
    Leimkuhler-Matthews, see ``variance``.
    """
    c, s = np.exp(-C * h), np.sqrt(1 - np.exp(-2 * C * h))

    def baoab(x, p, w):
        p = p - h / 2 * slope(x)
        x, p = x + h / 2 * p, c * p + s * w
        x = x + h / 2 * p
        return x, p - h / 2 * slope(x)

    def babo(x, p, w):  # OBABO from another place of the circle, which the law of x does not see
        p = p - h / 2 * slope(x)
        x = x + h * p
        return x, c * (p - h / 2 * slope(x)) + s * w

    def semi_implicit(x, p, w):
        p = p - h * slope(x) - h * C * p + np.sqrt(2 * C * h) * w
        return x + h * p, p

    def euler(x, p, w):
        return x + h * p, p - h * slope(x) - h * C * p + np.sqrt(2 * C * h) * w

    def overdamped_euler(x, w):
        return (x - h * slope(x) + np.sqrt(2 * h) * w,)

    def leimkuhler_matthews(x, w):
        n = np.sqrt(h / 2) * w
        return (x + n - h * slope(x + n) + n,)

    momentum = {"euler": euler, "semi-implicit": semi_implicit, "baoab": baoab, "obabo": babo}
    return (
        momentum[scheme]
        if dynamics == "momentum"
        else {"euler": overdamped_euler}.get(scheme, leimkuhler_matthews)
    )


def variance(dynamics: str, scheme: str, h: float, C: float, *, refine: float = 1.0) -> float:
    """The stationary variance of what the scheme records of x."""
    axes = [np.linspace(-2.6, 2.6, int(104 * refine) + 1)]
    if dynamics == "momentum":
        axes.append(np.linspace(-6, 6, int(96 * refine) + 1))
    else:
        axes = [np.linspace(-2.6, 2.6, int(520 * refine) + 1)]
    P = operator(step_of(dynamics, scheme, h, C), axes)
    z = np.meshgrid(*axes, indexing="ij")
    first = np.exp(-(z[0] ** 4) + 2 * z[0] ** 2 - sum(p**2 for p in z[1:]) / 2).ravel()
    _, vector = eigs(P.T.tocsr(), k=1, which="LM", v0=first, tol=1e-13)
    law = vector[:, 0].real
    law /= law.sum()
    return float(law @ z[0].ravel() ** 2) + (h / 2 if scheme == "leimkuhler-matthews" else 0.0)


def operator(step: Step, axes: list[np.ndarray]) -> csr_matrix:
    """The matrix of P for functions that are known at the points of the grid."""
    z = [c.ravel() for c in np.meshgrid(*axes, indexing="ij")]
    nodes, weights = np.polynomial.hermite_e.hermegauss(16)
    size, found = z[0].size, 0
    for w, weight in zip(nodes, weights / weights.sum(), strict=True):
        columns, values = np.zeros((size, 1), dtype=int), np.full((size, 1), weight)
        for new, axis in zip(step(*z, w), axes, strict=True):
            at, share = interpolation(np.clip(new, axis[0], axis[-1]), axis)
            columns = (columns[:, :, None] * axis.size + at[:, None, :]).reshape(size, -1)
            values = (values[:, :, None] * share[:, None, :]).reshape(size, -1)
        rows = np.repeat(np.arange(size), columns.shape[1])
        found = found + csr_matrix((values.ravel(), (rows, columns.ravel())), shape=(size, size))
    return found


def interpolation(at: np.ndarray, axis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which points of the axis the values at some places are made of, and in what shares, by
    Lagrange's formula.
    """
    t = (at - axis[0]) / (axis[1] - axis[0])
    first = np.clip(np.floor(t).astype(int) - DEGREE // 2, 0, axis.size - 1 - DEGREE)
    t, k = t - first, np.arange(DEGREE + 1)
    shares = np.ones((at.size, DEGREE + 1))
    for j in k:
        for m in k[k != j]:
            shares[:, j] *= (t - m) / (j - m)
    return first[:, None] + k, shares
