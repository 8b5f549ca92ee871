"""The real coordinates of a block on a simplex, in numbers: the inverse isometric log-ratios of
``recipe.declare.transformations.onto_simplex``, in which the sampler runs.
"""

from __future__ import annotations

import numpy as np


class OntoSimplex:
    """The bijection from real vectors onto the open simplex.

    With n coordinates, ``K = n + 1`` and ``c = 1/(1 + sqrt(K))``, the logarithm of the k-th
    probability over the last one is ``z_k + c sum(z)``.
    """

    is_identity = False

    def inverse(self, theta: np.ndarray) -> np.ndarray:
        """Return the points whose values are ``theta``, shape (..., n)."""
        last = 1.0 - theta.sum(axis=-1, keepdims=True)
        ratio = np.log(theta) - np.log(last)
        count = theta.shape[-1] + 1
        return np.asarray(ratio - ratio.sum(axis=-1, keepdims=True) / (count + np.sqrt(count)))

    def forward(self, z: np.ndarray) -> np.ndarray:
        """Return the probabilities without the last one, shape (..., n)."""
        return np.exp(self._log_probabilities(z)[..., :-1])

    def pulled(self, z: np.ndarray, slopes: np.ndarray) -> np.ndarray:
        """Return derivatives by z from those by the probabilities, at one point.

        Args:
            z: the point, shape (n,).
            slopes: the derivatives by each probability but the last, shape (n,).
        """
        p = np.exp(self._log_probabilities(z))
        across = p[-1] * self._share(z) - p[:-1]
        return np.asarray(slopes * p[:-1] + (slopes @ p[:-1]) * across)

    def log_slope(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the logarithm of the determinant of the derivative, the sum of the logarithms of
        all probabilities and a constant, and its derivative by each coordinate.
        """
        count = z.shape[-1] + 1
        logs = self._log_probabilities(z)
        by_ratio = 1.0 - count * np.exp(logs[:-1])
        value = float(logs.sum() + np.log(count) / 2)
        return value, by_ratio + self._share(z) * by_ratio.sum()

    def _share(self, z: np.ndarray) -> float:
        return float(1.0 / (1.0 + np.sqrt(z.shape[-1] + 1)))

    def _log_probabilities(self, z: np.ndarray) -> np.ndarray:
        ratio = z + self._share(z) * z.sum(axis=-1, keepdims=True)
        all_of_them = np.concatenate([ratio, np.zeros_like(ratio[..., :1])], axis=-1)
        top = all_of_them.max(axis=-1, keepdims=True)
        total = np.exp(all_of_them - top).sum(axis=-1, keepdims=True)
        return np.asarray(all_of_them - top - np.log(total))
