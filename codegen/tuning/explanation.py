"""What a tuning says of itself in about five sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codegen.tuning.pilot import Pilot
from codegen.tuning.prepared import Scaled
from codegen.tuning.request import Request
from codegen.tuning.target import Target
from codegen.tuning.widths import widths


def explanation(
    target: Target,
    pilot: Pilot,
    what: Scaled,
    settings: Mapping[str, Any],
    request: Request,
    said: str,
) -> tuple[str, ...]:
    """Return the sentences.

    Args:
        target: the law.
        pilot: its pilot run.
        what: the chosen sampler with its scales.
        settings: the chosen arguments of ``sample``.
        request: the budget.
        said: how its step size was found.
    """
    narrow, wide = widths(target, pilot, what.scales)
    low, high = float(pilot.sd.min()), float(pilot.sd.max())
    steps, chains = settings["steps"], request.chains
    return (
        f"A pilot run ({pilot.evaluations:,} gradients of {target.density.rows:,} rows) found"
        f" standard deviations from {low:.2g} to {high:.2g}, R-hat {pilot.r_hat:.2f}.",
        (
            f"Each coordinate is scaled by its standard deviation; what is left is a ratio of"
            f" {wide / narrow:.2g} between the widest and the narrowest direction."
            if what.scales is not None
            else f"The sampler has no scales for its coordinates; the widest direction is"
            f" {wide / narrow:.2g} times the narrowest."
        ),
        said,
        f"{chains} chain{'' if chains == 1 else 's'} of {steps:,} steps,"
        f" {settings['warmup']:,} of them warm-up, make the Monte Carlo error of every mean about"
        f" {request.max_error:g} sd or less.",
    )
