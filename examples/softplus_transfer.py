"""The stationary mean of a discrete CoRV chain without sampling: its transfer operator on a grid.

The chain is equation (25) of Yokoi et al. with softplus and a gamma law, written here once more:
``phi' = phi - eps (s U'(theta) - (1 - s)) + sqrt(2 eps) w`` with ``theta = log(1 + e^phi)`` and ``s
= 1 / (1 + e^-phi)``.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix, eye
from scipy.sparse.linalg import spsolve

LOW, HIGH = (
    -45.0,
    8.0,
)  # of phi; what is outside has a probability below 1e-9 for the shapes and scales here
REACH = 9  # standard deviations of a step


def stationary_mean(eps: float, shape: float, scale: float, *, per_deviation: int = 3) -> float:
    """``E theta``; the trapezoidal rule with a node every third of a standard deviation is exact to
    more digits than are needed.
    """
    deviation = np.sqrt(2 * eps)
    width = deviation / per_deviation
    phi = np.arange(LOW, HIGH, width)
    theta, s = np.logaddexp(0, phi), 1 / (1 + np.exp(-phi))
    mean = phi - eps * (s * ((1 - shape) / theta + 1 / scale) - (1 - s))
    law = _stationary(_transitions(phi, mean, deviation, width))
    return float(law @ theta)


def _transitions(phi: np.ndarray, mean: np.ndarray, deviation: float, width: float) -> csr_matrix:
    """Row i: the probabilities of the nodes after a step from node i."""
    reach = REACH * round(deviation / width)
    nodes = np.rint((mean - LOW) / width).astype(int)[:, None] + np.arange(-reach, reach + 1)
    weights = np.exp(-(((LOW + width * nodes - mean[:, None]) / deviation) ** 2) / 2)
    weights /= weights.sum(axis=1, keepdims=True)
    rows = np.repeat(np.arange(len(phi)), nodes.shape[1])
    return csr_matrix(
        (weights.ravel(), (rows, np.clip(nodes, 0, len(phi) - 1).ravel())),
        shape=(len(phi), len(phi)),
    )


def _stationary(P: csr_matrix) -> np.ndarray:
    """The left eigenvector of the eigenvalue 1: with one entry fixed, the others solve a banded
    system.
    """
    n, fixed = P.shape[0], int(P.shape[0] * -LOW / (HIGH - LOW))
    others = np.delete(np.arange(n), fixed)
    A = (P.T - eye(n)).tocsr()[others].tocsc()
    law = np.ones(n)
    law[others] = spsolve(A[:, others], -A[:, [fixed]].toarray().ravel())
    return law / law.sum()
