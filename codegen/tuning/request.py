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
)
from codegen.generate import Module


@dataclass(frozen=True)
class Request:
    """The arguments of ``tune``.

    Attributes:
        params, scheme, batch_size, chains, seed, threads, lengths, max_bias, max_error, check: as
            for ``tune``.
        least_draws: a chain keeps at least so many draws, for its diagnosis.
        most_draws: a chain keeps about as many draws at most.

    Raises:
        RecipeError: for a value out of range.
    """

    params: Mapping[Any, Any] = field(default_factory=dict)
    scheme: str | None = None
    batch_size: int | None = None
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
    def effective_draws(self) -> int:
        """The effective draws after which the Monte Carlo error of a mean is within its budget."""
        return math.ceil(1.0 / self.max_error**2)
