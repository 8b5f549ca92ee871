"""The options of ``recipe sample`` as ``SamplingOptions``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from codegen.inputs.options import SamplingOptions
from codegen.inputs.schedule import Constant, Cyclical, Polynomial, Schedule
from codegen.running.checkpoint import saved_warmup
from recipe import RecipeError
from recipe_cli.program.typed import block_names, parameters_typed
from recipe_cli.program.typed_schedule import is_schedule, made_of, schedule_typed
from recipe_cli.sampling.initial_typed import initial_typed

DEFAULT_STEPS = 10_000


def options_typed(
    *,
    step_size: float | str,
    decay: str | None,
    cycle: int | None,
    order: str | None,
    keep: str | None,
    param: list[str] | None,
    warmup: int | None,
    steps: int | None,
    initial: list[str] | None = None,
    checkpoint: Path | None,
    **others: Any,
) -> SamplingOptions:
    """Return the options of a run; ``others`` go unchanged into the fields of the same name.

    By default there are ``DEFAULT_STEPS`` steps, and the warm-up is a tenth of the steps. If the
    checkpoint holds a run, it is the warm-up of that run, so that a user can ask for more steps of
    it.

    Raises:
        RecipeError: if an option has no meaning, with its name and the repair.
    """
    steps = DEFAULT_STEPS if steps is None else steps
    if warmup is None:
        saved = None if checkpoint is None else saved_warmup(checkpoint)
        warmup = steps // 10 if saved is None else saved
    return SamplingOptions(
        step_size=_schedule(step_size, decay, cycle),
        params=_params(param or []),
        order=block_names(order),
        keep=block_names(keep),
        warmup=warmup,
        steps=steps,
        initial=initial_typed(initial),
        checkpoint=checkpoint,
        **others,
    )


def _params(typed: list[str]) -> dict[str, Any]:
    """Return the values of ``--param NAME=VALUE``: numbers, and schedules."""
    scheduled = [item for item in typed if is_schedule(item.partition("=")[2])]
    numbers = parameters_typed(tuple(item for item in typed if item not in scheduled))
    schedules: dict[str, Any] = {}
    for item in scheduled:
        name, _, text = item.partition("=")
        name = name.strip()
        if name in schedules or name in numbers:
            raise RecipeError(f"--param {name} is given twice")
        schedules[name] = schedule_typed(text, f"--param {name}")
    return numbers | schedules


def _schedule(step_size: float | str, decay: str | None, cycle: int | None) -> Schedule:
    """Return the schedule of the step size that is typed, or that ``--decay`` and ``--cycle``
    describe.
    """
    if isinstance(step_size, str):
        if decay is not None or cycle is not None:
            raise RecipeError(
                f"--step-size {step_size} is a schedule already: leave --decay and --cycle out"
            )
        return schedule_typed(step_size, "--step-size")
    if decay is not None and cycle is not None:
        raise RecipeError(
            "--decay and --cycle are two schedules of the step size: give one of them"
        )
    if cycle is not None:
        names = ("--step-size", "--cycle")
        return made_of(Cyclical, (step_size, cycle), names, "the step size")
    if decay is None:
        return Constant(step_size)
    try:
        b, c = map(float, decay.split(","))
    except ValueError:
        raise RecipeError(
            f"--decay {decay}: write B,C, such as --decay 1000,0.55 for a (1 + t/1000)^-0.55"
        ) from None
    return made_of(Polynomial, (step_size, b, c), ("--step-size", "B", "C"), f"--decay {decay}")
