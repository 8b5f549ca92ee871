"""The plain arguments of ``sample``, checked: how long to run, on how many rows, and what to
keep.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codegen.check_arguments import LARGEST_SEED, flag, positive, whole, worded
from codegen.files.convert import as_path
from codegen.generate import Module
from codegen.inputs.preimages import shown
from codegen.inputs.schedule import Schedule, schedule_of
from recipe.language.errors import RecipeError
from recipe.language.symbols import Block, Indexed, Scalar

MOST_THREADS = 1024  # more than that fit into no process; the draws are the same for any number


@dataclass(frozen=True)
class Request:
    """How long to run and what to keep; ``batch_size`` is 0 where all of the data are used."""

    schedule: Schedule
    steps: int
    warmup: int
    thin: int
    chains: int
    seed: int
    batch_size: int
    replace: bool
    threads: int
    kept: tuple[Block, ...]
    checkpoint: Path | None
    checkpoint_seconds: float

    @property
    def draws(self) -> int:
        """How many draws a chain keeps."""
        return self.draws_after(self.steps)

    def draws_after(self, done: int) -> int:
        """How many draws a chain has kept after so many steps."""
        return max(0, done - self.warmup) // self.thin


def read_request(
    module: Module,
    rows: int | None,
    *,
    step_size: Any,
    steps: Any,
    warmup: Any,
    thin: Any,
    chains: Any,
    seed: Any,
    batch_size: Any,
    replace: Any,
    threads: Any,
    keep: Any,
    checkpoint: Any,
    checkpoint_seconds: Any,
) -> Request:
    """The checked arguments; ``rows`` is how many rows the data have, None without data."""
    number = whole("chains", chains, 1)
    request = Request(
        schedule=schedule_of(step_size),
        steps=whole("steps", steps, 1),
        warmup=whole("warmup", warmup, 0),
        thin=whole("thin", thin, 1),
        chains=number,
        seed=whole("seed", seed, 0, LARGEST_SEED),
        batch_size=_batch(batch_size, rows),
        replace=flag("replace", replace),
        threads=min(
            number,
            MOST_THREADS,
            os.cpu_count() or 1 if threads is None else whole("threads", threads, 1),
        ),
        kept=_kept(keep, module.plan.state),
        checkpoint=None if checkpoint is None else as_path(checkpoint, "checkpoint"),
        checkpoint_seconds=positive("checkpoint_seconds", checkpoint_seconds),
    )
    if request.draws < 1:
        raise RecipeError(
            f"steps={steps} with warmup={warmup} and thin={thin} keep no draw; raise steps"
        )
    for what, needed in (
        ("control_variates", module.controlled),
        ("compensate", bool(module.plan.variances)),
    ):
        if needed and not request.batch_size:
            raise RecipeError(
                f"{what}= is about minibatches: give batch_size=, or leave {what}= out"
            )
    if module.plan.variances and request.batch_size < 2:
        raise RecipeError(
            "compensate= estimates a variance from the rows of a minibatch: give a batch_size of 2"
            " or more"
        )
    return request


def _batch(batch_size: Any, rows: int | None) -> int:
    if batch_size is None:
        return 0
    if rows is None:
        raise RecipeError("batch_size= needs data: bind a Posterior to the potential first")
    return whole("batch_size", batch_size, 1, rows)


def _kept(keep: Any, state: tuple[Block, ...]) -> tuple[Block, ...]:
    if keep is None:
        return state
    if not isinstance(keep, str | Indexed | Scalar | Sequence):
        raise RecipeError(
            f"keep={worded(keep)} must be blocks or their names, such as keep=['theta']"
        )
    wanted: Sequence[Any] = [keep] if isinstance(keep, str | Indexed | Scalar) else list(keep)
    by_name = {shown(b).name: b for b in state}
    for block in wanted:
        if str(block) not in by_name:
            raise RecipeError(
                f"keep= names {block}, which is no block; the blocks are {', '.join(by_name)}"
            )
    if not wanted:
        raise RecipeError("keep=[] keeps nothing; name the blocks to keep")
    return tuple(by_name[name] for name in dict.fromkeys(map(str, wanted)))
