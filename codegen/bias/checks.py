"""Faults of a run that are plain to see, whatever can be predicted: chains that ran away or all
diverged, and columns of data on very different scales.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import numpy as np

from codegen.bias.column_scales import unequal_columns
from codegen.bias.own_gradient import own_gradient_faults
from codegen.inputs.preimages import reported_block
from codegen.running.chains import Chain
from codegen.running.compiled import Compiled

RAN_AWAY = 1e12  # no coordinate of a usable parametrisation is so large


def plain_faults(kernel: Compiled, chains: Sequence[Chain]) -> Iterator[str]:
    """Yield a sentence for each fault of a run.

    Args:
        kernel: the compiled module of the run.
        chains: its chains, after the run.
    """
    stopped = [c for c in chains if c.stopped_by >= 0]
    told_why = any(c.number in kernel.calls.faults for c in stopped)  # each divergence says it
    if len(stopped) == len(chains) > 1 and not told_why:
        yield (
            f"all {len(chains)} chains diverged, so there are no draws to trust; take a step size"
            " that is ten times smaller"
        )
    yield from _ran_away(kernel, chains)
    yield from own_gradient_faults(kernel, chains)
    yield from _unscaled(kernel)


def _ran_away(kernel: Compiled, chains: Sequence[Chain]) -> Iterator[str]:
    plan = kernel.module.plan
    own = (
        ", or change the sign of the gradient of your own, which is that of minus the log density"
        if kernel.gradient
        else ""
    )
    for block in plan.state:
        if block.image is not None:  # the draws are those of the image
            continue
        largest = max((_largest(getattr(c.state, plan.fields[block])) for c in chains), default=0.0)
        if largest > RAN_AWAY:
            yield (
                f"{reported_block(block).name} has reached {largest:.0e}, where no posterior is:"
                f" the chains have run away; take a smaller step, or standardise the data{own}"
            )


def _largest(values: np.ndarray) -> float:
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max(initial=0.0))


def _unscaled(kernel: Compiled) -> Iterator[str]:
    """Yield a sentence for each array with a column on another scale, unless tuning has given each
    coordinate a scale of its own.
    """
    tuning = kernel.options.tuning
    if tuning is not None and json.loads(tuning).get("scaled", False):
        return
    for estimator in kernel.module.estimators.values():
        for symbol, name in estimator.gradient.fields.items():
            found = unequal_columns(symbol, kernel.data[name])
            if found is not None:
                yield f"standardise: {found}; one step size does not fit both"
