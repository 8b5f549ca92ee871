"""The step seen by the directions of the curvature, in any number of dimensions.

A sampler that treats all coordinates alike makes a step that is a function of the Hessian of the
potential: in each of its eigendirections a small matrix acts on position, momentum and what else
the state has. A Lanczos process finds some directions that stand for all of them (Golub & Meurant
2010, *Matrices, moments and quadrature*), from a few steps that start a little apart along each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from codegen.bias.linear.compare import law_of
from codegen.bias.linear.linearise import (
    MAX_CHANGE_OF_NOISE,
    REACH,
    SMALL_STEP,
    Linear,
    Setting,
    with_size,
)
from codegen.bias.step.step_map import StepMap
from codegen.bias.step.unpredictable import UnpredictableError

DEGREE = 3  # of the noise of a step as a polynomial in the curvature
MAX_RESIDUAL = 0.05  # of the noise that this leaves
MAX_MIXING = 0.2  # of directions, relative to what the curvature does
FIRST, SECOND = 0, 1  # the numbers of the steps whose noises are compared


@dataclass(frozen=True, eq=False)
class Copies:
    """The coordinates of a state as copies of the judged ones: position, momentum, and so on.

    Attributes:
        point: for each copy, the coordinates of a point, each of the shape (k,).
        result: for each copy and for the draw, the coordinates of a result.
        noise: for each copy of normal numbers, their places among all of a step.
    """

    point: tuple[np.ndarray, ...]
    result: tuple[np.ndarray, ...]
    noise: tuple[np.ndarray, ...]


def copies(step: StepMap, noises: Sequence[np.ndarray]) -> Copies:
    """Return the coordinates of a state as copies of the judged ones.

    Args:
        step: the step as a function.
        noises: for each draw of normal numbers, their places among all of a step.

    Raises:
        UnpredictableError: where the state has other blocks than copies.
    """
    judged = [step.fields[f] for f in step.recorded]
    others = [part for name, part in step.fields.items() if name not in step.recorded]
    sizes = [part.stop - part.start for part in judged]
    groups = [judged, *_grouped(others, [p.stop - p.start for p in others], sizes)]
    point = tuple(np.concatenate([np.arange(p.start, p.stop) for p in g]) for g in groups)
    drawn = np.concatenate([np.arange(p.start, p.stop) for p in step.recorded.values()])
    noise = _grouped(noises, [len(n) for n in noises], sizes)
    return Copies(point, (*point, drawn), tuple(np.concatenate(g) for g in noise))


def _grouped(parts: Sequence, lengths: Sequence[int], sizes: Sequence[int]) -> list[Sequence]:
    groups = []
    for first in range(0, len(parts), len(sizes)):
        if list(lengths[first : first + len(sizes)]) != list(sizes):
            raise UnpredictableError("its state has blocks that are no copies of the posterior's")
        groups.append(parts[first : first + len(sizes)])
    return groups


@dataclass(frozen=True, eq=False)
class Excess:
    """The variance that the step size adds to a draw, as a function of the variance that it has.

    Attributes:
        variance: the variances of draws in some directions, ascending, shape (m,).
        added: what of it the step size adds, shape (m,).
    """

    variance: np.ndarray
    added: np.ndarray

    def of(self, variance: np.ndarray) -> np.ndarray:
        """Return what the step size adds to coordinates with these variances: as much as to a
        direction of the curvature that has the same variance.
        """
        return np.interp(variance, self.variance, self.added)


def excess_of_step(
    setting: Setting, point: np.ndarray, scale: np.ndarray, places: Sequence[np.ndarray], count: int
) -> Excess:
    """Return what the step size adds to the variances of draws.

    Args:
        setting: the step with its size.
        point: a point in the middle of the draws, shape (n,).
        scale: the order of magnitude of deviations from it, shape (n,).
        places: for each draw of normal numbers of a step, their places among all of them.
        count: the number of directions.

    Raises:
        UnpredictableError: where the noise depends on the state, where the step is no function of
            the curvature, and where it has no stationary law.
    """
    copied = copies(setting.step, places)
    normal = setting.normals(np.array([FIRST, SECOND]))
    starts = np.array([normal[1, g] - normal[0, g] for g in copied.noise])
    require_same_noise(setting, point, scale)
    block, basis, seen = _directions(setting, point, scale, copied, starts, count)
    modes = _modes(seen, block)
    small = with_size(setting, SMALL_STEP * setting.step_size)
    seen_small = _seen(small, point, scale, copied, basis)
    laws = []
    for own, slopes in ((setting, seen), (small, seen_small)):
        noise = _noise(own, point, copied, basis, starts, modes)
        laws.append(_variances(_in_modes(slopes, modes.vectors), noise))
    return _decreasing(laws[0], laws[1])


def _decreasing(variance: np.ndarray, target: np.ndarray) -> Excess:
    """Return what the step size adds in the directions in which the variance falls with the
    curvature. It rises again where the step is not far from unstable, and a few rows that stand for
    all of the data seem to have directions that are unstable.

    Raises:
        UnpredictableError: where there are no such directions.
    """
    if not np.isfinite(target).all() or not np.isfinite(variance).any():
        raise UnpredictableError(
            "the linear step has no stationary law: a direction has no friction, or the log density"
            " is not concave"
        )
    order = np.argsort(-target)
    falling = np.minimum.accumulate(variance[order])
    used = order[: max(1, int(np.argmin(falling)) + 1)]
    used = used[np.isfinite(variance[used])][::-1]
    return Excess(variance[used], (variance - target)[used])


def require_same_noise(setting: Setting, point: np.ndarray, scale: np.ndarray) -> None:
    """Require that the noise of a step is the same at another point.

    Raises:
        UnpredictableError: where the noise changes with the state.
    """
    own = slice(0, setting.step.block_size)
    aside = scale * np.where(np.arange(point.size) % 2, 1.0, -1.0)
    here, there = (reaction(setting, p)[own] for p in (point, point + aside))
    for part in setting.step.fields.values():
        if part.stop > own.stop:
            continue
        size = np.sqrt(np.mean(here[part] ** 2))
        if np.sqrt(np.mean((there[part] - here[part]) ** 2)) > MAX_CHANGE_OF_NOISE * size + 1e-12:
            raise UnpredictableError(
                "the sampler's noise depends on the state, or the sampler is a thermostat"
            )


def reaction(setting: Setting, point: np.ndarray, second: int = SECOND) -> np.ndarray:
    """Return by how much the results of two steps differ that differ in their normal numbers alone,
    shape (m,).

    Args:
        setting: the step with its size.
        point: where both start.
        second: the number of the other step.
    """
    return setting.full(point, second) - setting.full(point, FIRST)


def _seen(
    setting: Setting, point: np.ndarray, scale: np.ndarray, copied: Copies, basis: np.ndarray
) -> np.ndarray:
    """Return the slopes along directions, shape (F + 1, F, m, m): of each copy in a result, by each
    copy in a point, from direction to direction.
    """
    moved = np.array([_responses(setting, point, scale, copied, v) for v in basis])
    return np.einsum("ik,jgfk->fgij", basis, moved)


def _responses(
    setting: Setting, point: np.ndarray, scale: np.ndarray, copied: Copies, v: np.ndarray
) -> np.ndarray:
    """Return the slopes of a step along one direction, shape (F, F + 1, k)."""
    found = []
    for places in copied.point:
        reach = REACH * float(np.min(scale[places] / np.maximum(np.abs(v), 1e-300)))
        ahead, back = point.copy(), point.copy()
        ahead[places] += reach * v
        back[places] -= reach * v
        slope = (setting.full(ahead, FIRST) - setting.full(back, FIRST)) / (2 * reach)
        found.append([slope[r] for r in copied.result])
    return np.array(found)


def _directions(
    setting: Setting,
    point: np.ndarray,
    scale: np.ndarray,
    copied: Copies,
    starts: np.ndarray,
    count: int,
) -> tuple[tuple[int, int], np.ndarray, np.ndarray]:
    """Return the copies between which the curvature acts most, orthonormal directions from a block
    Lanczos process with it, shape (m, k), and the slopes along them as ``_seen`` does.
    """
    sizes = [np.sqrt(np.mean(scale[p] ** 2)) for p in copied.point]
    basis: list[np.ndarray] = []
    moved: list[np.ndarray] = []
    block = (0, 0)
    for v in starts:
        _add_direction(basis, v)
    while len(moved) < min(count, len(basis)):
        v = basis[len(moved)]
        moved.append(_responses(setting, point, scale, copied, v))
        if len(moved) == 1:
            bent = {
                (f, g): np.linalg.norm(x - (x @ v) * v) * sizes[g] / sizes[f]
                for g, row in enumerate(moved[0])
                for f, x in enumerate(row[:-1])
            }
            block = max(bent, key=lambda at: bent[at])
        _add_direction(basis, moved[-1][block[1], block[0]])
    used = np.array(basis[: len(moved)])
    return block, used, np.einsum("ik,jgfk->fgij", used, np.array(moved))


def _add_direction(basis: list[np.ndarray], v: np.ndarray) -> None:
    """Add what is new in a vector to orthonormal ones."""
    length = np.linalg.norm(v)
    for _ in range(2):
        for known in basis:
            v = v - (v @ known) * known
    if np.linalg.norm(v) > 1e-7 * length:
        basis.append(v / np.linalg.norm(v))


@dataclass(frozen=True, eq=False)
class _Modes:
    """The eigendirections of the curvature in a space of some directions: their curvatures, scaled
    to -1 .. 1, shape (m,), and the directions as columns, shape (m, m).
    """

    values: np.ndarray
    vectors: np.ndarray


def _modes(seen: np.ndarray, block: tuple[int, int]) -> _Modes:
    """Return the eigendirections in which a step is a small matrix each.

    Raises:
        UnpredictableError: where the step mixes them.
    """
    own = seen[block]
    values, vectors = np.linalg.eigh((own + own.T) / 2)
    spread = max(float(values[-1] - values[0]), 1e-300)
    turned = _in_modes(seen, vectors)[block]
    mixed = vectors.T @ own @ vectors - np.diag(turned)
    if (
        np.linalg.norm(mixed)
        > MAX_MIXING * np.linalg.norm(turned - turned.mean()) + 1e-9 * abs(values).max()
    ):
        raise UnpredictableError(
            "the sampler does not treat all coordinates alike, so that its step is no function of"
            " the curvature"
        )
    return _Modes(2.0 * (values - values[0]) / spread - 1.0, vectors)


def _in_modes(seen: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return the slopes in each mode, shape (F + 1, F, m)."""
    return np.einsum("ij,fgik,kj->fgj", vectors, seen, vectors)


def _noise(
    setting: Setting,
    point: np.ndarray,
    copied: Copies,
    basis: np.ndarray,
    starts: np.ndarray,
    modes: _Modes,
) -> np.ndarray:
    """Return the effect of each copy of normal numbers on each copy in a result, mode by mode,
    shape (F + 1, q, m).

    Raises:
        UnpredictableError: where it is no polynomial in the curvature.
    """
    answer = reaction(setting, point)
    turned = modes.vectors.T @ basis
    wanted = np.array([turned @ answer[r] for r in copied.result])
    given = starts @ turned.T
    degree = max(0, min(DEGREE, len(modes.values) // (2 * len(starts)) - 1))
    powers = modes.values[None, :] ** np.arange(degree + 1)[:, None]
    design = (given[:, None, :] * powers[None, :, :]).reshape(-1, len(modes.values))
    fitted = np.linalg.lstsq(design.T, wanted.T, rcond=None)[0]
    left = np.linalg.norm(wanted.T - design.T @ fitted, axis=0)
    if np.any(left > MAX_RESIDUAL * np.linalg.norm(wanted, axis=1) + 1e-12):
        raise UnpredictableError("the sampler does not give all coordinates the same noise")
    shaped = fitted.T.reshape(len(copied.result), len(starts), degree + 1)
    return np.einsum("fsp,pj->fsj", shaped, powers)


def _variances(slopes: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Return the stationary variance of the draw in each mode, shape (m,); infinite where there is
    none.
    """
    found = []
    for j in range(slopes.shape[-1]):
        at = np.zeros(slopes.shape[1])
        law = law_of(Linear(at, np.zeros(slopes.shape[0]), slopes[..., j], noise[..., j]))
        found.append(np.inf if law is None else law.draws[0, 0])
    return np.array(found)
