"""Tests without an exact null: how a bias goes with the step size, and Stein discrepancies. They
never decide anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.spatial import distance

from recipe import RecipeError
from verify.statistics.law.two_sample import ExactDraws, InvariantLaw
from verify.statistics.null.findings import ComparisonLine, ComparisonOutcome, Findings
from verify.statistics.null.levels import checked_seed
from verify.statistics.numbers.arrays import Array, State
from verify.statistics.numbers.callables import Step, Stepper, stepper

MAX_SLOPE_ERRORS = 4.0  # standard errors within which an order is called the proved one
MIN_BIAS_ERRORS = 3.0  # a bias below so many standard errors says nothing of an order
ORDER_STREAM, STEIN_STREAM = 4, 5  # what random numbers are for
BOOTSTRAP_SAMPLES = 5000
STEIN_LEVEL = 0.001  # how often the bootstrap is beyond the threshold
MAX_STEIN_DRAWS = 4000  # points of a Stein discrepancy, whose matrix is as large as their square


def indicate_order(
    step_of: Callable[[float], Step | Stepper],
    target: ExactDraws,
    feature: Callable[[State], Any],
    *,
    order: int,
    step_sizes: Sequence[float],
    time: float,
    replicas: int = 100_000,
    seed: int = 0,
    batched: bool = False,
    name: str = "this kernel",
) -> Findings:
    """How the bias of a feature goes with the step size, beside the order that is proved of it.

    Replicas start in the target and run for ``time``; the bias is the difference of the feature to
    that of the same replicas at the start. The slope of its logarithm is compared with ``order``,
    by weighted least squares: higher orders, a time that is too short and correlations make it
    inexact, so that the line is indicative.

    Raises:
        RecipeError: for fewer than two step sizes, or a time that is shorter than one of them.
    """
    sizes = np.array(sorted(step_sizes), dtype=float)
    if len(sizes) < 2 or sizes[0] <= 0 or not sizes[-1] <= time:
        raise RecipeError(
            f"step_sizes={list(step_sizes)} must be two or more positive numbers, none above"
            f" time={time}"
        )
    rng, law = np.random.default_rng([checked_seed(seed), ORDER_STREAM]), InvariantLaw(target)
    found = [
        _bias(
            stepper(step_of(float(h)), batched=batched),
            law,
            feature,
            max(1, round(time / h)),
            replicas,
            rng,
        )
        for h in sizes
    ]
    bias, error = (np.array(column) for column in zip(*found, strict=True))
    seen = np.abs(bias) > MIN_BIAS_ERRORS * error
    if seen.sum() < 2:
        where = (
            f"the bias is below {MIN_BIAS_ERRORS:g} standard errors at all but {int(seen.sum())}"
            " step sizes"
        )
        line = ComparisonLine(
            "order of the bias",
            "least squares",
            0.0,
            MAX_SLOPE_ERRORS,
            "standard errors",
            1.0,
            ComparisonOutcome.INDICATIVE,
            None,
            "nothing",
            where,
        )
        return Findings(name, (line,), seed, 0.0, 0.5, 2.0, replicas)
    slope, spread = _slope(
        np.log(sizes[seen]), np.log(np.abs(bias[seen])), error[seen] / np.abs(bias[seen])
    )
    where = f"the slope is {slope:.3g} with a standard error of {spread:.2g}, and {order} is proved"
    far = abs(slope - order) / spread
    line = ComparisonLine(
        "order of the bias",
        "least squares",
        float(far),
        MAX_SLOPE_ERRORS,
        "standard errors",
        1.0,
        ComparisonOutcome.INDICATIVE,
        MAX_SLOPE_ERRORS * spread,
        "an order that differs by",
        where,
    )
    return Findings(name, (line,), seed, 0.0, 0.5, 2.0, replicas)


def _bias(
    kernel: Stepper,
    law: InvariantLaw,
    feature: Callable[[State], Any],
    steps: int,
    replicas: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    start = law.rows(rng, replicas)
    state = start
    for _ in range(steps):
        state = kernel.advance(state, rng)
    moved = np.asarray(feature(state), dtype=float) - np.asarray(feature(start), dtype=float)
    return float(moved.mean()), float(moved.std() / np.sqrt(replicas))


def _slope(x: Array, y: Array, errors: Array) -> tuple[float, float]:
    weights = 1 / errors**2
    middle = (weights * x).sum() / weights.sum()
    spread = (weights * (x - middle) ** 2).sum()
    return float((weights * (x - middle) * y).sum() / spread), float(1 / np.sqrt(spread))


def indicate_law(draws: Any, score: Any, *, seed: int = 0, name: str = "these draws") -> Findings:
    """A kernel Stein discrepancy of independent draws from a law of which only the score is known.

    The inverse multiquadric kernel of Gorham & Mackey (2017), "Measuring sample quality with
    kernels", ICML; the null is that of the bootstrap with random signs of Chwialkowski, Strathmann
    & Gretton (2016), "A kernel test of goodness of fit", ICML, which is right as the number of
    draws grows: hence indicative.

    Args:
        draws: independent draws, shape (n, length).
        score: the gradient of the log density at each, of the same shape.

    Raises:
        RecipeError: where the shapes do not fit.
    """
    x, s = (np.asarray(a, dtype=float) for a in (draws, score))
    if (
        x.ndim != 2
        or x.shape != s.shape
        or len(x) < 2
        or len(x) > MAX_STEIN_DRAWS
        or not np.isfinite([x, s]).all()
    ):
        raise RecipeError(
            f"draws and score have the shapes {x.shape} and {s.shape}; both must be (n, length),"
            f" finite, n to {MAX_STEIN_DRAWS}"
        )
    h = _stein_matrix(x, s)
    np.fill_diagonal(h, 0)
    rng = np.random.default_rng([checked_seed(seed), STEIN_STREAM])
    signs = rng.choice([-1.0, 1.0], size=(BOOTSTRAP_SAMPLES, len(x)))
    under = ((signs @ h) * signs).sum(axis=1)
    ratio = float(h.sum() / np.quantile(under, 1 - STEIN_LEVEL))
    where = f"{(under >= h.sum()).mean():.3g} of {BOOTSTRAP_SAMPLES} bootstrap values are as large"
    line = ComparisonLine(
        "Stein discrepancy",
        "bootstrap",
        ratio,
        1.0,
        "quantiles of the bootstrap",
        STEIN_LEVEL,
        ComparisonOutcome.INDICATIVE,
        None,
        "",
        where,
    )
    return Findings(name, (line,), seed, 0.0, 0.5, 2.0, len(x))


def _stein_matrix(x: Array, s: Array) -> Array:
    """``k_P(x, y)`` for ``k = (c^2 + |x - y|^2)^(-1/2)``, c the median distance."""
    squared = distance.cdist(x, x, "sqeuclidean")
    c2 = float(np.median(squared[squared > 0])) if (squared > 0).any() else 1.0
    base = c2 + squared
    own = (s * x).sum(axis=1)
    inner, cross = (
        s @ s.T,
        own[:, None] + own[None, :] - s @ x.T - x @ s.T,
    )  # (s_i - s_j) . (x_i - x_j)
    d = x.shape[1]
    return np.asarray(
        inner * base**-0.5 + cross * base**-1.5 + d * base**-1.5 - 3 * squared * base**-2.5
    )
