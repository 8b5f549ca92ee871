"""Advice on the step size: a refusal before a run that exceeds the noise budget, and warnings after
a run whose step size is near a bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from codegen.inputs.schedule import step_sizes
from codegen.running.batches import Bundles
from codegen.running.chains import Chain
from codegen.running.compiled import Compiled
from codegen.step_size.noise_budget import Budget
from codegen.step_size.stability import LARGER_FACTOR, PROBE_STEPS, is_near_stability_bound
from recipe.language.errors import RecipeError

# minibatches at the first state; one alone would leave the first estimate of a variance to chance
FIRST_BATCHES = 50
MIN_ACCEPTANCE_RATE = 0.1  # of Metropolis tests: a lower rate is a warning
# Looking for the stability bound may take this share of the seconds of the run, or these seconds.
MAX_PROBE_SHARE, FREE_PROBE_SECONDS = 0.1, 0.5
PROBES = 8  # runs of ``PROBE_STEPS`` steps: two states, two step sizes, two copies


def check_budget_at_start(kernel: Compiled, budget: Budget, chain: Chain) -> None:
    """Estimate the variance of the gradient at the first state of a chain, by steps of size 0, and
    refuse a step size beyond the noise budget.

    Where the budget depends on the state, nothing is refused.

    Raises:
        RecipeError: with the largest step size that the budget allows.
    """
    kernel.move(chain.state, kernel.no_draws(), chain.number, 0, FIRST_BATCHES, 0.0)
    size = float(step_sizes(kernel.options.schedule, 0, 1)[0])
    bound = budget.largest_step(chain.state)
    if budget.constant and size > bound:
        raise RecipeError(
            f"step_size={size:.4g} is beyond the noise budget at the first state, where the noise"
            f" of the gradient can be compensated up to the step size {bound:.4g}; take a smaller"
            " step, a larger batch_size, or control_variates"
        )


def step_size_warnings(
    runner: Compiled | Bundles,
    chains: Sequence[Chain],
    budget: Budget | None,
    seconds: float,
    first: Any,
) -> tuple[str, ...]:
    """Return warnings about the step size after a run.

    The step size is judged at the last state of a chain that has not stopped, and at its first
    state: a step size far beyond its bound takes a chain to a place where the law is flat, and
    there every step size is stable. A kernel with Metropolis tests is judged by its acceptance rate
    instead, as two copies of a state that are accepted independently move apart at any step size.

    Args:
        runner: the kernel or its bundles.
        chains: the chains after the run.
        budget: the noise budget; None where no noise is compensated for.
        seconds: how long the run took. The search for the stability bound is left out where it
            would take too large a share of that.
        first: the first state of the first chain.
    """
    healthy = [c for c in chains if c.stopped_by < 0 and c.done > 0]
    if not healthy:
        return ()
    kernel, last, found = runner.kernel, healthy[0], []
    if kernel.module.plan.statistics:
        return _low_acceptance(kernel, healthy)
    size = float(step_sizes(kernel.options.schedule, last.done - 1, 1)[0])
    seconds_a_step = seconds * kernel.workers / max(1, sum(c.done for c in chains))
    affordable = max(FREE_PROBE_SECONDS, MAX_PROBE_SHARE * seconds)
    if PROBES * PROBE_STEPS * seconds_a_step < affordable and any(
        _is_near_bound(runner, last, state, size) for state in (last.state, first)
    ):
        found.append(
            f"the step size {size:.4g} is near its stability bound, or beyond it: it, or"
            f" {LARGER_FACTOR} times as much, is unstable at the first or the last state; expect a"
            " large discretisation error, and take a smaller step"
        )
    bound = budget.largest_step(last.state) if budget is not None else float("inf")
    if LARGER_FACTOR * size > bound:
        found.append(
            f"the step size {size:.4g} is near the noise budget {bound:.4g} at the last state; take"
            " a smaller step"
        )
    return tuple(found)


def _low_acceptance(kernel: Compiled, chains: Sequence[Chain]) -> tuple[str, ...]:
    """Return a warning if the mean acceptance rate of all kept draws is low."""
    rates = np.concatenate(
        [getattr(c.draws, f)[:, 0] for f in kernel.module.plan.statistics for c in chains]
    )
    rate = float(np.mean(rates[~np.isnan(rates)])) if not np.all(np.isnan(rates)) else 1.0
    if rate >= MIN_ACCEPTANCE_RATE:
        return ()
    return (
        (
            f"only {rate:.3g} of the Metropolis tests accepted; take a smaller step, or fewer steps"
            " from test to test"
        ),
    )


def _is_near_bound(runner: Compiled | Bundles, chain: Chain, state: Any, size: float) -> bool:
    """Return True if the step size seems to be unstable at a state."""

    def step(moved: Any, step_size: float, count: int) -> bool:
        return runner.stays_finite(moved, chain.number, chain.done, count, step_size)

    kernel = runner.kernel
    fields = list(kernel.module.plan.fields.values())
    return is_near_stability_bound(step, lambda: kernel.copy(state), fields, size)
