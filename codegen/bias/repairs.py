"""Settings whose predicted bias is within the budget, from the equations that predict the bias."""

from __future__ import annotations

import math

import numpy as np

from codegen.bias.linear.compare import Bias, Law, bias_like, law_of
from codegen.bias.linear.linearise import Linear, Setting, linearised, with_size
from codegen.bias.linear.minibatch_noise import BatchNoise, batch_with_share
from codegen.bias.prediction import Repairs
from codegen.bias.step.unpredictable import UnpredictableError

TRIALS = 4  # step sizes that are tried
NEAR_ENOUGH = 0.6  # of the budget: a step with less bias than that is smaller than it need be
LARGEST_CHANGE, SMALLEST_CHANGE = 3.0, 0.003  # factors, from one trial to the next
BISECTIONS = 40
SAFETY = 0.9  # of the largest change of the step size within the budget, without a trial


def smaller_step(
    setting: Setting,
    here: Linear,
    target: Law,
    now: tuple[Bias, Law | None],
    noise: BatchNoise | None,
    budget: float,
) -> float | None:
    """Return a step size whose bias is within the budget, a smaller one than now; None where none
    was found.

    Args:
        setting: the step with its size.
        here: the step near its fixed point.
        target: the law that is wanted.
        now: the bias at the step size now, and its law.
        noise: that of minibatches at the step size now; None for all of the data.
        budget: the largest bias.
    """
    bias, size, found = now[0], setting.step_size, None
    for _ in range(TRIALS):
        change = change_of_step(bias, budget)
        if found is not None and change < 1.0 / NEAR_ENOUGH:
            break
        size = min(size * change, setting.step_size)
        tried = with_size(setting, size)
        try:
            bias = bias_like(_law_at(tried, here, target, noise), target, *now)
        except UnpredictableError:
            return found
        if bias.size <= budget:
            found = size if found is None else max(size, found)
        elif found is not None:
            break
    return None if found is None or found >= setting.step_size else found


def change_of_step(bias: Bias, budget: float) -> float:
    """Return the factor of the step size after which the bias is about the budget: the excess of
    variances and the shifts of means grow about as the step size does.
    """
    excess = float(np.max(np.abs(bias.variance - 1.0))) / (2.0 * budget)
    shift = float(np.max(np.abs(bias.shift))) / budget
    with np.errstate(all="ignore"):
        change = 0.9 / max(excess, shift, 1e-300)
    return min(LARGEST_CHANGE, max(SMALLEST_CHANGE, change)) if math.isfinite(change) else 0.1


def _law_at(setting: Setting, here: Linear, target: Law, noise: BatchNoise | None) -> Law | None:
    near = linearised(setting, here.point, np.sqrt(np.diag(target.points)))
    return law_of(near, None if noise is None else noise.at_size(setting, near))


def larger_batch(
    alone: Bias, total: Bias, batch: int, rows: int, replace: bool, budget: float
) -> int | None:
    """Return the smallest minibatch within the budget; None where the step alone is beyond it.

    Args:
        alone: the bias of the step size alone.
        total: the bias with minibatches of ``batch`` rows.
        batch: their rows.
        rows: the rows of the data.
        replace: whether rows are drawn with replacement.
        budget: the largest bias.
    """
    if alone.size > budget or not np.isfinite(total.variance).all():
        return None
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        share = (low + high) / 2
        low, high = (share, high) if alone.with_share(total, share).size <= budget else (low, share)
    if low <= 0.0:
        return rows
    return rounded_up(batch_with_share(low, batch, rows, replace))


def proportional_repairs(
    setting: Setting, same: Bias, total: Bias, alone: Bias, budget: float
) -> Repairs:
    """Return repairs without a trial: biases grow about as the step size does, or faster.

    Args:
        setting: the step with its size.
        same: the bias of the step size alone in the coordinate that has the largest bias.
        total, alone: the largest biases.
        budget: the largest bias.
    """
    options = setting.step.kernel.options
    change = SAFETY * min(1.0, change_of_step(total, budget))
    step = rounded_down(options.schedule.a * change)
    if not options.rows or setting.step.kernel.module.plan.variances or alone.size > budget:
        return Repairs(step)
    rows = min(
        setting.step.kernel.data[f].shape[0]
        for e in setting.step.kernel.module.estimators.values()
        for f in e.gradient.fields.values()
    )
    return repairs(
        step, larger_batch(same, total, options.rows, rows, options.replace, budget), False, rows
    )


def repairs(step: float | None, batch: int | None, controls: bool, rows: int) -> Repairs:
    """Return these repairs; a minibatch of as many rows as there are data stands for all of
    them.
    """
    if batch is not None and batch >= rows:
        return Repairs(step, None, controls, True)
    return Repairs(step, batch, controls)


def rounded_down(x: float) -> float:
    """Return a number with two digits, not above ``x``."""
    unit = 10.0 ** (math.floor(math.log10(x)) - 1)
    return float(f"{math.floor(x / unit) * unit:.2g}")


def rounded_up(x: float) -> int:
    """Return a whole number with two digits, not below ``x``."""
    unit = 10 ** max(0, math.floor(math.log10(max(x, 1.0))) - 1)
    return math.ceil(x / unit) * unit
