"""Tests without an exact null law: the order of a bias, and a kernel Stein discrepancy. Their lines
are indicative and never decide.
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

MAX_SLOPE_ERRORS = 4.0  # standard errors between a slope and the proved order
MIN_BIAS_ERRORS = 3.0  # standard errors: a smaller bias may be chance
ORDER_STREAM, STEIN_STREAM = 4, 5  # keys of random numbers beside the seed, one for each use
BOOTSTRAP_SAMPLES = 5000
STEIN_LEVEL = 0.001  # probability that the bootstrap exceeds the threshold
MAX_STEIN_DRAWS = 4000  # the matrix of a discrepancy has the square of this number of entries


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
    """Measure how the bias of a feature depends on the step size, beside the order that is
    proved.

    Replicas start in the target and run for ``time``. The bias is the mean change of the feature.
    The slope of its logarithm against that of the step size is fitted by weighted least squares,
    and compared with ``order``. Higher orders, a time that is too short, and correlations make the
    slope inexact: so the line is indicative.

    Args:
        step_of: the function that returns the kernel for a step size.
        target: exact draws of the target, ``target(rng, n)``, by block, arrays (n, length).
        feature: a function of a state, a dict of arrays (n, length), that returns n numbers.
        order: the order that is proved.
        step_sizes: two or more step sizes, none larger than ``time``.
        time: how long replicas run, in units of the step size.
        replicas: the number of replicas at each step size.
        seed: the seed of all random numbers.
        batched: whether the kernel moves many chains in one call, see ``Stepper``.
        name: the name of the kernel in the findings.

    Returns:
        One line, which is indicative.

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
    """Return the mean change of a feature after some steps, and its standard error."""
    start = law.rows(rng, replicas)
    state = start
    for _ in range(steps):
        state = kernel.advance(state, rng)
    moved = np.asarray(feature(state), dtype=float) - np.asarray(feature(start), dtype=float)
    return float(moved.mean()), float(moved.std() / np.sqrt(replicas))


def _slope(x: Array, y: Array, errors: Array) -> tuple[float, float]:
    """Return the slope of a weighted least-squares line, and its standard error."""
    weights = 1 / errors**2
    middle = (weights * x).sum() / weights.sum()
    spread = (weights * (x - middle) ** 2).sum()
    return float((weights * (x - middle) * y).sum() / spread), float(1 / np.sqrt(spread))


def indicate_law(draws: Any, score: Any, *, seed: int = 0, name: str = "these draws") -> Findings:
    """Compute a kernel Stein discrepancy of independent draws, for a law of which only the score is
    known.

    The kernel is the inverse multiquadric one of Gorham & Mackey (2017), "Measuring sample quality
    with kernels", ICML. The null law is the bootstrap with random signs of Chwialkowski, Strathmann
    & Gretton (2016), "A kernel test of goodness of fit", ICML. It is correct as the number of draws
    grows: so the line is indicative.

    Args:
        draws: independent draws, an array (n, length) with n up to 4000.
        score: the gradient of the log density at each draw, an array of the same shape.
        seed: the seed of the random signs.
        name: the name of the draws in the findings.

    Returns:
        One line, which is indicative.

    Raises:
        RecipeError: if the shapes do not fit, or a number is not finite.
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
    """Return ``k_P(x, y)`` for ``k = (c^2 + |x - y|^2)^(-1/2)``, where c is the median distance."""
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
