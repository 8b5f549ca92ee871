"""What a gradient of one's own must be, seen at the first state in a few calls.

It must be a gradient: ``v.(J w) = w.(J v)`` for its Jacobian J, by differences
(``require_gradient``). Of a posterior it must be an estimate, whatever the number of rows
(``require_estimate``), with the prior once (``require_prior_once``). A correct function must never
be refused, in single precision, with kinks, or with large cancelled sums; so whatever differences
cannot tell from rounding is passed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement
from time import perf_counter

import numpy as np
from sympy import S

from recipe.language.errors import RecipeError
from recipe.language.symbols import Block

Arrays = Sequence[np.ndarray]
Gradient = Callable[[Arrays], Arrays]

RELATIVE_STEP = 1e-3  # of the smallest difference, in sizes of a coordinate
STEPS = (1.0, 2.0, 4.0)  # in smallest differences: what rounding or a kink makes depends on them
AGREEMENT = 0.2  # of an asymmetry by two steps, relative
ASYMMETRY = 0.05  # that is refused, relative to the two derivatives
ROUNDING = 50 * 6e-8  # of a gradient in single precision, with room
FIRST = 2  # random directions of a block, or pairs of blocks: all must show an asymmetry
DIRECTIONS = 40  # at most, of which SEEN must show it within a block, and by CLOSE agreement
SEEN, CLOSE = 3, 0.01  # so that a kink, whose differences seldom agree so well, is passed
MAX_BLOCKS = 6  # that are compared
MAX_SECONDS = 2.0  # that differences may take
DISAGREEMENT = 1e-4  # of estimates from the same rows, relative to them: less is not looked at
REORDERED = 100.0  # times what another order of the rows changes, which is rounding
SAME_AS_PRIOR = 0.05  # of a difference and the gradient of minus the log prior, relative
VISIBLE = 1e-5  # of the gradient of the prior beside that of U: less is lost in single precision


def require_gradient(function: Gradient, blocks: Sequence[Block], at: Arrays) -> None:
    """Refuse a function whose Jacobian at a point is not symmetric, so that it is the gradient of
    nothing.

    Args:
        function: returns one array a block, at one array a block.
        blocks: the blocks.
        at: the point.

    Raises:
        RecipeError: naming the two blocks.
    """
    began = perf_counter()
    slope = function(at)
    free = [n for n, b in enumerate(blocks) if b.domain == S.Reals][:MAX_BLOCKS]
    seconds = 2 * len(STEPS) * 2 * len(free) * (perf_counter() - began)  # of one direction
    if not free or seconds * FIRST > MAX_SECONDS:
        return
    rng = np.random.default_rng(0)
    found = [_asymmetric_pairs(function, free, at, slope, rng) for _ in range(FIRST)]
    for a, b in combinations_with_replacement(free, 2):
        if all((a, b) in pairs for pairs in found):
            raise RecipeError(_sentence(blocks[a], blocks[b], found[0][a, b]))
    for n in free:
        _require_symmetric(function, blocks[n], n, at, slope, seconds)


def _require_symmetric(
    function: Gradient, block: Block, n: int, at: Arrays, slope: Arrays, seconds: float
) -> None:
    """Ask further directions within a block: one pair of them often shows nothing."""
    if at[n].size == 1:
        return
    rng = np.random.default_rng(1)
    seen: list[tuple[float, float]] = []
    for _ in range(min(DIRECTIONS, int(MAX_SECONDS / max(seconds, 1e-9)) - FIRST)):
        seen += _asymmetric_pairs(function, [n], at, slope, rng, CLOSE).values()
        if len(seen) >= SEEN:
            raise RecipeError(_sentence(block, block, seen[0]))


def _sentence(a: Block, b: Block, derivatives: tuple[float, float]) -> str:
    one, other = derivatives
    if a is b:
        return (
            f"the gradient of your own by {a} is the gradient of nothing: its matrix of derivatives"
            f" is not symmetric at the first state ({one:.4g} against {other:.4g} in two random"
            " directions); give the gradient of minus the log density, not scaled, clipped or"
            " rotated"
        )
    return (
        f"the gradients of your own by {a} and by {b} are not those of one potential: at the first"
        f" state the derivative of the one along {b} is {one:.4g}, and that of the other along {a}"
        f" is {other:.4g}, in one random direction of each; see whether the two are swapped in the"
        " tuple that is returned, and that both have the same scale"
    )


def _asymmetric_pairs(
    function: Gradient,
    free: Sequence[int],
    at: Arrays,
    slope: Arrays,
    rng: np.random.Generator,
    agreement: float = AGREEMENT,
) -> dict[tuple[int, int], tuple[float, float]]:
    """Return the pairs of blocks whose derivatives plainly differ, with two of the derivatives."""
    directions = [
        (n, rng.standard_normal(at[n].size) * np.maximum(np.abs(at[n]), 1.0))
        for n in free
        for _ in range(1 + (at[n].size > 1))  # two in a vector, to see inside of the block
    ]
    matrices = [_derivatives(function, directions, at, RELATIVE_STEP * step) for step in STEPS]
    if not all(np.isfinite(m).all() for m in matrices):
        return {}
    size = [np.linalg.norm(slope[n]) * np.linalg.norm(v) for n, v in directions]
    pairs = {}
    for i, (a, _) in enumerate(directions):
        for j in range(i):
            b = directions[j][0]
            gaps = [m[i, j] - m[j, i] for m in matrices]
            known = matrices[0]
            noise = ROUNDING / RELATIVE_STEP * max(size[i], size[j])
            if (
                abs(gaps[0]) > noise
                and abs(gaps[0]) > ASYMMETRY * (abs(known[i, j]) + abs(known[j, i]))
                and all(abs(gap - gaps[0]) < agreement * abs(gaps[0]) for gap in gaps)
            ):
                pairs[b, a] = float(known[j, i]), float(known[i, j])
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
            " prior once"
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
