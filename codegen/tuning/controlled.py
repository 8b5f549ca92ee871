"""Minibatches with control variates, as an alternative of a tuning: the mode around which they are
taken, and the compiled sampler that takes them (``codegen.inputs.gradients.control_variates``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from codegen.inputs.options import SamplingOptions
from codegen.module import Module
from codegen.system.doing import doing
from codegen.tuning.law.target import Target
from codegen.tuning.linear_step import LinearStep
from codegen.tuning.many import with_batch
from codegen.tuning.prepared import Prepared, Scaled, prepared
from codegen.tuning.request import Request
from recipe.language.errors import RecipeError

READS = 2  # of a row of a minibatch: where the chain is, and at the mode


def mode_of(target: Target, request: Request) -> Mapping[Any, Any] | str:
    """Return the mode that control variates are taken around, by block, as it was given or is
    searched for; or why there is none, a clause.

    Args:
        target: the law.
        request: what was given.
    """
    if isinstance(request.control_variates, Mapping):
        return request.control_variates
    doing("tuning: the mode of the posterior, for control variates")
    try:
        return dict(zip(target.density.blocks, target.density.minimum(), strict=True))
    except RecipeError as reason:
        return f"{reason}"


def controlled(
    what: Scaled,
    options: SamplingOptions,
    mode: Mapping[Any, Any],
    target: Target,
    check: Callable[[Module], None] | None,
) -> Prepared:
    """Compile a sampler that estimates gradients with control variates.

    Args:
        what: the sampler.
        options: its options; those of the run without control variates.
        mode: the mode, by block.
        target: the law.
        check: called with the module before any of it is compiled.
    """
    own = replace(options, control_variates=mode, batch_size=1)
    return with_batch(prepared(what, own, check, target.density), None)


def share_of_variance(
    plain: LinearStep, by_mode: LinearStep, step_size: float, batch: int
) -> float | None:
    """Return the variance that minibatches with control variates add to a step over the law, as a
    share of what they add without them; the mean over the coordinates of a state that they move.

    Args:
        plain, by_mode: the step without and with control variates.
        step_size: the step size.
        batch: the rows of a minibatch.
    """
    near = plain.at(step_size)
    size = near.point.size
    with_them, without = (
        np.diag(step.noise_of_batches(near, step_size, batch))[:size] for step in (by_mode, plain)
    )
    moved = without > 1e-12 * np.max(without, initial=0.0)
    return float(np.mean(with_them[moved] / without[moved])) if moved.any() else None
