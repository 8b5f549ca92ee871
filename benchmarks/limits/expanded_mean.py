"""SGRLD of 100 topics over 8000 words in the coordinates "expanded mean", reflected at zero;
nanoseconds a coordinate-step.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from child import Child
from measure import Row, Run, Skipped, alternate, from_zero, rows_of
from native import Library, compiler
from numba import njit

from catalog.sgrld_simplex_expanded_mean import sgrld_simplex_expanded_mean_reflected
from codegen import generate

TOPICS, WORDS, STEP, STEPS, ALPHA = 100, 8000, 1e-3, 8, 0.5
OURS, IN_C, GENERATOR, JAX = "float64", "C", "njit + Generator", "JAX float32"
LIMITS = {IN_C: 1.1, GENERATOR: 1 / 2.8, JAX: 1 / 6}


@njit(error_model="numpy", fastmath={"contract"})
def with_generator(theta, counts, alpha, step, steps, rng):
    scale = np.sqrt(2 * step)
    for _ in range(steps):
        for i in range(theta.shape[0]):
            shrink = 1 + np.sum(counts[i]) / np.sum(theta[i])
            for k in range(theta.shape[1]):
                x = theta[i, k]
                drift = alpha[i, k] + counts[i, k] - x * shrink
                theta[i, k] = abs(x + step * drift + scale * np.sqrt(x) * rng.standard_normal())


def ours(theta: np.ndarray, counts: np.ndarray, alpha: np.ndarray) -> Callable[[int], Any]:
    """A step of each topic after a step of each other; topic i is chain i of a generated module."""
    module = generate(sgrld_simplex_expanded_mean_reflected).load()
    move, State, Draws, Params = module.run, module.State, module.Draws, module.Params
    _, *scratch = module.allocate(theta[0])
    if len(scratch) != 1:
        raise SystemExit(
            "a step of the expanded mean has other scratch arrays now: expanded_mean.py has to"
            " allocate them"
        )
    room = scratch[0].size

    @njit
    def all_topics(theta, counts, alpha, start, steps):
        none, ahead = np.zeros((0, 0)), np.zeros(room)
        for t in range(start, start + steps):
            for i in range(theta.shape[0]):
                move(
                    State(theta[i], ahead),
                    Draws(none),
                    (),
                    (),
                    STEP,
                    Params(alpha[i], counts[i]),
                    np.uint64(1),
                    i,
                    t,
                    1,
                    0,
                    1,
                )

    return from_zero(lambda at, n: all_topics(theta, counts, alpha, at, n))


def checked(theta: np.ndarray, run: Callable[[int], Any]) -> Run:
    """Seconds a coordinate-step."""

    def measure() -> float:
        began = process_time()
        run(STEPS)
        seconds = process_time() - began
        if not (theta > 0).all() or not 0.5 < theta.mean() / (2 + ALPHA) < 2:
            raise SystemExit(f"the mean of theta is {theta.mean()}, and should be near {2 + ALPHA}")
        return seconds / (STEPS * theta.size)

    return measure


def rows(rounds: int, jax: str | None) -> Iterator[Row | Skipped]:
    """The rows, against every competitor there is."""
    rng = np.random.default_rng(0)
    counts = rng.poisson(2.0, (TOPICS, WORDS)).astype(float)
    alpha = np.full(counts.shape, ALPHA)
    mine, loop, native = (counts + ALPHA for _ in range(3))
    runs: dict[str, Run] = {
        OURS: checked(mine, ours(mine, counts, alpha)),
        GENERATOR: checked(loop, lambda n: with_generator(loop, counts, alpha, STEP, n, rng)),
    }
    if compiler():
        library, scratch = Library("expanded_mean.c"), np.zeros((2, TOPICS))
        arguments = (native, counts, alpha, *scratch, TOPICS, WORDS, STEP, 1)
        runs[IN_C] = checked(
            native, from_zero(lambda at, n: library.call("expanded_mean", *arguments, at, n))
        )
    with ExitStack() as opened:
        if jax:
            file = Path(opened.enter_context(tempfile.TemporaryDirectory())) / "counts.npy"
            np.save(file, counts)
            child = opened.enter_context(
                Child(
                    jax,
                    "jax_cases.py",
                    case="expanded_mean",
                    counts=str(file),
                    alpha=ALPHA,
                    step=STEP,
                )
            )
            runs[JAX] = lambda: child.run(STEPS) / counts.size
        medians = alternate(runs, rounds)
    yield from rows_of("sgrld 100 x 8000", OURS, medians, ("ns", 1e9), LIMITS)
