"""Tune a recipe whose state has too many coordinates for matrices: each setting is tried by a short
run, whose bias is predicted from pairs of shorter ones (``codegen.bias.many_coordinates``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from codegen.bias.linear.work import WorkOfMany
from codegen.bias.many_coordinates import MIN_STEPS, predict_many
from codegen.bias.prediction import Prediction
from codegen.bias.step.unpredictable import UnpredictableError
from codegen.results.diagnostics.convergence import Estimates, convergence
from codegen.running.chains import Chain
from codegen.system.doing import counted, doing
from codegen.tuning.law.pilot import Pilot
from codegen.tuning.law.target import Target
from codegen.tuning.linear_step import setting_near
from codegen.tuning.prepared import Prepared, rounded
from codegen.tuning.trial import Trial

WARM_TIMES, TIMES, SHORT_TIMES = 8, 40, 20  # relaxation times: of a run, and of a short run
RECORDS = 300  # of each chain
PIECES = 60  # of its warm-up, after each of which the progress is said
POINTS, DIRECTIONS = 32, 16
TRIES = 6  # step sizes
SMALLER, LARGEST_CUT = 0.8, 0.1  # of a step size, from one try to the next
ERRORS = 3.5  # Monte Carlo errors by which a run may differ from the pilot beside the budget
APART = 0.01  # of the coordinates may differ by more, as the errors of thousands do
SLOW_SHARE = 0.05  # of the coordinates have fewer effective draws than those that count


@dataclass(frozen=True, eq=False)
class Tried:
    """A step size that is within the budget.

    Attributes:
        step_size: it.
        bias: the predicted bias, in posterior standard deviations.
        time: the steps for an effective draw.
    """

    step_size: float
    bias: float
    time: float


def tried(
    made: Prepared,
    target: Target,
    pilot: Pilot,
    first: float,
    relaxation: float,
    budgets: tuple[float, float],
) -> Tried | str:
    """Return the first step size that is within a budget, or why none is, a clause.

    Args:
        made: the compiled sampler, with its minibatch.
        target: the law.
        pilot: its pilot run.
        first: the largest step size to try.
        relaxation: the relaxation time of the widest direction, in the unit of the step size.
        budgets: the largest predicted bias, and the largest difference of a run from the pilot.
    """
    size, reason = first, ""
    for _ in range(TRIES):
        size = rounded(size)
        try:
            found, shown = _run(made, target, pilot, size, relaxation / size)
            bias = _size(found)
            if bias <= budgets[0]:
                if _agrees(shown, pilot, budgets[1]):
                    smallest = np.fmin(shown.ess_bulk, shown.ess_tail)
                    draws = float(np.nanquantile(smallest, SLOW_SHARE))
                    kept = len(pilot.last) * RECORDS * _thin(relaxation / size)
                    return Tried(size, bias, max(1.0, kept / max(draws, 1.0)))
                bias = 2.0 * budgets[1]
            reason = "its bias is beyond the budget at every step size tried"
            cut = 0.9 * budgets[0] / bias if np.isfinite(bias) else LARGEST_CUT
        except UnpredictableError as unknown:
            reason, cut = f"nothing can be predicted, as {unknown}", 0.5
        size *= min(SMALLER, max(LARGEST_CUT, cut))
    return f"{reason}, from {first:.3g} down"


def _run(
    made: Prepared, target: Target, pilot: Pilot, size: float, time: float
) -> tuple[Prediction, Estimates]:
    """Return the predicted bias of a run, and the estimates from its draws.

    Raises:
        UnpredictableError: where nothing can be predicted, or a chain diverges.
    """
    doing(_said(made, size))
    trial = Trial(made, target, pilot.last)
    warm, thin = int(WARM_TIMES * time) + 1, _thin(time)
    for k, count in enumerate(np.diff(np.linspace(0, warm, PIECES + 1).astype(int))):
        counted(k, PIECES + RECORDS)
        trial.move(size, int(count))
    seen = []
    for k in range(RECORDS):
        counted(PIECES + k, PIECES + RECORDS)
        trial.move(size, thin)
        if trial.stopped:
            raise UnpredictableError("a chain diverges")
        seen.append(trial.positions())
    draws = np.array(seen).transpose(1, 0, 2)
    setting, _, around = setting_near(made, target, pilot, size, made.kernel.options.rows or None)
    around = replace(
        around,
        means=draws.mean(axis=1),
        within=np.sqrt(np.mean(draws.var(axis=1), axis=0)),
        sd=draws.reshape(-1, draws.shape[-1]).std(axis=0),
        draws=RECORDS,
        sample=draws.reshape(-1, draws.shape[-1]),
    )
    doing(f"{_said(made, size)}, its bias from pairs of shorter ones")
    done = warm + RECORDS * thin
    chains = [Chain(c, state, (), done) for c, state in enumerate(trial.states)]
    most = WorkOfMany(max(2 * MIN_STEPS, int(SHORT_TIMES * time)), POINTS, DIRECTIONS, setting.rows)
    setting = replace(setting, middle=None)  # nothing of this reads where a step stands still
    found = predict_many(setting, chains, around, target.labels, np.inf, most, made.lengths)
    return found, convergence(draws)


def _said(made: Prepared, size: float) -> str:
    rows = made.kernel.options.rows
    batch = f", {rows:,} rows" if rows else ""
    return f"tuning: a run with step size {size:g}{batch}"


def _thin(time: float) -> int:
    return max(1, int(TIMES * time / RECORDS))


def _size(found: Prediction) -> float:
    """Return the largest predicted bias, in posterior standard deviations."""
    total = found.total
    if total is None or total.mean_shift is None:
        return np.inf
    return max(abs(total.sd_factor - 1.0), total.mean_shift)


def _agrees(found: Estimates, pilot: Pilot, budget: float) -> bool:
    """Return whether the means and standard deviations of nearly all coordinates differ from those
    of the pilot by no more than a budget and their Monte Carlo errors.
    """
    other, sd = convergence(pilot.draws), pilot.sd
    mean = np.abs(found.mean - other.mean) / sd
    wide = np.abs(found.sd - other.sd) / sd
    far = mean > budget + ERRORS * np.hypot(found.mcse_mean, other.mcse_mean) / sd
    far |= wide > budget + ERRORS * np.hypot(found.mcse_sd, other.mcse_sd) / sd
    return bool(np.mean(far) <= APART)


def with_batch(made: Prepared, batch: int | None) -> Prepared:
    """Return a compiled sampler with another minibatch."""
    options = replace(made.kernel.options, batch_size=batch)
    return replace(made, kernel=replace(made.kernel, options=options))
