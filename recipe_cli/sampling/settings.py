"""What is typed for ``recipe sample``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from codegen.inputs.schedule import Constant, Cyclical, Polynomial, Schedule
from codegen.running.checkpoint import saved_warmup
from recipe import RecipeError


@dataclass(frozen=True)
class Settings:
    """What was typed for ``recipe sample``."""

    step_size: float
    scheme: str = "semi-implicit"
    order: str | None = None
    decay: str | None = None
    cycle: int | None = None
    params: tuple[str, ...] = ()
    steps: int = 10_000
    warmup: int | None = None
    thin: int = 1
    batch_size: int | None = None
    replace: bool = True
    control_variates: bool = False
    compensate: bool = False
    float32_data: bool = False
    chains: int = 4
    threads: int | None = None
    seed: int = 0
    keep: str | None = None
    checkpoint: Path | None = None
    checkpoint_seconds: float = 30.0


def schedule_of(settings: Settings) -> Schedule:
    """The step size from step to step, as ``--decay`` and ``--cycle`` say."""
    if settings.decay is not None and settings.cycle is not None:
        raise RecipeError(
            "--decay and --cycle are two schedules of the step size: give one of them"
        )
    if settings.cycle is not None:
        return Cyclical(settings.step_size, settings.cycle)
    if settings.decay is None:
        return Constant(settings.step_size)
    try:
        b, c = map(float, settings.decay.split(","))
    except ValueError:
        raise RecipeError(
            f"--decay {settings.decay}: write B,C, such as --decay 1000,0.55 for a (1 +"
            " t/1000)^-0.55"
        ) from None
    return Polynomial(settings.step_size, b, c)


def warmup_of(settings: Settings) -> int:
    """A tenth of the steps; of a run that goes on what it was, so that more steps can be
    asked for.
    """
    if settings.warmup is not None:
        return settings.warmup
    saved = None if settings.checkpoint is None else saved_warmup(settings.checkpoint)
    return settings.steps // 10 if saved is None else saved
