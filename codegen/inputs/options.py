"""The options of ``sample``: one object, checked when it is built, that goes from whoever asks down
to the chains.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codegen.check_arguments import LARGEST_SEED, flag, positive, whole, worded
from codegen.files.convert import as_path
from codegen.generate import Module
from codegen.inputs.preimages import shown
from codegen.inputs.schedule import Constant, Schedule, schedule_of
from recipe.language.errors import RecipeError
from recipe.language.symbols import Block, Indexed, Scalar

MOST_THREADS = 1024  # more than that fit into no process; the draws are the same for any number


@dataclass(frozen=True)
class SamplingOptions:
    """How a sampler is discretised and run, with which numbers, and which draws are kept.

    The fields are the keywords of ``codegen.sample``, which says what each of them means.

    Raises:
        RecipeError: when it is built, for a value that is out of range whatever the sampler is.
            What depends on the sampler, ``require_options_that_fit`` checks.
    """

    steps: int
    step_size: float | Schedule | None = None
    params: Mapping[Any, Any] | None = None
    scheme: str = "semi-implicit"
    order: Sequence[Block | str] | None = None
    chains: int = 4
    seed: int = 0
    batch_size: int | None = None
    replace: bool = True
    control_variates: bool | Mapping[Any, Any] = False
    compensate: bool = False
    warmup: int = 0
    thin: int = 1
    keep: Sequence[Block | str] | None = None
    threads: int | None = None
    initial: Mapping[Any, Any] | None = None
    lengths: Mapping[Any, int] | None = None
    gradient: Any = None
    checkpoint: str | Path | None = None
    checkpoint_seconds: float = 30.0
    float32_data: bool = False
    name: str | None = None
    # The step size of each step; 1 where there is none, which no step reads then.
    schedule: Schedule = field(init=False)

    def __post_init__(self) -> None:
        for name, checked in _checked(self).items():
            object.__setattr__(self, name, checked)
        if self.draws < 1:
            raise RecipeError(
                f"steps={self.steps} with warmup={self.warmup} and thin={self.thin} keep no draw;"
                " raise steps"
            )

    @property
    def draws(self) -> int:
        """How many draws a chain keeps."""
        return self.draws_after(self.steps)

    def draws_after(self, done: int) -> int:
        """How many draws a chain has kept after so many steps."""
        return max(0, done - self.warmup) // self.thin

    @property
    def rows(self) -> int:
        """How many rows a minibatch has; 0 where all of the data are used."""
        return self.batch_size or 0

    @property
    def workers(self) -> int:
        """How many threads run chains."""
        wished = os.cpu_count() or 1 if self.threads is None else self.threads
        return min(self.chains, MOST_THREADS, wished)

    @property
    def folder(self) -> Path | None:
        """The folder of the checkpoint."""
        return None if self.checkpoint is None else as_path(self.checkpoint, "checkpoint")

    @property
    def controlled(self) -> bool:
        """Whether gradients are estimated with control variates."""
        return self.control_variates is not None and self.control_variates is not False

    def kept(self, state: tuple[Block, ...]) -> tuple[Block, ...]:
        """The blocks of the state whose draws are kept.

        Raises:
            RecipeError: where ``keep`` names another block, or none.
        """
        if self.keep is None:
            return state
        wanted = [self.keep] if isinstance(self.keep, str | Indexed | Scalar) else list(self.keep)
        by_name = {shown(b).name: b for b in state}
        for block in wanted:
            if str(block) not in by_name:
                raise RecipeError(
                    f"keep= names {block}, which is no block; the blocks are {', '.join(by_name)}"
                )
        if not wanted:
            raise RecipeError("keep=[] keeps nothing; name the blocks to keep")
        return tuple(by_name[name] for name in dict.fromkeys(map(str, wanted)))


def require_options_that_fit(options: SamplingOptions, module: Module, rows: int | None) -> None:
    """Require that a module can be run with these options; ``rows`` is how many rows its data have,
    None without data.

    Raises:
        RecipeError: naming the option that does not fit, and the repair.
    """
    if options.batch_size is not None:
        if rows is None:
            raise RecipeError("batch_size= needs data: bind a Posterior to the potential first")
        whole("batch_size", options.batch_size, 1, rows)
    options.kept(module.plan.state)
    for what, needed in (
        ("control_variates", module.controlled),
        ("compensate", bool(module.plan.variances)),
    ):
        if needed and options.batch_size is None:
            raise RecipeError(
                f"{what}= is about minibatches: give batch_size=, or leave {what}= out"
            )
    if module.plan.variances and options.rows < 2:
        raise RecipeError(
            "compensate= estimates a variance from the rows of a minibatch: give a batch_size of 2"
            " or more"
        )


def _checked(given: SamplingOptions) -> dict[str, Any]:
    """The plain numbers, each of its type and within its bounds."""
    if not isinstance(given.keep, str | Indexed | Scalar | Sequence | None):
        raise RecipeError(
            f"keep={worded(given.keep)} must be blocks or their names, such as keep=['theta']"
        )
    if not isinstance(given.control_variates, bool | Mapping | None):
        raise RecipeError(
            f"control_variates={worded(given.control_variates)} must be True, False, or the mode as"
            " a dict by block"
        )
    size, threads = given.batch_size, given.threads
    return {
        "chains": whole("chains", given.chains, 1),
        "schedule": Constant(1.0) if given.step_size is None else schedule_of(given.step_size),
        "steps": whole("steps", given.steps, 1),
        "warmup": whole("warmup", given.warmup, 0),
        "thin": whole("thin", given.thin, 1),
        "seed": whole("seed", given.seed, 0, LARGEST_SEED),
        "batch_size": None if size is None else whole("batch_size", size, 1),
        "replace": flag("replace", given.replace),
        "compensate": flag("compensate", given.compensate),
        "float32_data": flag("float32_data", given.float32_data),
        "threads": None if threads is None else whole("threads", threads, 1),
        "checkpoint": given.folder,
        "checkpoint_seconds": positive("checkpoint_seconds", given.checkpoint_seconds),
    }
