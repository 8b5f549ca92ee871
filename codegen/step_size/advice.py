"""What is to be said of a step size: before a run, where it is beyond the noise budget, and after
it, where it is near a bound.
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
from codegen.step_size.stability import FACTOR, STEPS, near_its_bound
from recipe.language.errors import RecipeError

# at the first state, so that the running variance does not begin with the chance of one batch
FIRST_BATCHES = 50


def begin_budget(kernel: Compiled, budget: Budget, chain: Chain) -> None:
    """Estimate the variance of the gradient at the first state of a chain, by steps of size 0, and
    refuse a step beyond the budget.

    Raises:
        RecipeError: with the largest step that can be compensated, where that does not depend on
            the state.
    """
    kernel.move(chain.state, kernel.nowhere(), chain.number, 0, FIRST_BATCHES, 0.0)
    size, bound = float(step_sizes(kernel.how.schedule, 0, 1)[0]), budget.largest_step(chain.state)
    if budget.constant and size > bound:
        raise RecipeError(
            f"step_size={size:.4g} is beyond the noise budget at the first state, where the noise"
            f" of the gradient can be made good up to {bound:.4g}; take a smaller step, a larger"
            " batch_size, or control_variates"
        )


RARE = 0.1  # acceptance rates below it are spoken of
SHARE, AT_LEAST = (
    0.1,
    0.5,
)  # of the seconds that a run took, and seconds: what looking for the stability bound may cost


def warnings(
    runner: Compiled | Bundles,
    chains: Sequence[Chain],
    budget: Budget | None,
    seconds: float,
    first: Any,
) -> tuple[str, ...]:
    """What to say of the step size after a run of so many seconds.

    It is judged at the last state of a chain that has not stopped, and at its first: a step far
    beyond its bound takes a chain to where the law is flat, and any step is stable.
    """
    healthy = [c for c in chains if c.guilty < 0 and c.done > 0]
    if not healthy:
        return ()
    kernel, last, said = runner.kernel, healthy[0], []
    size = float(step_sizes(kernel.how.schedule, last.done - 1, 1)[0])
    each = seconds * kernel.how.workers / max(1, sum(c.done for c in chains))
    if (
        kernel.module.plan.statistics
    ):  # copies that are accepted or not, each for itself, move apart at any step size
        return _rarely_accepted(kernel, healthy)
    affordable = 8 * STEPS * each < max(AT_LEAST, SHARE * seconds)
    if affordable and any(
        _near_its_bound(runner, last, state, size) for state in (last.state, first)
    ):
        said.append(
            f"the step size {size:.4g} is near its stability bound, or beyond it: it, or {FACTOR}"
            " times as much, is unstable at the first or the last state; expect a large"
            " discretisation error, and take a smaller step"
        )
    bound = budget.largest_step(last.state) if budget is not None else float("inf")
    if FACTOR * size > bound:
        said.append(
            f"the step size {size:.4g} is near the noise budget {bound:.4g} at the last state; take"
            " a smaller step"
        )
    return tuple(said)


def _rarely_accepted(kernel: Compiled, chains: Sequence[Chain]) -> tuple[str, ...]:
    rates = np.concatenate(
        [getattr(c.draws, f)[:, 0] for f in kernel.module.plan.statistics for c in chains]
    )
    rate = float(np.mean(rates[~np.isnan(rates)])) if not np.all(np.isnan(rates)) else 1.0
    if rate >= RARE:
        return ()
    return (
        (
            f"only {rate:.3g} of the Metropolis tests accepted; take a smaller step, or fewer steps"
            " from test to test"
        ),
    )


def _near_its_bound(runner: Compiled | Bundles, chain: Chain, at: Any, size: float) -> bool:
    def step(state: Any, step_size: float, count: int) -> bool:
        return runner.stays_finite(state, chain.number, chain.done, count, step_size)

    kernel = runner.kernel
    return near_its_bound(
        step, lambda: kernel.copy(at), list(kernel.module.plan.fields.values()), size
    )
