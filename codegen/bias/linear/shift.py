"""How far means move because a law is wider than its target.

In a stationary law the mean of the drift is 0. Draws of the run are squeezed to the covariance of
the target, by the linear map of least transport; the mean of the drift is then not 0, and the mean
that the target has is where it is 0 again. To second order that is ``-A^-1 U'''[S - S0] / 2`` with
the third derivatives averaged over the law, and at a mode with curvature A it is that formula.
"""

from __future__ import annotations

import numpy as np

from codegen.bias.linear.compare import Law
from codegen.bias.linear.linearise import Linear, Setting
from codegen.bias.step.unpredictable import UnpredictableError

FLAT = (
    "the curvature of the log density at its mode is small beside that over the draws: the law is"
    " far from a normal one"
)
POINTS = 128  # draws over which the drift is averaged
BENT_POINTS = 16  # draws at which a step is compared with the linear one
MAX_BEND = 10.0  # of what is linear in a step, in units of a deviation


def points_of_law(law: Law, draws: np.ndarray | None) -> np.ndarray:
    """Return draws of a run as deviations of the judged coordinates from their mean, shape (points,
    k).

    Args:
        law: the law of the run.
        draws: draws of the run, shape (count, k); None where the run has kept none, and normal
            numbers of that law stand for them.
    """
    if draws is None:
        values, vectors = np.linalg.eigh(law.draws)
        normal = np.random.default_rng(1).standard_normal((POINTS, len(values)))
        draws = normal @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
    chosen = draws[np.linspace(0, len(draws) - 1, min(POINTS, len(draws))).astype(int)]
    return np.asarray(chosen - chosen.mean(axis=0))


def shift_of_means(
    setting: Setting, here: Linear, points: np.ndarray, centre: np.ndarray, law: Law, other: Law
) -> np.ndarray:
    """Return how far the means of the draws are under one law from those under another one, shape
    (k,), less the standard error of that.

    Args:
        setting: the step with its size.
        here: the step near its fixed point.
        points: deviations of draws that have the law ``law``, shape (points, k).
        centre: the point that they deviate from, shape (n,).
        law, other: the two laws.
    """
    n = here.point.size
    squeezed = points @ _transport(law.draws, other.draws).T
    at_rest = np.linalg.inv(np.eye(n) - here.slopes[:n])
    found = []
    for wide, narrow in zip(points, squeezed, strict=True):
        ahead, back = (setting.from_positions(centre, d) for d in (wide, narrow))
        bent = setting.full(ahead) - setting.full(back) - here.slopes @ (ahead - back)
        found.append(here.slopes[n:] @ (at_rest @ bent[:n]) + bent[n:])
    shift = np.mean(found, axis=0)
    error = np.std(found, axis=0) / np.sqrt(len(found))
    return np.asarray(np.sign(shift) * np.maximum(np.abs(shift) - error, 0.0))


def require_draws_where_the_step_is_linear(
    setting: Setting, here: Linear, sample: np.ndarray | None, centre: np.ndarray
) -> None:
    """Require that the linear step says something of the step over the draws.

    Where the curvature at the fixed point is next to nothing, as that of x^4, the linear law is far
    wider than the draws, and what it says of step sizes and minibatches is not about them.

    Args:
        setting: the step with its size.
        here: the step near its fixed point.
        sample: draws of the run, shape (count, k); None where the run has kept none.
        centre: a point in their middle, shape (n,).

    Raises:
        UnpredictableError: where the bend of the step is many times what is linear in it.
    """
    if sample is None:
        return
    n = here.point.size
    chosen = sample[np.linspace(0, len(sample) - 1, min(BENT_POINTS, len(sample))).astype(int)]
    aside = chosen - sample.mean(axis=0)
    at_rest = np.linalg.inv(np.eye(n) - here.slopes[:n])
    middle, bends = setting.full(centre), []
    for d in aside:
        there = setting.from_positions(centre, d)
        bent = setting.full(there) - middle - here.slopes @ (there - centre)
        bends.append(here.slopes[n:] @ (at_rest @ bent[:n]) + bent[n:])
    size = np.sqrt(np.mean(np.square(bends), axis=0) / np.mean(aside**2, axis=0))
    if np.max(size) > MAX_BEND:
        raise UnpredictableError(FLAT)


def _transport(S: np.ndarray, T: np.ndarray) -> np.ndarray:
    """Return the symmetric matrix that maps the law N(0, S) to N(0, T)."""
    root, inverse = _power(S, 0.5), _power(S, -0.5)
    return inverse @ _power(root @ T @ root, 0.5) @ inverse


def _power(S: np.ndarray, exponent: float) -> np.ndarray:
    values, vectors = np.linalg.eigh((S + S.T) / 2)
    values = np.maximum(values, 1e-14 * max(values.max(), 1e-300))
    return np.asarray((vectors * values**exponent) @ vectors.T)
