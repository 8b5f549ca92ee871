"""What is seen of a gradient of one's own after a run: that it may be that of a mean over the rows,
which is U/N, that it has few digits, or that it is no function of its arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from codegen.inputs.gradients.user_gradient import call_user_gradient
from codegen.running.chains import Chain
from codegen.running.compiled import Compiled
from recipe.declare.posterior import Posterior
from recipe.language.errors import RecipeError

Arrays = Sequence[np.ndarray]

MIN_ROWS = 100  # of a posterior: with fewer a mean and a sum are too near each other
SEEN_ROWS = 100  # that noise and curvature are found from
DIRECTIONS = 6  # that the trace of the curvature is found from
STEP = 1e-3  # of differences
MEAN_LOSS = 0.2, 5.0  # where noise over curvature is called 1; of U itself it is near N
MAX_SECONDS = 2.0


def own_gradient_faults(kernel: Compiled, chains: Sequence[Chain]) -> Iterator[str]:
    """Yield a sentence for what is suspicious about each gradient of the user.

    Args:
        kernel: the compiled module of the run.
        chains: its chains, after the run.
    """
    yield from _few_digits(kernel)
    yield from filter(None, (g.changed() for g in kernel.calls.gradients.values()))
    healthy = [c for c in chains if c.stopped_by < 0 and c.done > 0]
    for U, estimator in kernel.module.estimators.items():
        posterior, given = estimator.gradient.posterior, estimator.gradient
        arrays = [kernel.data[f] for f in given.fields.values()]
        rows = arrays[0].shape[0] if arrays else 0
        known = given.derived is None and posterior.log_likelihood is None
        fields = kernel.module.plan.fields
        moved = all(b in fields for b in posterior.blocks)  # and not images of what the chain moves
        if not known or rows < MIN_ROWS or not healthy or not moved:
            continue
        function = own_function(kernel, kernel.module.plan.potentials.index(U))
        at = [_mean(healthy, fields[b]) for b in posterior.blocks]
        found = _information(_of_posterior(posterior, function, arrays), at, rows)
        if found is not None and MEAN_LOSS[0] < found < MEAN_LOSS[1]:
            yield _sentence(rows, found)


def own_function(kernel: Compiled, place: int) -> Any:
    """Return the function of the user for the potential at this place of the plan."""
    own = kernel.gradient
    compiled = own[place] if isinstance(own, tuple) else own
    return kernel.calls.gradients.get(place, compiled)


def _sentence(rows: int, found: float) -> str:
    return (
        "the gradient of your own looks like that of U/N, the mean of a loss over the"
        f" {rows} rows: the variance of its estimates from single rows is {found:.2g} times its"
        f" curvature, where a sum over N = {rows} rows has about {rows} times (the variance of the"
        " score is the information). Draws are then sqrt(N) times too wide: multiply the mean of"
        " the loss by N. Where the prior outweighs the data, or the model fits them far better"
        " than its noise allows, this says nothing"
    )


def _few_digits(kernel: Compiled) -> Iterator[str]:
    for gradient in kernel.calls.gradients.values():
        for name, digits in gradient.few_digits.items():
            yield (
                f"the gradient of your own is in {name}, of {digits} digits: the draws are of no"
                " law that is known; compute it in float32 or float64"
            )


def _mean(chains: Sequence[Chain], field: str) -> np.ndarray:
    """Return the mean of the draws of a block, or of the last states where none are kept."""
    kept = [getattr(c.draws, field, None) for c in chains]
    draws = [d for d in kept if d is not None and d.size and np.isfinite(d).all()]
    if len(draws) < len(chains):
        draws = [getattr(c.state, field)[None] for c in chains]
    return np.mean([np.mean(d, axis=0) for d in draws], axis=0)


def _of_posterior(
    posterior: Posterior, function: Any, arrays: Arrays
) -> Callable[[Arrays, np.ndarray], np.ndarray]:
    def gradient(at: Arrays, rows: np.ndarray) -> np.ndarray:
        return np.concatenate(call_user_gradient(posterior, function, at, rows, arrays))

    return gradient


def _information(
    gradient: Callable[[Arrays, np.ndarray], np.ndarray], at: Arrays, count: int
) -> float | None:
    """Return the variance of estimates from single rows, over the curvature: N for the gradient of
    U, and 1 for that of U/N.

    From row i a gradient of ``c U`` estimates ``c N`` times the derivative of that row, so that the
    variance over i is ``(c N)^2`` times that of a row, which near the mode of a model that fits its
    data is the curvature of a row, its Fisher information. The curvature of ``c U`` is ``c N``
    times that. So the ratio is ``c N``. Both are traces; that of the curvature is found from
    differences along random signs.

    Args:
        gradient: the gradient at a point, from some rows.
        at: the point, one array a block.
        count: N.

    Returns:
        The ratio; None where it cannot be seen.
    """
    rng = np.random.default_rng(0)
    rows = np.sort(rng.choice(count, min(SEEN_ROWS, count), replace=False)).astype(np.int64)
    try:
        gradient(at, rows[:1])  # which may compile it for one row
        began = perf_counter()
        singles = [gradient(at, rows[:1])]
        if (perf_counter() - began) * rows.size > MAX_SECONDS:
            return None
        singles += [gradient(at, rows[k : k + 1]) for k in range(1, rows.size)]
        slopes = [_slope(gradient, at, rows, rng) for _ in range(DIRECTIONS)]
    except RecipeError:  # it is not finite there
        return None
    variance, curvature = float(np.sum(np.var(singles, axis=0, ddof=1))), float(np.mean(slopes))
    seen = np.isfinite(variance) and np.isfinite(curvature) and curvature > 0
    return variance / curvature if seen else None


def _slope(
    gradient: Callable[[Arrays, np.ndarray], np.ndarray],
    at: Arrays,
    rows: np.ndarray,
    rng: np.random.Generator,
) -> float:
    """Return ``v . H v`` for a direction v of random signs."""
    signs = [rng.choice([-1.0, 1.0], a.size) for a in at]
    step = STEP * max(1.0, *(float(np.max(np.abs(a))) for a in at))
    ahead, behind = (
        gradient([a + s * step * v for a, v in zip(at, signs, strict=True)], rows) for s in (1, -1)
    )
    return float(np.concatenate(signs) @ (ahead - behind)) / (2 * step)
