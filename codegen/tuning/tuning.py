"""What tuning has found: a setting, why, and what the alternatives would cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from codegen.system.finite_json import finite_only
from recipe.language.symbols import name_of


@dataclass(frozen=True)
class Alternative:
    """A setting that was considered.

    Attributes:
        sampler: the name of the sampler.
        scheme: its discretisation; "composed" for a kernel.
        step_size: its step size; None where none was found.
        batch_size: the rows of a minibatch; None for all of the data.
        friction: the values of parameters that were left open, by name.
        bias: the predicted bias in posterior standard deviations: 0 where Metropolis tests make the
            law exact, None where nothing can be predicted.
        rows: the rows of data that gradients read for one effective draw; without data, the
            gradients. None where nothing was found.
        reason: why it cannot be used, a clause; None where it can.
        control_variates: whether its minibatches have control variates; their gradients count each
            row twice.
    """

    sampler: str
    scheme: str
    step_size: float | None
    batch_size: int | None = None
    friction: Mapping[str, float] = field(default_factory=dict)
    bias: float | None = None
    rows: float | None = None
    reason: str | None = None
    control_variates: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Tuning:
    """A setting of a sampler for a posterior, within a budget.

    ``sample(**tuning.settings)`` samples with it.

    Attributes:
        settings: the arguments of ``codegen.sample``: the sampler with scales for its coordinates
            where they help, the posterior, and all numbers.
        chosen: the setting in short.
        alternatives: all settings that were considered, the chosen one first.
        max_bias: the largest bias that was asked for, in posterior standard deviations.
        max_error: the largest Monte Carlo error of a mean that was asked for, in the same unit.
        explanation: about five sentences: where the law is, what was chosen, and why.
        coordinates: the names of the coordinates of the posterior.
        scales: the scale of each, in the order of ``coordinates``; None where the sampler has none.
    """

    settings: Mapping[str, Any]
    chosen: Alternative
    alternatives: tuple[Alternative, ...]
    max_bias: float
    max_error: float
    explanation: tuple[str, ...]
    coordinates: tuple[str, ...]
    scales: np.ndarray | None

    def __repr__(self) -> str:
        from codegen.tuning.words import tuning_text

        return tuning_text(self)

    def as_json(self) -> dict[str, Any]:
        """Return the setting as plain values for ``json.dumps``."""
        from codegen.tuning.words import alternative_values

        plain = {k: _plain(v) for k, v in self.settings.items() if k not in ("what", "posterior")}
        found: dict[str, Any] = finite_only(
            {
                "settings": plain,
                "chosen": alternative_values(self.chosen),
                "alternatives": [alternative_values(a) for a in self.alternatives],
                "max_bias": self.max_bias,
                "max_error": self.max_error,
                "explanation": list(self.explanation),
            }
        )
        return found


def _plain(value: Any) -> Any:
    """Return a setting as plain values."""
    if isinstance(value, Mapping):
        return {name_of(k): _plain(v) for k, v in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value
