"""What is asked of a tuning: the budget, and the settings that were given."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from codegen.check_arguments import (
    MAX_SEED,
    checked_integer,
    checked_mapping,
    checked_positive,
    short_text,
)
from codegen.module import Module
from codegen.tuning.law.target import Target
from recipe.declare.recipe import Recipe
from recipe.kernel import Kernel, refusal_of_estimates
from recipe.language.errors import RecipeError

MIN_ROWS = 200  # with fewer rows no minibatch is worth its noise


@dataclass(frozen=True)
class Request:
    """The arguments of ``tune``.

    Attributes:
        params, scheme, batch_size, control_variates, chains, seed, threads, lengths, max_bias,
            max_error, check: as for ``tune``.
        least_draws: a chain keeps at least so many draws, for its diagnosis.
        most_draws: a chain keeps about as many draws at most.

    Raises:
        RecipeError: for a value out of range.
    """

    params: Mapping[Any, Any] = field(default_factory=dict)
    scheme: str | None = None
    batch_size: int | None = None
    control_variates: bool | Mapping[Any, Any] | None = None
    chains: int = 4
    seed: int = 0
    threads: int | None = None
    lengths: Mapping[Any, int] | None = None
    initial: Mapping[Any, Any] | None = None
    max_bias: float = 0.1
    max_error: float = 0.05
    check: Callable[[Module], None] | None = None
    least_draws: int = 1000
    most_draws: int = 5000

    def __post_init__(self) -> None:
        size, threads = self.batch_size, self.threads
        if not isinstance(self.control_variates, bool | Mapping | None):
            raise RecipeError(
                f"control_variates={short_text(self.control_variates)} must be True, False, or the"
                " mode as a dict by block; None chooses"
            )
        for name, value in (
            ("params", checked_mapping("params", self.params)),
            ("chains", checked_integer("chains", self.chains, 1)),
            ("seed", checked_integer("seed", self.seed, 0, MAX_SEED)),
            ("batch_size", None if size is None else checked_integer("batch_size", size, 1)),
            ("threads", None if threads is None else checked_integer("threads", threads, 1)),
            ("max_bias", checked_positive("max_bias", self.max_bias)),
            ("max_error", checked_positive("max_error", self.max_error)),
        ):
            object.__setattr__(self, name, value)

    @property
    def wants_control(self) -> bool:
        """Whether minibatches are to have control variates."""
        return self.control_variates is not None and self.control_variates is not False

    @property
    def effective_draws(self) -> int:
        """The effective draws after which the Monte Carlo error of a mean is within its budget."""
        return math.ceil(1.0 / self.max_error**2)


def require_rows_that_it_can_use(sampler: Recipe | Kernel, request: Request) -> None:
    """Require no minibatch of a kernel whose Metropolis tests would be biased by it."""
    refusal = refusal_of_estimates(sampler) if isinstance(sampler, Kernel) else None
    if refusal is None:
        return
    if request.batch_size is not None:
        raise RecipeError(f"batch_size={request.batch_size}: {refusal}")
    if request.wants_control:
        raise RecipeError(f"control_variates=: {refusal}")


def require_rows(target: Target, request: Request) -> None:
    """Require that the data have the rows of a minibatch."""
    if request.batch_size is None:
        if request.wants_control and target.density.rows < MIN_ROWS:
            raise RecipeError(
                "control_variates= is about minibatches, and of fewer than"
                f" {MIN_ROWS} rows tuning takes none: give batch_size=, or leave control_variates="
                " out"
            )
        return
    if not target.density.arrays:
        raise RecipeError("batch_size= needs data: bind a Posterior to the potential first")
    checked_integer("batch_size", request.batch_size, 1, target.density.rows)
