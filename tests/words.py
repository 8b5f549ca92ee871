"""Splitting schemes for kinetic Langevin on a quadratic potential, in plain numbers: one 2 x 2 matrix a letter.

The slow obvious second implementation behind ``verify.affine``: it shares no code with it.
"""

import numpy as np
from scipy.linalg import solve_discrete_lyapunov


def letter(name, count, h, k, C):
    """The matrix of one sub-flow of ``(theta, r)`` and the variance that it adds to r."""
    t = h / count
    if name == "A":
        return np.array([[1, t], [0, 1]]), 0.0
    if name == "B":
        return np.array([[1, 0], [-t * k, 1]]), 0.0
    return np.diag([1, np.exp(-C * t)]), 1 - np.exp(-2 * C * t)


def step(word, h, k, C):
    """``M`` and the noise covariance of one step of a word such as BAOAB."""
    M, R = np.eye(2), np.zeros((2, 2))
    for name in word:
        A, variance = letter(name, word.count(name), h, k, C)
        M, R = A @ M, A @ R @ A.T + np.diag([0, variance])
    return M, R


def radius(M):
    return max(abs(np.linalg.eigvals(M)))


def covariance(M, R):
    return solve_discrete_lyapunov(M, R)
