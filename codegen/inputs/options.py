"""The options of ``sample`` as one object, which is checked when it is built."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codegen.check_arguments import (
    MAX_SEED,
    checked_flag,
    checked_integer,
    checked_positive,
    short_text,
)
from codegen.files.convert import as_path
from codegen.inputs.preimages import reported_block
from codegen.inputs.schedule import Constant, Schedule, schedule_of, step_sizes
from codegen.module import Module
from recipe.declare.derived_quantities import require_name_of_draws
from recipe.declare.transformations.ordered import Ordered
from recipe.language.blocks import Block, Scalar
from recipe.language.did_you_mean import did_you_mean
from recipe.language.errors import RecipeError
from recipe.language.symbols import Indexed, name_of
from recipe.scheme import DEFAULT_SCHEME

ALL = "all"  # as ``keep``: every block
MAX_CALLS = 2**53  # the calls of a gradient are counted in a float
MAX_THREADS = 1024  # no process holds more; the draws are the same for any number of threads


@dataclass(frozen=True)
class SamplingOptions:
    """How a sampler is discretised and run, with which numbers, and which draws are kept.

    The fields are keywords of ``codegen.sample``, whose docstring explains each of them. Building
    the object checks all that does not depend on the sampler; ``require_options_that_fit`` checks
    the rest.

    Attributes:
        schedule: the step size of each step, made from ``step_size``. It is constantly 1 for a
            kernel without a step size, whose steps do not read it.
        tuning: how the numbers were found, as JSON; None where they were given.

    Raises:
        RecipeError: for a value that is out of range for every sampler.
    """

    steps: int
    step_size: float | Schedule | None = None
    params: Mapping[Any, Any] | None = None
    scheme: str = DEFAULT_SCHEME
    order: Sequence[Block | str] | None = None
    chains: int = 4
    seed: int = 0
    batch_size: int | None = None
    replace: bool = True
    control_variates: bool | Mapping[Any, Any] | None = None
    svrg: int | None = None
    saga: bool = False
    compensate: bool = False
    warmup: int = 0
    thin: int = 1
    keep: Sequence[Block | Ordered | str] | None = None
    threads: int | None = None
    initial: Mapping[Any, Any] | None = None
    lengths: Mapping[Any, int] | None = None
    coords: Mapping[Any, Any] | None = None
    gradient: Any = None
    checkpoint: str | Path | None = None
    checkpoint_seconds: float = 30.0
    float32_data: bool = False
    max_bias: float = 0.1
    name: str | None = None
    tuning: str | None = None
    schedule: Schedule = field(init=False)

    def __post_init__(self) -> None:
        for name, checked in _checked_fields(self).items():
            object.__setattr__(self, name, checked)
        if self.draws < 1:
            raise RecipeError(
                f"steps={self.steps} with warmup={self.warmup} and thin={self.thin} keep no draw;"
                " raise steps"
            )

    @property
    def draws(self) -> int:
        """The number of draws that a chain keeps."""
        return self.draws_after(self.steps)

    def draws_after(self, done: int) -> int:
        """Return the number of draws that a chain has kept.

        Args:
            done: the number of steps that it has done, with its warm-up.
        """
        return max(0, done - self.warmup) // self.thin

    @property
    def schedules(self) -> dict[str, Schedule]:
        """The schedules among the parameters, by name, in the order of names."""
        given = {name_of(key): value for key, value in self._given.items()}
        return {name: s for name, s in sorted(given.items()) if isinstance(s, Schedule)}

    @property
    def numbers(self) -> dict[Any, Any]:
        """The parameters as numbers and arrays: those with a schedule at their first step."""
        return self.numbers_after(1)

    def numbers_after(self, steps: int) -> dict[Any, Any]:
        """Return the parameters as numbers and arrays: those with a schedule as the last of some
        steps, at least one, uses them.

        Args:
            steps: how many steps have been taken.
        """
        return {
            key: float(step_sizes(value, steps - 1, 1)[0]) if isinstance(value, Schedule) else value
            for key, value in self._given.items()
        }

    @property
    def _given(self) -> Mapping[Any, Any]:
        return self.params if isinstance(self.params, Mapping) else {}

    @property
    def rows(self) -> int:
        """The number of rows of a minibatch; 0 where all of the data are used."""
        return self.batch_size or 0

    @property
    def workers(self) -> int:
        """The number of threads that run chains."""
        wanted = os.cpu_count() or 1 if self.threads is None else self.threads
        return min(self.chains, MAX_THREADS, wanted)

    @property
    def folder(self) -> Path | None:
        """The folder of the checkpoint; None where the run is not saved."""
        return None if self.checkpoint is None else as_path(self.checkpoint, "checkpoint")

    @property
    def controlled(self) -> bool:
        """True if gradients are estimated with control variates."""
        return self.control_variates is not None and self.control_variates is not False

    def kept(self, module: Module) -> tuple[Block, ...]:
        """Return the blocks of the state whose draws are kept, in the order of ``keep``; the blocks
        of interest where it says nothing.

        Args:
            module: the generated module.

        Raises:
            RecipeError: where ``keep`` is empty or names a block that the state does not have, and
                where draws of a block could not be saved under its name.
        """
        kept = self._named(module)
        for block in kept:
            require_name_of_draws(reported_block(block).name, "the block")
        return kept

    def _named(self, module: Module) -> tuple[Block, ...]:
        state = module.plan.state
        by_name = {reported_block(b).name: b for b in state}
        if self.keep is None:
            return module.of_interest
        wanted = self._wanted()
        if wanted == [ALL] and ALL not in by_name:
            return state
        parts = {b.name: [s.name for s in b.blocks] for b in ordered_blocks(module)}
        known = [*parts, *by_name]
        for name in wanted:
            if name not in known:
                raise RecipeError(
                    f"keep= names {name}, which is no block; {did_you_mean(name, known)}the"
                    f' blocks are {", ".join(known)}, and keep="{ALL}" keeps them all'
                )
        if not wanted:
            raise RecipeError("keep=[] keeps nothing; name the blocks to keep")
        names = [n for name in wanted for n in parts.get(name, [name])]
        return tuple(by_name[name] for name in dict.fromkeys(names))

    def _wanted(self) -> list[str]:
        """The names of the blocks in ``keep``."""
        one = isinstance(self.keep, str | Indexed | Scalar | Ordered)
        wanted = [self.keep] if one else list(self.keep or ())
        return [b.name if isinstance(b, Ordered) else str(b) for b in wanted]

    def left_out(self, module: Module) -> set[str]:
        """Return the names of the scalars that ordered blocks are made of, and whose draws nobody
        asks for.

        Args:
            module: the generated module.
        """
        parts = {s.name for b in ordered_blocks(module) for s in b.blocks}
        if self.keep is None:
            return parts
        wanted = self._wanted()
        return set() if wanted == [ALL] else parts - set(wanted)


def ordered_blocks(module: Module) -> list[Ordered]:
    """Return the ordered blocks of the posteriors that a module samples."""
    return [b for e in module.estimators.values() for b in e.gradient.posterior.ordered]


def require_options_that_fit(options: SamplingOptions, module: Module, rows: int | None) -> None:
    """Require that a module can be run with these options.

    Args:
        options: the options, each of which is in its own range already.
        module: the generated module.
        rows: the number of rows of its smallest data set; None without data.

    Raises:
        RecipeError: naming the option that does not fit, and the repair.
    """
    if options.batch_size is not None:
        if rows is None:
            raise RecipeError("batch_size= needs data: bind a Posterior to the potential first")
        checked_integer("batch_size", options.batch_size, 1, rows)
    options.kept(module)
    for name, used in (
        ("control_variates", module.controlled),
        ("svrg" if options.svrg else "saga", bool(module.references)),
        ("compensate", bool(module.plan.variances) and not module.adapting),
    ):
        if used and options.batch_size is None:
            raise RecipeError(
                f"{name}= is about minibatches: give batch_size=, or leave {name}= out"
            )
    if not options.replace and options.batch_size is None and options.tuning is None:
        raise RecipeError(
            "replace=False is about minibatches: give batch_size=, or leave replace= out"
        )
    if options.saga and options.replace:
        raise RecipeError(
            "saga= needs the rows of a minibatch to be distinct, as it replaces what was seen of"
            " each: give replace=False"
        )
    if module.plan.variances and options.rows < 2:
        whose = "the rule" if module.adapting else "compensate="
        raise RecipeError(
            f"{whose} estimates a variance from the rows of a minibatch: give a batch_size of 2"
            " or more"
        )
    if module.adapting and options.warmup < 1:
        raise RecipeError(
            "the rule holds a running variance of its gradient, which is learned in the warm-up and"
            " stays then: give warmup="
        )


def _checked_seed(seed: Any) -> int:
    """Return the seed, which other libraries keep in an object of theirs."""
    try:
        return checked_integer("seed", seed, 0, MAX_SEED)
    except RecipeError as error:
        kind, shape = str(getattr(seed, "dtype", "")), getattr(seed, "shape", None)
        if "key" in kind or (kind == "uint32" and shape == (2,)):
            raise RecipeError(
                f"seed={short_text(seed)}: a key of JAX is no seed; give a whole number, such as"
                " seed=0"
            ) from None
        raise error from None


def _checked_fields(given: SamplingOptions) -> dict[str, Any]:
    """Return the fields that are plain numbers, truth values or paths, each checked and of its
    type.
    """
    if not isinstance(given.keep, str | Indexed | Scalar | Sequence | None):
        raise RecipeError(
            f"keep={short_text(given.keep)} must be blocks or their names, such as keep=['theta']"
        )
    if not isinstance(given.control_variates, bool | Mapping | None):
        raise RecipeError(
            f"control_variates={short_text(given.control_variates)} must be True, False, or the"
            " mode as a dict by block"
        )
    size, threads, svrg = given.batch_size, given.threads, given.svrg
    return {
        "chains": checked_integer("chains", given.chains, 1),
        "schedule": Constant(1.0) if given.step_size is None else schedule_of(given.step_size),
        "steps": checked_integer("steps", given.steps, 1),
        "warmup": checked_integer("warmup", given.warmup, 0),
        "thin": checked_integer("thin", given.thin, 1),
        "seed": _checked_seed(given.seed),
        "batch_size": None if size is None else checked_integer("batch_size", size, 1),
        "replace": checked_flag("replace", given.replace),
        "svrg": None if svrg is None else checked_integer("svrg", svrg, 1, MAX_CALLS),
        "saga": checked_flag("saga", given.saga),
        "compensate": checked_flag("compensate", given.compensate),
        "float32_data": checked_flag("float32_data", given.float32_data),
        "max_bias": checked_positive("max_bias", given.max_bias),
        "threads": None if threads is None else checked_integer("threads", threads, 1),
        "checkpoint": given.folder,
        "checkpoint_seconds": checked_positive("checkpoint_seconds", given.checkpoint_seconds),
    }
