"""One chain on a standard normal law: generated steps, beside the same step in C and as loops that a Numba user writes.

The C is the same algorithm (normal.h, steps.c). Ours is quoted with the target bound to an expression ("fused"); the row "gradient
passed in" has the same sampler with a gradient function of the user, which fills an array that the update then reads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from measure import Row, Run, Skipped, alternate, rows_of
from native import Library, compiler
from njit_steps import LOOPS
from ours import Chain, on_standard_normal, standard_normal_gradient

from catalog.sghmc import sghmc
from catalog.sgld import sgld
from catalog.sgnht import sgnht
from catalog.sgrld import sgrld

STEP, FRICTION = 0.01, 1.0
RECIPES = {"sgld": sgld, "sghmc": sghmc, "sgnht": sgnht, "sgrld": sgrld}
FUSED, PASSED, IN_C, GENERATOR, NP_RANDOM = "fused", "gradient passed in", "C", "njit + Generator", "njit + np.random"
LIMITS = {IN_C: 1.1, GENERATOR: 1 / 2.8, NP_RANDOM: 1 / 15}
WORK = 4_000_000  # coordinate-steps of one run


def blocks_of(sampler: str, d: int) -> list[np.ndarray]:
    """The blocks at the start of a chain, in the order of the recipe's state."""
    normal = np.random.default_rng(0).standard_normal
    return {
        "sgld": lambda: [normal(d)],
        "sgrld": lambda: [normal(d)],
        "sghmc": lambda: [normal(d), normal(d)],
        "sgnht": lambda: [normal(d), normal(d), np.ones(1)],
    }[sampler]()


def timed(blocks: list[np.ndarray], d: int, run: Callable[[int], Any]) -> Run:
    """Seconds a coordinate-step; the chain has to stay where the law is."""
    steps = max(1, WORK // d)

    def measure() -> float:
        began = time.perf_counter()
        run(steps)
        seconds = time.perf_counter() - began
        check(blocks[0])
        return seconds / (steps * d)

    return measure


def check(theta: np.ndarray) -> None:
    """Stop unless the state looks like standard normal numbers."""
    if not abs(np.mean(theta**2) - 1) < 0.1 + 8 * (2 / theta.size) ** 0.5:
        raise SystemExit(f"the mean square of a state is {np.mean(theta**2)}, and should be near 1")


def friction_of(sampler: str) -> list[float]:
    """The parameters of the recipe."""
    return [FRICTION] if sampler in ("sghmc", "sgnht") else []


def ours(sampler: str, d: int, *, fused: bool) -> Run:
    """Our chain."""
    gradient = () if fused else standard_normal_gradient
    module = on_standard_normal(RECIPES[sampler], fused=fused)
    chain = Chain(module, blocks_of(sampler, d), STEP, friction_of(sampler), gradient)
    return timed([chain.state.theta], d, chain.run)


def in_c(library: Library, sampler: str, d: int) -> Run:
    """The chain in C."""
    blocks = blocks_of(sampler, d)
    start = 0

    def run(steps: int) -> None:
        nonlocal start
        library.call(sampler, *blocks, d, *friction_of(sampler), STEP, 1, start, steps)
        start += steps

    return timed(blocks, d, run)


def in_njit(sampler: str, d: int, kind: str) -> Run:
    """The loop of a Numba user."""
    blocks = blocks_of(sampler, d)
    arguments = [*blocks, *friction_of(sampler), STEP]
    rng = [np.random.default_rng(1)] if kind == GENERATOR else []
    return timed(blocks, d, lambda steps: LOOPS[sampler, bool(rng)](*arguments, steps, *rng))


def rows(rounds: int, sizes: list[int], samplers: list[str]) -> Iterator[Row | Skipped]:
    """The rows of all samplers and sizes; the limits are those of d >= 1e4."""
    library = Library("steps.c") if compiler() else None
    if library is None:
        yield Skipped("steps in C", "there is no gcc")
    for sampler in samplers:
        for d in sizes:
            runs = {FUSED: ours(sampler, d, fused=True), PASSED: ours(sampler, d, fused=False)}
            if library:
                runs[IN_C] = in_c(library, sampler, d)
            runs |= {kind: in_njit(sampler, d, kind) for kind in (GENERATOR, NP_RANDOM)}
            medians = alternate(runs, rounds)
            limits = LIMITS if d >= 10_000 else {}
            work, unit = f"{sampler} d={d:.0e}".replace("e+0", "e"), ("ns", 1e9)
            yield from rows_of(work, FUSED, medians, unit, limits, leave=[PASSED])
            if library:
                passed = {k: medians[k] for k in (PASSED, IN_C)}
                yield from rows_of(work, PASSED, passed, unit, {})
                c = {k: medians[k] for k in (IN_C, GENERATOR)}
                yield from rows_of(f"{work} (C itself)", IN_C, c, unit, {GENERATOR: 1 / 2.5})
