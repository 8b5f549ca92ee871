"""Correct a predicted setting of a recipe: by the shifts of its means, and by a trial run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from codegen.results.diagnostics.convergence import convergence
from codegen.system.doing import doing
from codegen.tuning.pilot import Pilot
from codegen.tuning.prepared import rounded
from codegen.tuning.recipes import SPARE, Setting
from codegen.tuning.request import Request
from codegen.tuning.target import Target
from codegen.tuning.trial import Trial, Trialled
from codegen.tuning.tuning import Alternative

CORRECTIONS = 6  # of the step size, for the shifts of means and after trials
ERRORS = 3.5  # Monte Carlo errors by which a trial may differ from the pilot beside the budget


def corrected(
    found: Setting, target: Target, pilot: Pilot, request: Request
) -> Setting | Alternative:
    """Return a setting with its step made smaller until the shifts of means are within the budget,
    too, and a trial agrees with the pilot run.

    A linear step does not know how the law bends; the trial does.
    """
    size, step = found.alternative.step_size, found.step
    if step is None:
        return found
    assert size is not None
    first_size, budget = size, SPARE * request.max_bias
    batch, rows = found.alternative.batch_size, found.alternative.rows or 0.0
    per_step = rows / found.predicted.time
    for _ in range(CORRECTIONS):
        near = step.at(size)
        predicted = step.refined(near, size, batch)
        bias = predicted.bias.size
        if bias <= budget:
            doing(f"tuning: a trial with step size {size:g}")
            shown = _trial(found, batch, target, pilot, size, predicted.time)
            if shown is not None and _agrees(shown.draws, pilot, step.target.reported, request):
                time = max(predicted.time, shown.steps)
                short = replace(found.alternative, step_size=size, bias=bias, rows=time * per_step)
                return replace(found, alternative=short, predicted=replace(predicted, time=time))
            bias = 2.0 * request.max_bias
        shrink = budget / bias if np.isfinite(bias) else 0.1
        size = rounded(size * min(0.8, max(0.1, 0.9 * shrink)))
    return replace(
        found.alternative,
        step_size=None,
        rows=None,
        bias=None,
        reason=f"its bias is beyond the budget at every step size tried, from {first_size:g} down",
    )


def _trial(
    found: Setting, batch: int | None, target: Target, pilot: Pilot, size: float, time: float
) -> Trialled | None:
    """Return what a trial of a setting shows; None where a chain left what is finite."""
    made = found.made
    options = replace(made.kernel.options, batch_size=batch)
    own = replace(made, kernel=replace(made.kernel, options=options))
    trial = Trial(own, target, pilot.last)
    trial.move(size, 0 if found.step is None else found.step.settling)
    return trial.judged(size, max(1, int(time / 4)))


def _agrees(draws: np.ndarray, pilot: Pilot, reported: np.ndarray | None, request: Request) -> bool:
    """Return whether the means and standard deviations of a trial, also of what is reported beside
    the coordinates, differ from those of the pilot by no more than the budget and their Monte Carlo
    errors.
    """
    found, of_pilot = (convergence(_judged(d, reported)) for d in (draws, pilot.draws))
    sd = of_pilot.sd
    pairs = (
        (found.mean - of_pilot.mean, found.mcse_mean, of_pilot.mcse_mean),
        (found.sd - of_pilot.sd, found.mcse_sd, of_pilot.mcse_sd),
    )
    return all(
        bool(np.all(np.abs(d) / sd <= request.max_bias + ERRORS * np.hypot(a, b) / sd))
        for d, a, b in pairs
    )


def _judged(draws: np.ndarray, reported: np.ndarray | None) -> np.ndarray:
    """Return draws with what is reported beside them, to first order, on the last axis."""
    return draws if reported is None else np.append(draws, draws @ reported.T, axis=-1)
