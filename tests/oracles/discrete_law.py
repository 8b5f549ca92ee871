"""The stationary covariance of samplers of a linear regression, by matrices that are typed by hand
and a Kronecker solve.
"""

from __future__ import annotations

import numpy as np


def kronecker(M, V):
    """The solution of S = M S M^T + V, as one linear system."""
    n = len(M)
    return np.linalg.solve(np.eye(n * n) - np.kron(M, M), V.ravel()).reshape(n, n)


class Regression:
    """y = x theta + N(0, 1), theta ~ N(0, 1), with minibatches of ``batch`` rows with replacement
    (None: all rows).
    """

    def __init__(self, x, y, batch):
        self.x, self.y, self.batch = x, y, batch
        self.rows, self.d = x.shape
        self.A = x.T @ x + np.eye(self.d)
        self.mean = np.linalg.solve(self.A, x.T @ y)
        self.target = np.linalg.inv(self.A)

    def gradient_noise(self, S):
        """The covariance of the minibatch gradient over theta ~ N(mean, S)."""
        if self.batch is None:
            return np.zeros((self.d, self.d))
        error = self.y - self.x @ self.mean
        squares = error**2 + np.sum((self.x @ S) * self.x, axis=1)
        second = (self.x * squares[:, None]).T @ self.x
        middle = -self.x.T @ error
        A = self.x.T @ self.x  # the part of the rows
        within = second / self.rows - np.outer(middle, middle) / self.rows**2
        within -= A @ S @ A / self.rows**2
        return self.rows**2 / self.batch * within

    def law(self, step):
        """The covariance of theta; ``step`` returns M, V of the state for a gradient noise."""
        S = self.target
        for _ in range(200):
            M, V = step(self.A, self.gradient_noise(S))
            before, S = S, kronecker(M, V)[: self.d, : self.d]
            if np.allclose(before, S, rtol=1e-13, atol=0):
                break
        return S


def sgld(eps):
    """Euler steps of the Langevin diffusion with noise 2 eps."""

    def step(A, noise):
        eye = np.eye(len(A))
        return eye - eps * A, 2 * eps * eye + eps**2 * noise

    return step


def sghmc(eps, C):
    """Semi-implicit steps: the momentum, and then the position with the new momentum."""

    def step(A, noise):
        eye, none = np.eye(len(A)), np.zeros_like(A)
        kick = np.block([[eye, none], [-eps * A, (1 - eps * C) * eye]])
        drift = np.block([[eye, eps * eye], [none, eye]])
        V = np.block([[none, none], [none, 2 * C * eps * eye + eps**2 * noise]])
        return drift @ kick, drift @ V @ drift.T

    return step


def baoab(eps, C):
    """BAOAB, whose last gradient is the first one of the next step: (theta, r, g) is the state."""

    def step(A, noise):
        d = len(A)
        eye, none = np.eye(d), np.zeros_like(A)
        half_kick = np.block([[eye, none, none], [none, eye, -eps / 2 * eye], [none, none, eye]])
        half_drift = np.block([[eye, eps / 2 * eye, none], [none, eye, none], [none, none, eye]])
        c = np.exp(-C * eps)
        mix = np.block([[eye, none, none], [none, c * eye, none], [none, none, eye]])
        evaluate = np.block([[eye, none, none], [none, eye, none], [A, none, none]])
        after_mix = half_kick @ evaluate @ half_drift
        M = after_mix @ mix @ half_drift @ half_kick
        fresh = np.zeros((3 * d, d))
        fresh[d : 2 * d] = np.sqrt(1 - c**2) * eye
        seen = np.zeros((3 * d, d))
        seen[2 * d :] = eye
        seen = half_kick @ seen
        V = after_mix @ fresh @ fresh.T @ after_mix.T + seen @ noise @ seen.T
        return M, V

    return step


def variances_by_modes(A, noise, step):
    """The variances of the coordinates of theta for a large curvature A and gradient noise, which
    need not commute, in the eigendirections of A: ``step(A, noise)`` as above, for one direction.
    """
    curvatures, directions = np.linalg.eigh(A)
    noise = directions.T @ noise @ directions
    small = [step(np.array([[a]]), np.zeros((1, 1))) for a in curvatures]
    M, V = (np.array([pair[n] for pair in small]) for n in (0, 1))
    full = step(np.array([[1.0]]), np.array([[1.0]]))[1]
    per_noise = full - step(np.array([[1.0]]), np.zeros((1, 1)))[1]
    # the noise of a step with curvature is linear in that of the gradient, and no more is used here
    d, n = M.shape[:2]
    S = np.empty((d, d))
    for i in range(d):
        product = np.einsum("ab,jcd->jacbd", M[i], M).reshape(d, n * n, n * n)
        right = noise[i][:, None, None] * per_noise
        right[i] += V[i]
        S[i] = np.linalg.solve(np.eye(n * n) - product, right.reshape(d, -1, 1))[:, 0, 0]
    return np.diag(directions @ S @ directions.T)
