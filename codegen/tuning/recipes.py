"""Tune a recipe: scheme, friction, minibatch and step size, from its linear step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.bias.predict import MAX_COORDINATES
from codegen.bias.step.unpredictable import UnpredictableError
from codegen.inputs.options import SamplingOptions
from codegen.system.doing import doing
from codegen.tuning.linear_step import LinearStep, Predicted, linear_step, setting_near
from codegen.tuning.many import Tried, each_batch
from codegen.tuning.metropolis import initial_values, steps_of
from codegen.tuning.pilot import Pilot
from codegen.tuning.prepared import Prepared, Scaled, prepared, rounded
from codegen.tuning.request import Request
from codegen.tuning.target import Target
from codegen.tuning.thermostat_step import thermostat_step
from codegen.tuning.tuning import Alternative
from codegen.tuning.widths import widths
from recipe.declare.update import Update
from recipe.language.errors import OutsideLanguageError, RecipeError
from recipe.language.symbols import Scalar, Vector
from recipe.scheme.evaluations import evaluations_of

# the schemes that are compared, where they fit: first order, and better ones of the same cost
OVERDAMPED, UNDERDAMPED = ("euler",), ("semi-implicit", "baoab")
THERMOSTATTED = ("semi-implicit", "badodab")
FRICTIONS = (0.7, 2.0, 8.0)  # in rates of the widest direction; 2 is critical damping
BATCHES = (0.1, 0.01)  # of the rows
MIN_ROWS, MIN_BATCH = 200, 20  # with fewer rows no minibatch is worth its noise
# step sizes: the stability bound near the mode times these; away from the mode, where curvature is
# larger, half of that bound can be unstable
FIRST, RATIO, TRIALS = 0.3, 0.7, 24
SPARE = 0.65  # of the budget is used, as predictions are estimates
WARM_UP_TIMES = 10  # autocorrelation times; chains start in draws of the pilot


@dataclass(frozen=True, eq=False)
class Setting:
    """A setting of a recipe that is within the budget.

    Attributes:
        alternative: it in short.
        made: the compiled sampler, with its friction.
        step: its linear step; None where it has been tried by runs already.
        predicted: what is predicted, or was found by runs.
    """

    alternative: Alternative
    made: Prepared
    step: LinearStep | None
    predicted: Predicted | Tried


def settings_of(
    name: str, what: Scaled, target: Target, pilot: Pilot, request: Request
) -> Iterator[Setting | Alternative]:
    """Yield the best setting for each scheme, friction and minibatch, or why there is none.

    Args:
        name: the name of the sampler in tables.
        what: the sampler with scales.
        target: the law.
        pilot: its pilot run.
        request: the budget, and what was given.
    """
    if len(what.open) > 1:
        raise RecipeError(
            f"give {', '.join(what.open)} as params={{...}}: tuning chooses one open parameter of a"
            " sampler at most"
        )
    schemes = _schemes(what, request)
    for scheme in schemes:
        try:
            yield from _of_scheme(name, what, scheme, target, pilot, request)
        except (UnpredictableError, np.linalg.LinAlgError) as reason:
            text = str(reason) if isinstance(reason, UnpredictableError) else "it is singular"
            yield Alternative(name, scheme, None, reason=f"nothing can be predicted, as {text}")
        except RecipeError:
            if scheme == schemes[0]:  # it fits any recipe, and a further one may not
                raise


def _schemes(what: Scaled, request: Request) -> tuple[str, ...]:
    if request.scheme is not None:
        return (request.scheme,)
    if not _has_momenta(what):
        return OVERDAMPED
    # a number beside momenta is a thermostat
    numbers = any(isinstance(b, Scalar) for b in what.what.state)
    return THERMOSTATTED if numbers else UNDERDAMPED


def _has_momenta(what: Scaled) -> bool:
    """Return whether the step size of a sampler is a time of second-order dynamics."""
    return len([b for b in what.what.state if isinstance(b, Vector)]) > 1


def _of_scheme(
    name: str, what: Scaled, scheme: str, target: Target, pilot: Pilot, request: Request
) -> Iterator[Setting | Alternative]:
    narrow, wide = widths(target, pilot, what.scales)
    bound = 2.0 * (narrow if _has_momenta(what) else narrow**2)
    frictions = [{n: rounded(f / wide) for n in what.open} for f in FRICTIONS if what.open] or [{}]
    options = SamplingOptions(
        steps=1, step_size=1.0, params=what.params | frictions[0], scheme=scheme,
        chains=request.chains, seed=request.seed, lengths=request.lengths,
    )  # fmt: skip
    doing(f"tuning: {name} by {scheme}")
    made = prepared(what, options, request.check)
    doing(f"tuning: {name} by {scheme}")  # a check shows what it does
    batches = _batches(target.density.rows, request)
    if _coordinates(made, target, pilot) > MAX_COORDINATES:
        friction = frictions[len(frictions) // 2]
        own, relaxation = made.with_params(**friction), wide if _has_momenta(what) else wide**2
        for batch, found in each_batch(
            own, target, pilot, FIRST * bound, relaxation, batches, request.max_bias, SPARE
        ):
            yield _of_many(name, scheme, friction, own, batch, found, target)
        return
    for friction in frictions:
        own = made.with_params(**friction)
        step = _step_of(own, target, pilot, 0.1 * bound, max(b or 0 for b in batches) or None)
        step.require_normal(step.predicted(step.here, 0.1 * bound, None))
        yield from _within(name, scheme, friction, own, step, bound, batches, target, request)


def _step_of(
    made: Prepared, target: Target, pilot: Pilot, size: float, batch: int | None
) -> LinearStep:
    setting, middle, around = setting_near(made, target, pilot, size, batch)
    try:
        return linear_step(made, pilot, setting, middle, around, target.labels)
    except UnpredictableError:
        held = thermostat_step(made, target, pilot, setting, middle, around)
        if held is None:
            raise
        return held


def _coordinates(made: Prepared, target: Target, pilot: Pilot) -> int:
    """Return the number of coordinates of a state."""
    return sum(np.size(a) for a in _blocks(made, made.state(target, pilot.mean)))


def _blocks(made: Prepared, state: Any) -> list[np.ndarray]:
    return [getattr(state, f) for f in made.kernel.module.plan.fields.values()]


def _of_many(
    name: str,
    scheme: str,
    friction: dict[str, float],
    made: Prepared,
    batch: int | None,
    found: Tried | str,
    target: Target,
) -> Setting | Alternative:
    """Return what was found by runs of a sampler with many coordinates."""
    if isinstance(found, str):
        return Alternative(name, scheme, None, batch, friction, reason=found)
    rows = found.time * _evaluations(made) * (batch or target.density.rows)
    short = Alternative(name, scheme, found.step_size, batch, friction, found.bias, rows)
    return Setting(short, made, None, found)


def _batches(rows: int, request: Request) -> list[int | None]:
    if request.batch_size is not None:
        return [request.batch_size]
    if rows < MIN_ROWS:
        return [None]
    found = {max(MIN_BATCH, int(float(f"{share * rows:.2g}"))) for share in BATCHES}
    return [None, *sorted(found, reverse=True)]


def _within(
    name: str,
    scheme: str,
    friction: dict[str, float],
    made: Prepared,
    step: LinearStep,
    bound: float,
    batches: list[int | None],
    target: Target,
    request: Request,
) -> Iterator[Setting | Alternative]:
    """Yield for each minibatch the setting with the largest step size within the budget."""
    budget = SPARE * request.max_bias
    evaluations = _evaluations(made)
    left = list(batches)
    size = FIRST * bound
    for _ in range(TRIALS):
        for batch in list(left):
            found = _predicted(step, rounded(size), batch)
            if found.bias.size <= budget and np.isfinite(found.time):
                left.remove(batch)
                rows = evaluations * (batch or target.density.rows)
                short = Alternative(
                    name, scheme, rounded(size), batch, friction, found.bias.size,
                    found.time * rows,
                )  # fmt: skip
                yield Setting(short, made, step, found)
        if not left:
            return
        size *= RATIO
    for batch in left:
        reason = "no step size is predicted to be within the budget"
        yield Alternative(name, scheme, None, batch, friction, reason=reason)


def _predicted(step: LinearStep, size: float, batch: int | None) -> Predicted:
    """Return what is predicted of a step size; no law where a thermostat has no place there."""
    try:
        return step.predicted(step.at(size), size, batch)
    except UnpredictableError:
        if not step.settling:
            raise
        return step.without_law()


def run_settings(
    found: Setting, what: Scaled, target: Target, pilot: Pilot, request: Request
) -> dict[str, Any]:
    """Return the arguments of ``sample`` for a setting."""
    chosen = found.alternative
    time = found.predicted.time
    settling = 0 if found.step is None else found.step.settling
    warmup = int(float(f"{max(100.0, WARM_UP_TIMES * time, settling):.2g}"))
    kept = steps_of(time, request)
    return {
        "what": what.what,
        "step_size": chosen.step_size,
        "scheme": chosen.scheme,
        "params": {**what.params, **chosen.friction},
        "steps": warmup + kept,
        "warmup": warmup,
        "thin": max(1, kept // request.most_draws),
        "initial": initial_values(what, target, pilot.last[: request.chains]),
        "batch_size": chosen.batch_size,
    }


def _evaluations(made: Prepared) -> int:
    moves = made.kernel.module.moves
    try:
        return len(evaluations_of(moves)) if isinstance(moves, Update) else 1
    except OutsideLanguageError:
        return 1
