"""The options of ``recipe sample`` as ``SamplingOptions``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from codegen.inputs.options import SamplingOptions
from codegen.inputs.schedule import Constant, Cyclical, Polynomial, Schedule
from codegen.running.checkpoint import saved_warmup
from recipe import RecipeError
from recipe_cli.program.typed import block_names, parameters_typed
from recipe_cli.sampling.initial_typed import initial_typed

DEFAULT_STEPS = 10_000


def options_typed(
    *,
    step_size: float,
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
        params=parameters_typed(tuple(param or ())),
        order=block_names(order),
        keep=block_names(keep),
        warmup=warmup,
        steps=steps,
        initial=initial_typed(initial),
        checkpoint=checkpoint,
        **others,
    )


def _schedule(step_size: float, decay: str | None, cycle: int | None) -> Schedule:
    """Return the schedule of the step size that ``--decay`` and ``--cycle`` describe."""
    if decay is not None and cycle is not None:
        raise RecipeError(
            "--decay and --cycle are two schedules of the step size: give one of them"
        )
    if cycle is not None:
        return Cyclical(step_size, cycle)
    if decay is None:
        return Constant(step_size)
    try:
        b, c = map(float, decay.split(","))
    except ValueError:
        raise RecipeError(
            f"--decay {decay}: write B,C, such as --decay 1000,0.55 for a (1 + t/1000)^-0.55"
        ) from None
    return Polynomial(step_size, b, c)
