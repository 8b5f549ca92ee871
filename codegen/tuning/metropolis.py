"""Tune a kernel with Metropolis tests: its step size by its acceptance, its trajectories by the
widest direction of the law, and its number of sweeps by a trial.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from codegen.inputs.options import SamplingOptions
from codegen.system.doing import doing
from codegen.tuning.law.dual_averaging import DualAveraging
from codegen.tuning.law.pilot import Pilot
from codegen.tuning.law.target import Target
from codegen.tuning.law.untunable import UntunableError
from codegen.tuning.law.widths import widths
from codegen.tuning.prepared import Prepared, Scaled, prepared, rounded
from codegen.tuning.request import Request
from codegen.tuning.trial import MAX_SWEEPS, Trial, Trialled
from codegen.tuning.tuning import Alternative
from recipe.kernel import Kernel
from recipe.kernel.part import MetropolisedMap, MetropolisedPath, MetropolisHastings, leaves_of
from recipe.kernel.trajectory import longest_trajectory, with_trajectories
from recipe.language.blocks import Scalar

HMC_RATE, MALA_RATE, ONE_STEP_RATE, CAREFUL_RATE = 0.8, 0.574, 0.9, 0.95
SLOW = 50.0  # sweeps for an effective draw: from there on a smaller step is tried, too
ADAPTATION = 200  # sweeps
MIN_ACCEPTANCE = 0.05  # of a trial
MAX_STEP = 0.9  # of a leapfrog, in standard deviations of the narrowest direction
LONGEST = 1000  # leapfrogs of a trajectory
LARGEST_GROWTH = 1e3  # of the step size, from the first guess
SWEEPS_MORE = 2.0  # than the trial says are needed, as its autocorrelations are estimates


@dataclass(frozen=True, eq=False)
class Tested:
    """A kernel that has been tuned.

    Attributes:
        alternative: its setting in short.
        settings: the arguments of ``sample`` that were found.
        acceptance: the acceptance rate of the trial.
        sweeps: the sweeps for one effective draw.
        made: the compiled kernel.
    """

    alternative: Alternative
    settings: dict[str, Any]
    acceptance: float
    sweeps: float
    made: Prepared


def tuned_kernel(name: str, what: Scaled, target: Target, pilot: Pilot, request: Request) -> Tested:
    """Tune a kernel.

    Args:
        name: its name in tables.
        what: the kernel with the scales of the pilot run.
        target: the law.
        pilot: its pilot run.
        request: the budget, and what was given.

    Raises:
        UntunableError: where no step size is accepted, or a parameter is left that nothing says.
    """
    kernel, given = what.what, dict(what.params)
    assert isinstance(kernel, Kernel)
    narrow, wide = widths(target, pilot, what.scales)
    for parameter in what.open:
        if len(what.open) > 1:
            raise UntunableError(f"give {', '.join(what.open)}: tuning chooses at most one of them")
        given[parameter] = rounded(1.0 / wide)
    friction = {n: given[n] for n in what.open}
    longest = longest_trajectory(kernel)
    if longest is not None:
        # pi/2 of the widest direction on average, at the step that the narrowest one allows
        step = narrow * min(MAX_STEP, pilot.step_size)
        longest = min(LONGEST, max(4, _two_digits(math.pi * wide / step)))
        assert isinstance(what.on, Kernel)
        changed = (with_trajectories(k, longest) for k in (kernel, what.on))
        what = replace(what, what=next(changed), on=next(changed))
    chosen = SamplingOptions(
        steps=1, step_size=1.0, params=given, chains=request.chains, seed=request.seed,
        threads=request.threads, lengths=request.lengths,
    )  # fmt: skip
    doing(f"tuning: {name}")
    made = prepared(what, chosen, request.check)
    trial = Trial(made, target, pilot.last[: request.chains])
    first = 0.5 * narrow ** (1 if longest is not None else 2)
    size, shown = _adapted(trial, first, _wanted_rate(kernel, pilot))
    if shown is None or shown.steps > SLOW:  # a narrow place may need a smaller step than others
        trial = Trial(made, target, pilot.last[: request.chains])
        careful, again = _adapted(trial, size, CAREFUL_RATE)
        if again is not None and (shown is None or again.steps < shown.steps):
            size, shown = careful, again
    if shown is None or not shown.acceptance > MIN_ACCEPTANCE or not shown.enough:
        raise UntunableError(
            f"it is too slow here: at its best step size, {size:g}, {MAX_SWEEPS:,} sweeps of each"
            f" chain make hardly a draw, as the widest direction is {wide / narrow:.2g} times the"
            " narrowest, or the law has several modes; take longer trajectories, such as those of"
            " hmc_kernel, or write the model so that it has one mode"
        )
    sweeps = shown.steps
    gradients = 1.0 if longest is None else (1 + longest) / 2
    rows = target.density.rows
    steps = steps_of(sweeps, request)
    settings = {
        "what": what.what, "step_size": size, "params": given, "steps": steps, "warmup": 0,
        "initial": initial_values(what, target, trial.positions()), "scheme": "semi-implicit",
        "thin": max(1, steps // request.most_draws), "batch_size": None,
    }  # fmt: skip
    found = Alternative(name, "composed", size, None, friction, 0.0, sweeps * gradients * rows)
    return Tested(found, settings, shown.acceptance, sweeps, made)


def _adapted(trial: Trial, first: float, rate: float) -> tuple[float, Trialled | None]:
    """Return the step size at which the tests accept at a rate, and what a trial shows of it."""
    adaptation = DualAveraging(first, rate)
    for _ in range(ADAPTATION):
        adaptation.update(trial.move(min(adaptation.step_size, LARGEST_GROWTH * first), 1))
    size = rounded(adaptation.averaged)
    doing(f"tuning: a trial with step size {size:g}")
    return size, trial.judged(size)


def _two_digits(x: float) -> int:
    return math.ceil(float(f"{x:.2g}"))


def _wanted_rate(kernel: Kernel, pilot: Pilot) -> float:
    """Return the acceptance rate that is best: 0.8 for trajectories (Hoffman & Gelman 2014), 0.574
    for Langevin proposals (Roberts & Rosenthal 1998), more where a rejection turns back, and more
    where the pilot run needed more.
    """
    return _usual_rate(kernel) if pilot.rate <= HMC_RATE else max(_usual_rate(kernel), pilot.rate)


def _usual_rate(kernel: Kernel) -> float:
    for part in kernel.parts:
        for leaf in leaves_of(part):
            if isinstance(leaf, MetropolisHastings):
                return MALA_RATE
            test = leaf.test if isinstance(leaf, MetropolisedPath) else leaf
            if isinstance(test, MetropolisedMap) and test.times == 1:
                return ONE_STEP_RATE
    return HMC_RATE


def steps_of(sweeps: float, request: Request) -> int:
    """Return the steps of a chain for the Monte Carlo error that is wanted.

    Args:
        sweeps: the steps for one effective draw.
        request: the budget.
    """
    needed = SWEEPS_MORE * request.effective_draws * sweeps / request.chains
    return int(float(f"{max(needed, request.least_draws):.2g}"))


def initial_values(what: Scaled, target: Target, z: np.ndarray) -> dict[str, np.ndarray]:
    """Return points of a target as first values of the blocks of a state, by name: of the real
    coordinates, as the values of a block may round to an edge of its domain.

    Args:
        what: the sampler.
        target: the law.
        z: a point for each chain, shape (chains, n).
    """
    parts = zip(what.blocks, target.parts(z), strict=True)
    return {b.name: v[:, 0] if isinstance(b, Scalar) else v for b, v in parts}
