"""What a tuning says of itself in about five sentences."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any

from codegen.tuning.law.pilot import Pilot
from codegen.tuning.law.target import Target
from codegen.tuning.law.widths import widths
from codegen.tuning.prepared import Scaled
from codegen.tuning.request import Request
from codegen.tuning.within_budget import Setting


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
        said_of_steps(request.chains, settings["steps"], settings["warmup"], request.max_error),
    )


def said_of_recipe(found: Setting) -> str:
    """Return how the step size of a recipe was found, and by how much control variates make the
    noise of its minibatches smaller.

    Args:
        found: its setting.
    """
    said = (
        f"Its bias is predicted from the compiled step: {found.alternative.bias:.2g} sd; an"
        f" effective draw takes {found.predicted.time:.2g} steps."
    )
    if not found.alternative.control_variates:
        return said
    measured = "" if found.share is None else f", {found.share:.2g} of the variance without"
    return f"{said} Gradients are differences to the mode (control variates){measured}."


def said_of_steps(chains: int, steps: int, warmup: int, max_error: float) -> str:
    """Return how long a run is, and why.

    Args:
        chains: the number of chains.
        steps, warmup: the numbers of steps of each.
        max_error: the Monte Carlo error that they make, in posterior standard deviations.
    """
    return (
        f"{_chains_of(chains, steps, warmup)}, make the Monte Carlo error of every mean about"
        f" {max_error:g} sd or less."
    )


def said_of_given_steps(
    chains: int, given: tuple[int, int], found: tuple[int, int], max_error: float
) -> str:
    """Return how long a run is whose number of steps was given, and how long it would have to be.

    Args:
        chains: the number of chains.
        given: the steps and the warm-up that are run.
        found: those that tuning has found to make ``max_error``.
        max_error: the largest Monte Carlo error, in posterior standard deviations.
    """
    (steps, warmup), (needed, needed_warmup) = given, found
    kept = max(1, steps - warmup)
    error = max_error * sqrt((needed - needed_warmup) / kept)
    return (
        f"{_chains_of(chains, steps, warmup)}, are run, as steps= is given; they make the Monte"
        f" Carlo error of every mean about {error:.2g} sd or less, and for {max_error:g} sd"
        f" {needed:,} steps, {needed_warmup:,} of them warm-up, are needed."
    )


def _chains_of(chains: int, steps: int, warmup: int) -> str:
    several = "" if chains == 1 else "s"
    return f"{chains} chain{several} of {steps:,} steps, {warmup:,} of them warm-up"
