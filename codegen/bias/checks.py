"""Faults of a run that are plain to see, whatever can be predicted: chains that ran away or all
diverged, and columns of data on very different scales.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import numpy as np

from codegen.bias.column_scales import unequal_columns
from codegen.bias.own_gradient import own_function, own_gradient_faults
from codegen.inputs.gradients.user_gradient import call_user_gradient
from codegen.inputs.preimages import reported_block
from codegen.running.chains import Chain
from codegen.running.compiled import Compiled
from recipe.language.abstract import Potential

RAN_AWAY = 1e12  # no coordinate of a usable parametrisation is so large
FAR = 2.0  # times the size of the first draw, or 1: as far as a chain goes that is said to run away
STEADY = 0.8  # of its speed that such a chain has at its end
UNDIMINISHED = 0.999  # of the slope that it has at its end; towards a mode the slope vanishes
QUARTERS = 4  # of the second half of the draws
MAX_ROWS = 1000  # that the slope is found from


def plain_faults(kernel: Compiled, chains: Sequence[Chain]) -> Iterator[str]:
    """Yield a sentence for each fault of a run.

    Args:
        kernel: the compiled module of the run.
        chains: its chains, after the run.
    """
    stopped = [c for c in chains if c.stopped_by >= 0]
    told_why = any(c.number in kernel.calls.faults for c in stopped)  # each divergence says it
    if len(stopped) == len(chains) > 1 and not told_why:
        yield (
            f"all {len(chains)} chains diverged, so there are no draws to trust; take a step size"
            " that is ten times smaller"
        )
    away = tuple(_ran_away(kernel, chains))
    yield from away or _running_away(kernel, chains)
    yield from own_gradient_faults(kernel, chains)
    yield from _unscaled(kernel)


def _ran_away(kernel: Compiled, chains: Sequence[Chain]) -> Iterator[str]:
    plan = kernel.module.plan
    own = (
        ", or change the sign of the gradient of your own, which is that of minus the log density"
        if kernel.gradient
        else ""
    )
    for block in plan.state:
        if block.image is not None:  # the draws are those of the image
            continue
        largest = max((_largest(getattr(c.state, plan.fields[block])) for c in chains), default=0.0)
        if largest > RAN_AWAY:
            yield (
                f"{reported_block(block).name} has reached {largest:.0e}, where no posterior is:"
                f" the chains have run away; take a smaller step, or standardise the data{own}"
            )


def _running_away(kernel: Compiled, chains: Sequence[Chain]) -> Iterator[str]:
    """Yield that chains run away under a gradient of the user: all of them are far from where they
    began, do not slow down, and are pushed outwards as strongly as before.
    """
    plan, estimators = kernel.module.plan, kernel.module.estimators
    for place, U in enumerate(plan.potentials):
        estimator = estimators.get(U)
        if estimator is not None and estimator.gradient.derived is not None:
            continue
        blocks = U.blocks if estimator is None else estimator.gradient.posterior.blocks
        fields = [plan.fields.get(b, "") for b in blocks]
        counts = [kernel.options.draws_after(c.done) for c in chains]
        kept = all(getattr(c.draws, f, np.empty(0)).size for c in chains for f in fields)
        if not kept or min(counts) <= 2 * QUARTERS or any(c.stopped_by >= 0 for c in chains):
            continue
        paths = [_path(c, fields, n) for c, n in zip(chains, counts, strict=True)]
        if all(_leaves(kernel, U, place, path) for path in paths):
            names = ", ".join(b.name for b in blocks)
            furthest = max(_largest(np.concatenate(path[-1])) for path in paths)
            yield (
                f"the chains run away: {names} has gone on to {furthest:.3g} without slowing down,"
                " and the gradient of your own pushes it outwards there as strongly as before. Is"
                " that the gradient of minus the log density? With the other sign there is no mode:"
                " change the sign. If it is right, the law has no end there, or the chains began"
                " too far from its mode"
            )


def _path(chain: Chain, fields: Sequence[str], count: int) -> list[list[np.ndarray]]:
    """Return the first draw, and five over the second half: one array a block."""
    places = [0, *np.linspace(count // 2, count - 1, QUARTERS + 1).astype(int)]
    return [[np.array(getattr(chain.draws, f)[n], float).ravel() for f in fields] for n in places]


def _leaves(
    kernel: Compiled, U: Potential, place: int, path: Sequence[Sequence[np.ndarray]]
) -> bool:
    """Whether a chain goes on, far out, along a gradient that does not diminish."""
    points = [np.concatenate(p) for p in path]
    way = points[-1] - points[0]
    far = float(np.linalg.norm(way))
    size = max(float(np.linalg.norm(points[0])), points[0].size ** 0.5)
    if not np.isfinite(far) or far <= FAR * size:
        return False
    gains = np.diff([float(p @ way) / far for p in points[1:]])
    if gains.min() <= 0 or gains[-1] < STEADY * gains.mean():
        return False
    try:
        middle, end = (-_slope(kernel, U, place, path[n]) @ way for n in (1, -1))
    except Exception:  # the function is the user's program, and may raise anything
        return False
    return bool(end > 0 and end >= UNDIMINISHED * middle)


def _slope(kernel: Compiled, U: Potential, place: int, at: Sequence[np.ndarray]) -> np.ndarray:
    """Return the gradient of the user at a point, from some rows where it is of a posterior."""
    function, estimator = own_function(kernel, place), kernel.module.estimators.get(U)
    if estimator is None:
        found = [np.zeros(a.size) for a in at]
        function(*found, *(a.copy() for a in at))
        return np.concatenate(found)
    data = [kernel.data[f] for f in estimator.gradient.fields.values()]
    count = data[0].shape[0] if data else 1
    rows = np.unique(np.linspace(0, count - 1, min(count, MAX_ROWS)).astype(np.int64))
    return np.concatenate(
        call_user_gradient(estimator.gradient.posterior, function, at, rows, data)
    )


def _largest(values: np.ndarray) -> float:
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max(initial=0.0))


def _unscaled(kernel: Compiled) -> Iterator[str]:
    """Yield a sentence for each array with a column on another scale, unless tuning has given each
    coordinate a scale of its own.
    """
    tuning = kernel.options.tuning
    if tuning is not None and json.loads(tuning).get("scaled", False):
        return
    for estimator in kernel.module.estimators.values():
        for symbol, name in estimator.gradient.fields.items():
            found = unequal_columns(symbol, kernel.data[name])
            if found is not None:
                yield f"standardise: {found}; one step size does not fit both"
