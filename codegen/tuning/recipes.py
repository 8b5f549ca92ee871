"""Tune a recipe: scheme, friction, minibatch and step size, from its linear step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from codegen.bias.predict import MAX_COORDINATES
from codegen.bias.step.unpredictable import UnpredictableError
from codegen.inputs.options import SamplingOptions
from codegen.system.doing import doing
from codegen.tuning.controlled import controlled, mode_of
from codegen.tuning.law.pilot import Pilot
from codegen.tuning.law.target import Target
from codegen.tuning.law.widths import widths
from codegen.tuning.linear_step import LinearStep, linear_step, setting_near
from codegen.tuning.many import Tried, tried, with_batch
from codegen.tuning.metropolis import initial_values, steps_of
from codegen.tuning.prepared import Prepared, Scaled, prepared, rounded
from codegen.tuning.request import MIN_ROWS, Request
from codegen.tuning.thermostat_step import thermostat_step
from codegen.tuning.tuning import Alternative
from codegen.tuning.within_budget import FIRST, SPARE, Setting, Way, within_budget
from recipe.language.blocks import Scalar, Vector
from recipe.language.errors import RecipeError

# the schemes that are compared, where they fit: first order, and better ones of the same cost
OVERDAMPED, UNDERDAMPED = ("euler",), ("semi-implicit", "baoab")
THERMOSTATTED = ("semi-implicit", "badodab")
FRICTIONS = (0.7, 2.0, 8.0)  # in rates of the widest direction; 2 is critical damping
BATCHES = (0.1, 0.01)  # of the rows
MIN_BATCH = 20  # rows
WORTH = 0.4  # of the variance of minibatches: control variates that leave more hardly pay
WARM_UP_TIMES = 10  # autocorrelation times; chains start in draws of the pilot


def mode_for_control(target: Target, request: Request) -> Mapping[Any, Any] | str | None:
    """Return the mode that control variates are taken around, as ``mode_of`` does; None where none
    are considered.

    Args:
        target: the law.
        request: what was given.
    """
    considered = request.control_variates is not False
    return mode_of(target, request) if considered and any(_batches(target, request)) else None


def settings_of(
    name: str,
    what: Scaled,
    target: Target,
    pilot: Pilot,
    request: Request,
    mode: Mapping[Any, Any] | str | None,
) -> Iterator[Setting | Alternative]:
    """Yield the best setting for each scheme, friction and minibatch, or why there is none.

    Args:
        name: the name of the sampler in tables.
        what: the sampler with scales.
        target: the law.
        pilot: its pilot run.
        request: the budget, and what was given.
        mode: what ``mode_for_control`` returns.
    """
    if len(what.open) > 1:
        raise RecipeError(
            f"give {', '.join(what.open)} as params={{...}}: tuning chooses one open parameter of a"
            " sampler at most"
        )
    schemes = _schemes(what, request)
    if isinstance(mode, str):
        if request.wants_control:
            raise RecipeError(f"control_variates=: {mode}")
        yield Alternative(name, schemes[0], None, reason=mode, control_variates=True)
        mode = None
    for scheme in schemes:
        found: list[Setting | Alternative] = []
        try:
            for one in _of_scheme(name, what, scheme, target, pilot, request, mode):
                found.append(one)
                yield one
        except (UnpredictableError, np.linalg.LinAlgError) as reason:
            text = str(reason) if isinstance(reason, UnpredictableError) else "it is singular"
            yield Alternative(name, scheme, None, reason=f"nothing can be predicted, as {text}")
        except RecipeError:
            if scheme == schemes[0]:  # it fits any recipe, and a further one may not
                raise
        if not (request.wants_control or _pays(found)):
            mode = None


def _pays(found: list[Setting | Alternative]) -> bool:
    """Return whether control variates leave so little of the variance that a further scheme is
    tried with them: twice the rows without them cost the same, and leave half of it.
    """
    shares = [s.share for s in found if isinstance(s, Setting) and s.share is not None]
    return not shares or min(shares) < WORTH


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
    name: str,
    what: Scaled,
    scheme: str,
    target: Target,
    pilot: Pilot,
    request: Request,
    mode: Mapping[Any, Any] | None,
) -> Iterator[Setting | Alternative]:
    narrow, wide = widths(target, pilot, what.scales)
    bound = 2.0 * (narrow if _has_momenta(what) else narrow**2)
    frictions = [{n: rounded(f / wide) for n in what.open} for f in FRICTIONS if what.open] or [{}]
    options = SamplingOptions(
        steps=1, step_size=1.0, params=what.params | frictions[0], scheme=scheme,
        chains=request.chains, seed=request.seed, lengths=request.lengths,
    )  # fmt: skip
    doing(f"tuning: {name} by {scheme}")
    plain = prepared(what, options, request.check)
    made = [(False, plain)]
    if mode is not None:
        made.append((True, controlled(what, options, mode, target, request.check)))
    doing(f"tuning: {name} by {scheme}")  # a check shows what it does
    batches = _batches(target, request)
    many = _coordinates(plain, target, pilot) > MAX_COORDINATES
    for friction in frictions[len(frictions) // 2 :][:1] if many else frictions:
        ways = [
            Way(name, scheme, friction, own.with_params(**friction), batch, control)
            for control, own in made
            for batch in batches
            if (control and batch) or not (control or request.wants_control)
        ]
        if many:
            relaxation = wide if _has_momenta(what) else wide**2
            budgets = (SPARE * request.max_bias, request.max_bias)
            for way in ways:
                own = with_batch(way.made, way.batch)
                found = tried(own, target, pilot, FIRST * bound, relaxation, budgets)
                yield _of_many(way, found, target)
            continue
        first = plain.with_params(**friction)
        step = _step_of(first, target, pilot, 0.1 * bound, max(b or 0 for b in batches) or None)
        step.require_normal(step.predicted(step.here, 0.1 * bound, None))
        yield from within_budget(ways, step, bound, target, request)


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


def _of_many(way: Way, found: Tried | str, target: Target) -> Setting | Alternative:
    """Return what was found by runs of a sampler with many coordinates."""
    if isinstance(found, str):
        return way.not_usable(found)
    short = way.found(found.step_size, found.bias, found.time * way.rows(target))
    return Setting(short, way.made, None, found)


def _batches(target: Target, request: Request) -> list[int | None]:
    rows = target.density.rows
    if request.batch_size is not None:
        return [request.batch_size]
    if rows < MIN_ROWS:
        return [None]
    found = {max(MIN_BATCH, int(float(f"{share * rows:.2g}"))) for share in BATCHES}
    return [None, *sorted(found, reverse=True)]


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
        "control_variates": _control_of(chosen, request),
    }


def _control_of(chosen: Alternative, request: Request) -> bool | Mapping[Any, Any]:
    """Return the option ``control_variates=`` of a run, with the mode that was given."""
    if chosen.control_variates and isinstance(request.control_variates, Mapping):
        return request.control_variates
    return chosen.control_variates
