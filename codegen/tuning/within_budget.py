"""The largest step size of a recipe within a budget: predicted from its linear step, and corrected
by the shifts of its means and by a trial run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from codegen.bias.linear.linearise import Linear
from codegen.bias.step.unpredictable import UnpredictableError
from codegen.results.diagnostics.convergence import convergence
from codegen.system.doing import doing
from codegen.tuning.controlled import READS, share_of_variance
from codegen.tuning.law.pilot import Pilot
from codegen.tuning.law.target import Target
from codegen.tuning.linear_step import LinearStep, Predicted
from codegen.tuning.many import Tried
from codegen.tuning.prepared import Prepared, rounded
from codegen.tuning.request import Request
from codegen.tuning.trial import Trial, Trialled
from codegen.tuning.tuning import Alternative
from recipe.declare.update import Update
from recipe.language.errors import OutsideLanguageError
from recipe.scheme.evaluations import evaluations_of

# step sizes: the stability bound near the mode times these; away from the mode, where curvature is
# larger, half of that bound can be unstable
FIRST, RATIO, TRIALS = 0.3, 0.7, 24
SPARE = 0.65  # of the budget is used, as predictions are estimates
CORRECTIONS = 6  # of the step size, for the shifts of means and after trials
ERRORS = 3.5  # Monte Carlo errors by which a trial may differ from the pilot beside the budget


@dataclass(frozen=True, eq=False)
class Setting:
    """A setting of a recipe that is within the budget.

    Attributes:
        alternative: it in short.
        made: the compiled sampler, with its friction.
        step: its linear step; None where it has been tried by runs already.
        predicted: what is predicted, or was found by runs.
        share: with control variates the variance that minibatches add to a step, as a share of
            what they add without; None where it was not measured.
    """

    alternative: Alternative
    made: Prepared
    step: LinearStep | None
    predicted: Predicted | Tried
    share: float | None = None


@dataclass(frozen=True, eq=False)
class Way:
    """A way to run a recipe, at any step size.

    Attributes:
        name: the name of the sampler.
        scheme, friction: its discretisation, and the parameters that were left open.
        made: the compiled sampler, with that friction.
        batch: the rows of a minibatch; None for all of the data.
        control: whether minibatches have control variates.
    """

    name: str
    scheme: str
    friction: dict[str, float]
    made: Prepared
    batch: int | None
    control: bool

    def rows(self, target: Target) -> float:
        """Return the rows that the gradients of a step read."""
        reads = READS if self.control else 1
        return _evaluations(self.made) * reads * (self.batch or target.density.rows)

    def found(self, size: float, bias: float, rows: float) -> Alternative:
        """Return it with a step size, its bias, and the rows for an effective draw."""
        return Alternative(
            self.name, self.scheme, size, self.batch, self.friction, bias, rows,
            control_variates=self.control,
        )  # fmt: skip

    def not_usable(self, reason: str) -> Alternative:
        """Return it with the reason why no step size was found."""
        return Alternative(
            self.name, self.scheme, None, self.batch, self.friction, reason=reason,
            control_variates=self.control,
        )  # fmt: skip


def within_budget(
    ways: list[Way], step: LinearStep, bound: float, target: Target, request: Request
) -> Iterator[Setting | Alternative]:
    """Yield for each way to run a recipe the setting with the largest step size within the budget;
    all of them have the same step but for their minibatches.
    """
    budget = SPARE * request.max_bias
    left = {way: step.estimating_by(way.made.kernel) if way.control else step for way in ways}
    size = FIRST * bound
    for _ in range(TRIALS):
        near = _near(step, rounded(size))
        for way, own in list(left.items()):
            found = own.without_law()
            if near is not None:
                found = _or_no_law(own, partial(own.predicted, near, rounded(size), way.batch))
            if found.bias.size <= budget and np.isfinite(found.time):
                del left[way]
                short = way.found(rounded(size), found.bias.size, found.time * way.rows(target))
                share = None
                if way.control and way.batch:
                    share = share_of_variance(step, own, rounded(size), way.batch)
                yield Setting(short, way.made, own, found, share)
        if not left:
            return
        size *= RATIO
    for way in left:
        yield way.not_usable("no step size is predicted to be within the budget")


def _near(step: LinearStep, size: float) -> Linear | None:
    """Return the step near its fixed point; None where a thermostat has no place there."""
    try:
        return step.at(size)
    except UnpredictableError:
        if not step.settling:
            raise
        return None


def _or_no_law(step: LinearStep, predict: Callable[[], Predicted]) -> Predicted:
    """Return a prediction; that there is no law where a thermostat has no place."""
    try:
        return predict()
    except UnpredictableError:
        if not step.settling:
            raise
        return step.without_law()


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
        predicted = _or_no_law(step, partial(_refined, step, size, batch))
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


def _refined(step: LinearStep, size: float, batch: int | None) -> Predicted:
    return step.refined(step.at(size), size, batch)


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


def _evaluations(made: Prepared) -> int:
    moves = made.kernel.module.moves
    try:
        return len(evaluations_of(moves)) if isinstance(moves, Update) else 1
    except OutsideLanguageError:
        return 1
