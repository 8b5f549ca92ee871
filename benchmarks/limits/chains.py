"""10,000 chains of SGLD on a banana in the plane, U = x^2/2 + (y - x^2)^2/2; nanoseconds a
chain-step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from time import process_time
from typing import Any

import numpy as np
from child import Child
from measure import Row, Run, Skipped, alternate, from_zero, rows_of
from native import Library, compiler
from numba import njit

from catalog.sgld import sgld
from codegen import generate
from recipe import Scalar

CHAINS, STEP, STEPS = 10_000, 0.005, 200
OURS, IN_C, GENERATOR = "run_many", "C", "njit + Generator"
JAX, BLACKJAX = "JAX batched, float32", "BlackJAX vmap, float32"


@njit(error_model="numpy", fastmath={"contract"})
def with_generator(x, y, step, steps, rng):
    scale = np.sqrt(2 * step)
    for _ in range(steps):
        for k in range(x.size):
            gap = y[k] - x[k] ** 2
            moved = x[k] + scale * rng.standard_normal() - step * (x[k] - 2 * x[k] * gap)
            y[k] += scale * rng.standard_normal() - step * gap
            x[k] = moved


def start() -> np.ndarray:
    """Where the chains start: exactly the law, x and y."""
    x, y = np.random.default_rng(0).standard_normal((2, CHAINS))
    return np.stack([x, y + x**2])


def checked(x: np.ndarray, run: Callable[[int], Any]) -> Run:
    """Seconds a chain-step; the law of x is that of standard normal numbers."""

    def measure() -> float:
        began = process_time()
        run(STEPS)
        seconds = process_time() - began
        if not 0.7 < np.mean(x**2) < 1.2:
            raise SystemExit(
                f"the mean square of x over the chains is {np.mean(x**2)}, and should be near 1"
            )
        return seconds / (STEPS * CHAINS)

    return measure


def module() -> Any:
    """The generated module."""
    x, y = Scalar("x"), Scalar("y")
    return generate(sgld, x**2 / 2 + (y - x**2) ** 2 / 2).load()


def nothing_kept(loaded: Any) -> Any:
    """Draws of a run that keeps none."""
    return loaded.Draws(*(np.zeros((0, 0, 0)) for _ in range(2)))


def ours() -> Run:
    """Our driver of many chains."""
    loaded = module()
    state, draws = loaded.allocate_many(*start().reshape(2, 1, CHAINS)), nothing_kept(loaded)

    def run(at: int, steps: int) -> None:
        loaded.run_many(state, draws, np.full(steps, STEP), (), np.uint64(1), 0, at, 0, 1)

    return checked(state.x, from_zero(run))


def rows(rounds: int, jax: str | None) -> Iterator[Row | Skipped]:
    """The rows, against every competitor there is."""
    (x, y), rng = start(), np.random.default_rng(1)
    runs = {OURS: ours(), GENERATOR: checked(x, lambda n: with_generator(x, y, STEP, n, rng))}
    if compiler():
        library, u, v = Library("chains.c"), *start()
        runs[IN_C] = checked(
            u, from_zero(lambda at, n: library.call("banana", u, v, CHAINS, STEP, 1, at, n))
        )
    with ExitStack() as children:
        for name, kind in ((JAX, "jax"), (BLACKJAX, "blackjax")) if jax else ():
            child = children.enter_context(
                Child(jax, "jax_cases.py", case="chains", library=kind, chains=CHAINS, step=STEP)
            )
            runs[name] = lambda child=child: child.run(STEPS) / CHAINS
        medians = alternate(runs, rounds)
    limits = {JAX: 1 / 5, BLACKJAX: 1 / 10}
    yield from rows_of("10,000 chains", OURS, medians, ("ns", 1e9), limits)
