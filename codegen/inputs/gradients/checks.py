"""What a gradient of one's own must be, seen at the first state in a few calls.

It must be a gradient: ``v.(J w) = w.(J v)`` for its Jacobian J, by differences
(``require_gradient``). Of a posterior it must be an estimate, whatever the number of rows
(``require_estimate``), with the prior once (``require_prior_once``). A correct function must never
be refused, in single precision, with kinks, or with large cancelled sums; so whatever differences
cannot tell from rounding is passed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter

import numpy as np
from sympy import S

from recipe.language.blocks import Block
from recipe.language.errors import RecipeError

Arrays = Sequence[np.ndarray]
Gradient = Callable[[Arrays], Arrays]

# By precision: the smallest difference, in sizes of a coordinate, within which few kinks lie; and
# the rounding of a gradient, with room.
DOUBLE, SINGLE = (1e-6, 1e-12), (3e-4, 3e-6)
STEPS = (1.0, 2.1, 4.3)  # in smallest differences: what rounding or a kink makes depends on them
AGREEMENT = 0.02  # of an asymmetry by these steps, relative: a kink's seldom agree so well
ASYMMETRY = 0.05  # that is refused, relative to the two derivatives
BESIDE = 10.0  # smallest differences from the first state to a place: that state may be on a kink
SEEN = 4  # places that must show an asymmetry of one block with itself or others
PLACES = 40  # where two random directions a block are compared, at most
FEW, PLACES_OF_FEW = 8, 12  # coordinates of all blocks of which each pair is compared, and where
MAX_BLOCKS = 6  # that are compared at one place, chosen at random
MAX_SECONDS, MAX_FIRST_SECONDS = 2.0, 4.0  # that differences may take; that SEEN places may
PROBE, PROBED = 1e-7, 1e-3  # a difference that single precision loses, and its relative error
DISAGREEMENT = 1e-4  # of estimates from the same rows, relative to them: less is not looked at
REORDERED = 100.0  # times what another order of the rows changes, which is rounding
SAME_AS_PRIOR = 0.05  # of a difference and the gradient of minus the log prior, relative
VISIBLE = 1e-5  # of the gradient of the prior beside that of U: less is lost in single precision


def require_gradient(function: Gradient, blocks: Sequence[Block], at: Arrays) -> None:
    """Refuse a function whose Jacobian near a point is not symmetric, so that it is the gradient of
    nothing.

    Args:
        function: returns one array a block, at one array a block.
        blocks: the blocks.
        at: the point.

    Raises:
        RecipeError: naming the two blocks.
    """
    began = perf_counter()
    function(at)
    seconds = perf_counter() - began
    free = [n for n, b in enumerate(blocks) if b.domain == S.Reals]
    count = sum(at[n].size for n in free)
    directions = count if count <= FEW else 2 * min(len(free), MAX_BLOCKS)
    if count < 2 or 2 * len(STEPS) * directions * SEEN * seconds > MAX_FIRST_SECONDS:
        return
    rng = np.random.default_rng(0)
    step, rounding = DOUBLE if _is_in_double_precision(function, free, at, rng) else SINGLE
    seen: dict[int, list[tuple[int, int, tuple[float, float]]]] = {n: [] for n in free}
    for place in range(PLACES_OF_FEW if count <= FEW else PLACES):
        if place >= SEEN and perf_counter() - began > MAX_SECONDS:
            return
        near = _moved(at, free, BESIDE * step, rng)
        pairs = _asymmetric_pairs(function, _directions(free, at, rng), near, step, rounding)
        for n, found in _by_block(pairs).items():
            seen[n].append(found)
            if len(seen[n]) == SEEN:
                a, b, derivatives = seen[n][0]
                raise RecipeError(_sentence(blocks[a], blocks[b], derivatives))


def _by_block(
    pairs: dict[tuple[int, int], tuple[float, float]],
) -> dict[int, tuple[int, int, tuple[float, float]]]:
    """Return for each block one pair that it is in."""
    return {n: (a, b, both) for (a, b), both in pairs.items() for n in (a, b)}


def _sizes(array: np.ndarray) -> np.ndarray:
    return np.maximum(np.abs(array), 1.0)


def _moved(
    at: Arrays, free: Sequence[int], by: float, rng: np.random.Generator
) -> list[np.ndarray]:
    """Return a point beside another one."""
    return [
        a + by * rng.standard_normal(a.size) * _sizes(a) if n in free else a
        for n, a in enumerate(at)
    ]


def _directions(
    free: Sequence[int], at: Arrays, rng: np.random.Generator
) -> list[tuple[int, np.ndarray]]:
    """Return directions, each within a block: all coordinates where there are few, else two random
    ones of each vector.
    """
    if sum(at[n].size for n in free) <= FEW:
        return [(n, row * _sizes(at[n])) for n in free for row in np.eye(at[n].size)]
    some = sorted(rng.permutation(free)[:MAX_BLOCKS])
    return [
        (n, rng.standard_normal(at[n].size) * _sizes(at[n]))
        for n in some
        for _ in range(1 + (at[n].size > 1))  # two in a vector, to see inside of the block
    ]


def _is_in_double_precision(
    function: Gradient, free: Sequence[int], at: Arrays, rng: np.random.Generator
) -> bool:
    """Return True if two small differences give one derivative, as they do not where a function
    rounds to single precision.
    """
    here = _moved(at, free, BESIDE * PROBE, rng)
    further = _moved(at, free, 1.0, rng)
    start = np.concatenate(list(function(here)))
    one, other = (
        (np.concatenate(list(function(_between(here, further, at, step)))) - start) / step
        for step in (PROBE, STEPS[1] * PROBE)
    )
    size = float(np.linalg.norm(one))
    return size > 0 and float(np.linalg.norm(one - other)) < PROBED * size


def _between(here: Arrays, further: Arrays, at: Arrays, step: float) -> list[np.ndarray]:
    """Return a point moved by some of the way from ``at`` to a further one."""
    return [a + step * (b - c) for a, b, c in zip(here, further, at, strict=True)]


def _sentence(a: Block, b: Block, derivatives: tuple[float, float]) -> str:
    one, other = derivatives
    if a is b:
        return (
            f"the gradient of your own by {a} is the gradient of nothing: its matrix of derivatives"
            f" is not symmetric near the first state ({one:.4g} against {other:.4g} in two"
            " directions); give the gradient of minus the log density, not scaled, clipped or"
            " rotated"
        )
    return (
        f"the gradients of your own by {a} and by {b} are not those of one potential: near the"
        f" first state the derivative of the one along {b} is {one:.4g}, and that of the other"
        f" along {a} is {other:.4g}, in one direction of each; see whether the two are swapped in"
        " the tuple that is returned, and that both have the same scale"
    )


def _asymmetric_pairs(
    function: Gradient,
    directions: Sequence[tuple[int, np.ndarray]],
    at: Arrays,
    step: float,
    rounding: float,
) -> dict[tuple[int, int], tuple[float, float]]:
    """Return the pairs of blocks whose derivatives plainly differ, with two of the derivatives."""
    slope = function(at)
    matrices = [_derivatives(function, directions, at, step * factor) for factor in STEPS]
    if not all(np.isfinite(m).all() for m in matrices):
        return {}
    size = [np.linalg.norm(slope[n]) * np.linalg.norm(v) for n, v in directions]
    known = matrices[0]
    pairs = {}
    for i, (a, _) in enumerate(directions):
        for j in range(i):
            gaps = [m[i, j] - m[j, i] for m in matrices]
            if (
                abs(gaps[0]) > rounding / step * max(size[i], size[j])
                and abs(gaps[0]) > ASYMMETRY * (abs(known[i, j]) + abs(known[j, i]))
                and all(abs(gap - gaps[0]) < AGREEMENT * abs(gaps[0]) for gap in gaps)
            ):
                pairs[directions[j][0], a] = float(known[j, i]), float(known[i, j])
    return pairs


def _derivatives(
    function: Gradient, directions: Sequence[tuple[int, np.ndarray]], at: Arrays, step: float
) -> np.ndarray:
    """Return ``v_i . J v_j`` for all pairs of directions, by central differences."""
    columns = []
    for n, v in directions:
        ahead, behind = (
            function([a + sign * step * v if k == n else a for k, a in enumerate(at)])
            for sign in (1, -1)
        )
        by = [(x - y) / (2 * step) for x, y in zip(ahead, behind, strict=True)]
        columns.append([float(u @ by[m]) for m, u in directions])
    return np.array(columns).T


def require_estimate(function: Callable[[np.ndarray], Arrays], rows: np.ndarray) -> None:
    """Refuse a gradient whose estimates from two halves of some rows have not the estimate from all
    of them as their mean, as N/n is missing.

    Args:
        function: returns the estimate from some rows, one array a block.
        rows: the numbers of some rows, two or more.

    Raises:
        RecipeError: with the repair.
    """
    half = rows.size // 2
    if half == 0:
        return
    pair = rows[: 2 * half]
    parts = (pair[:half], pair[half:], pair, pair[::-1])
    one, other, both, turned = (np.concatenate(list(function(some))) for some in parts)
    scale = float(np.max(np.abs([one, other, both])))
    gap = float(np.max(np.abs((one + other) / 2 - both)))
    if gap > max(DISAGREEMENT * scale, REORDERED * float(np.max(np.abs(both - turned)))):
        raise RecipeError(
            f"the gradient of your own is no unbiased estimate: the mean of its values from two"
            f" halves of {2 * half} rows differs from its value from all {2 * half} by"
            f" {gap / scale:.2g} of it. Multiply the sum over the n rows that it gets by N/n, with"
            " n = rows.size and N the number of all rows, and add the gradient of minus the log"
            " prior once. Where that is done, it is clipped or normalised, which no estimate may be"
        )


def require_prior_once(difference: Arrays, prior: Arrays, slope: Arrays) -> None:
    """Refuse a gradient that differs from the derived one by just that of the prior.

    Args:
        difference: the gradient minus the derived one, one array a block.
        prior: the gradient of minus the log prior.
        slope: the derived gradient.

    Raises:
        RecipeError: saying that the prior is missing, or there twice.
    """
    gap, own, all_of_it = (np.concatenate(list(part)) for part in (difference, prior, slope))
    size = float(np.linalg.norm(own))
    if not size > VISIBLE * float(np.linalg.norm(all_of_it)):
        return
    for sign, what in ((-1, "lacks the prior"), (1, "has the prior twice")):
        if float(np.linalg.norm(gap - sign * own)) < SAME_AS_PRIOR * size:
            raise RecipeError(
                f"the gradient of your own {what}: it differs from the one derived from"
                " log_likelihood and log_prior by just the gradient of minus the log prior; add"
                " that once, and not times N/n"
            )
