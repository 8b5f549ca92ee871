"""What the scripts that measure bias compare with: targets by quadrature, discrete linear chains by
their stationary covariance.

Numpy alone; it shares nothing with the packages that the scripts measure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

Map = tuple[np.ndarray, np.ndarray]  # z' = M z + noise: the matrix, and the covariance of the noise
Potential = Callable[[np.ndarray], np.ndarray]


def composed(maps: Sequence[Map]) -> Map:
    """One map after another, the first first; their noises are independent."""
    d = maps[0][0].shape[0]
    matrix, noise = np.eye(d), np.zeros((d, d))
    for m, n in maps:
        matrix, noise = m @ matrix, m @ noise @ m.T + n
    return matrix, noise


def stationary_covariance(maps: Sequence[Map]) -> np.ndarray | None:
    """The solution of ``S = M S M^T + N`` by linear equations for its entries; None where the chain
    has no stationary law.
    """
    matrix, noise = composed(maps)
    if np.max(np.abs(np.linalg.eigvals(matrix))) >= 1:
        return None
    d = matrix.shape[0]
    return np.linalg.solve(np.eye(d * d) - np.kron(matrix, matrix), noise.ravel()).reshape(d, d)


def autocorrelation_time(maps: Sequence[Map]) -> float:
    """``1 + 2 (sum of the correlations)`` of the first coordinate of the stationary chain, in
    steps.
    """
    matrix, S = composed(maps)[0], stationary_covariance(maps)
    sums = np.linalg.solve(np.eye(matrix.shape[0]) - matrix, matrix @ S)
    return float(1 + 2 * sums[0, 0] / S[0, 0])


def autocorrelation_time_of_squares(maps: Sequence[Map]) -> float:
    """The same of the square of the first coordinate: correlations of normal variables are squared
    with them.
    """
    matrix, at = composed(maps)[0], stationary_covariance(maps)
    correlations, variance = [], at[0, 0]
    while np.max(np.abs(at)) > 1e-9 * variance:
        at = matrix @ at
        correlations.append(at[0, 0] / variance)
    return float(1 + 2 * np.sum(np.square(correlations)))


def langevin_variance(dynamics: str, scheme: str, h: float, friction: float) -> float | None:
    """The stationary variance of the position for ``U = x^2 / 2`` under a scheme, from the matrices
    of one step on (x, p).
    """
    if (
        dynamics == "overdamped" and scheme == "leimkuhler-matthews"
    ):  # y' = (1 - h)(y + n) + n, x = y + n', with var n = h / 2
        inner = stationary_covariance([(np.array([[1 - h]]), np.array([[(2 - h) ** 2 * h / 2]]))])
        return None if inner is None else float(inner[0, 0] + h / 2)
    if dynamics == "overdamped":
        maps = [(np.array([[1 - h]]), np.array([[2 * h]]))]
    elif scheme in ("euler", "semi-implicit"):
        kick = (
            np.array([[1, h], [-h, 1 - friction * h]])
            if scheme == "euler"
            else np.array([[1, 0], [-h, 1 - friction * h]])
        )
        drift = (
            [(np.array([[1, h], [0, 1]]), np.zeros((2, 2)))] if scheme == "semi-implicit" else []
        )
        maps = [*drift, (kick, np.diag([0, 2 * friction * h]))]
    else:
        maps = [_sub_flow(letter, h / scheme.count(letter), friction) for letter in scheme]
    S = stationary_covariance(maps)
    return None if S is None else float(S[0, 0])


def _sub_flow(letter: str, t: float, friction: float) -> Map:
    """Drift, kick and Ornstein-Uhlenbeck process, exactly, for the time t."""
    none, c = np.zeros((2, 2)), np.exp(-friction * t)
    return {
        "a": (np.array([[1, t], [0, 1]]), none),
        "b": (np.array([[1, 0], [-t, 1]]), none),
        "o": (np.diag([1, c]), np.diag([0, 1 - c**2])),
    }[letter]


def line_law(
    U: Potential, half_width: float = 10.0, nodes: int = 40_001
) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and the probability of each, for the density ``exp(-U)``: the trapezoidal rule, exact
    to rounding for these.
    """
    x = np.linspace(-half_width, half_width, nodes)
    weights = np.exp(-U(x))
    return x, weights / weights.sum()


def quantiles(U: Potential, p: np.ndarray) -> np.ndarray:
    """Where the distribution function of ``exp(-U)`` has the values p."""
    x, weights = line_law(U)
    return np.interp(p, np.cumsum(weights) - weights / 2, x)


def bins_of(U: Potential, edges: np.ndarray) -> np.ndarray:
    """The probability of each bin, by Gauss-Legendre quadrature in each, as parts of what is
    between the first and last edge.
    """
    at, weights = np.polynomial.legendre.leggauss(12)
    middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    p = (np.exp(-U(middle[:, None] + half[:, None] * at)) * weights).sum(1) * half
    return p / p.sum()


def kullback_leibler(p: np.ndarray, q: np.ndarray) -> float:
    """``sum p log(p / q)``."""
    kept = p > 0
    return float(np.sum(p[kept] * np.log(p[kept] / q[kept])))


# -- Ma, Chen & Fox (2015), figure 2: U = x^4 / 10 + (4 (y + 1.2) - x^2)^2 / 2, so that y given x is
# normal -----------------------


def plane_draws(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Independent exact draws."""
    x = rng.permutation(quantiles(lambda x: x**4 / 10, (np.arange(n) + rng.random(n)) / n))
    return x, x**2 / 4 - 1.2 + rng.standard_normal(n) / 4


def plane_variances() -> tuple[float, float]:
    """The variances of x and y, by quadrature over the plane."""
    x, y = np.linspace(-5, 5, 2001)[:, None], np.linspace(-3, 7, 4001)[None, :]
    p = np.exp(-(x**4) / 10 - (4 * (y + 1.2) - x**2) ** 2 / 2)
    p /= p.sum()
    return tuple(float((p * z**2).sum() - (p * z).sum() ** 2) for z in (x, y))


def plane_bins(x_edges: np.ndarray, y_edges: np.ndarray) -> np.ndarray:
    """The probability of each rectangle, by Gauss-Legendre quadrature, as parts of what is between
    the outer edges.
    """
    at, weights = np.polynomial.legendre.leggauss(8)
    (x, w), (y, v) = ((_nodes(e, at), np.tile(weights, len(e) - 1)) for e in (x_edges, y_edges))
    p = (
        np.exp(-(x[:, None] ** 4) / 10 - (4 * (y[None, :] + 1.2) - x[:, None] ** 2) ** 2 / 2)
        * w[:, None]
        * v[None, :]
    )
    p = p.reshape(len(x_edges) - 1, 8, len(y_edges) - 1, 8).sum((1, 3))
    return p / p.sum()


def _nodes(edges: np.ndarray, at: np.ndarray) -> np.ndarray:
    middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    return (middle[:, None] + half[:, None] * at).ravel()
