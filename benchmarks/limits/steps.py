"""One chain on a standard normal law: generated steps, beside the same step in C and as loops that
a Numba user writes.

Ours is quoted with the target bound to an expression ("fused"); in the row "gradient passed in" the
user has a gradient function, which fills an array that the update then reads. The C is the same
algorithm (normal.h, steps.c). sgrld has the metric 1 / (1 + theta^2), sgrld_quotient 1 + theta^2,
where divisions and roots decide.
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
from njit_steps import LOOPS
from ours import Chain, on_standard_normal, standard_normal_gradient
from sympy import Expr

from catalog.sghmc import sghmc
from catalog.sgld import sgld
from catalog.sgnht import sgnht
from catalog.sgrld import sgrld

STEP, FRICTION = 0.01, 1.0
RECIPES = {"sgld": sgld, "sghmc": sghmc, "sgnht": sgnht, "sgrld": sgrld, "sgrld_quotient": sgrld}
FUSED, PASSED, IN_C, GENERATOR, NP_RANDOM = (
    "fused",
    "gradient passed in",
    "C",
    "njit + Generator",
    "njit + np.random",
)
JAX, BLACKJAX = "JAX float32", "BlackJAX float32"
LARGE = {IN_C: 1.1, GENERATOR: 1 / 2.8, NP_RANDOM: 1 / 15}
LIMITS = {
    2: {BLACKJAX: 1 / 50},
    100: {BLACKJAX: 1 / 7},
    10_000: {**LARGE, BLACKJAX: 1 / 3.5},
    1_000_000: {**LARGE, BLACKJAX: 1 / 7},
}
WORK = 4_000_000  # coordinate-steps of one run


def blocks_of(sampler: str, d: int) -> list[np.ndarray]:
    """The blocks at the start of a chain, in the order of the recipe's state."""
    normal = np.random.default_rng(0).standard_normal
    return {
        "sgld": lambda: [normal(d)],
        "sgrld": lambda: [normal(d)],
        "sgrld_quotient": lambda: [normal(d)],
        "sghmc": lambda: [normal(d), normal(d)],
        "sgnht": lambda: [normal(d), normal(d), np.ones(1)],
    }[sampler]()


def steps_of(d: int) -> int:
    """How many steps a run makes."""
    return max(1, min(WORK // d, 100_000))


def timed(blocks: list[np.ndarray], d: int, run: Callable[[int], Any]) -> Run:
    """Seconds a coordinate-step; the chain has to stay where the law is."""
    steps = steps_of(d)

    def measure() -> float:
        began = process_time()
        run(steps)
        seconds = process_time() - began
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


def chain_of(sampler: str, d: int, *, fused: bool) -> Chain:
    """Our chain."""
    gradient = () if fused else standard_normal_gradient

    def metric(theta: Expr) -> Expr:
        return 1 + theta**2 if sampler == "sgrld_quotient" else 1 / (1 + theta**2)

    module = on_standard_normal(RECIPES[sampler], metric, fused=fused).load()
    return Chain(module, blocks_of(sampler, d), STEP, friction_of(sampler), gradient)


def ours(sampler: str, d: int, *, fused: bool) -> Run:
    """Our chain, timed."""
    chain = chain_of(sampler, d, fused=fused)
    return timed([chain.state.theta], d, chain.run)


def agree(library: Library, sampler: str, d: int) -> bool:
    """Whether the C takes the same three steps as ours, draw by draw: only then it is the same
    algorithm.
    """
    blocks, chain = blocks_of(sampler, d), chain_of(sampler, d, fused=True)
    chain.run(3)
    library.call(sampler, *blocks, d, *friction_of(sampler), STEP, 1, 0, 3)
    return all(
        np.allclose(a, b, rtol=0, atol=1e-12) for a, b in zip(blocks, chain.state, strict=False)
    )


def in_c(library: Library, sampler: str, d: int) -> Run:
    """The chain in C."""
    blocks = blocks_of(sampler, d)
    return timed(
        blocks,
        d,
        from_zero(
            lambda at, n: library.call(sampler, *blocks, d, *friction_of(sampler), STEP, 1, at, n)
        ),
    )


def in_njit(sampler: str, d: int, kind: str) -> Run:
    """The loop of a Numba user."""
    blocks = blocks_of(sampler, d)
    arguments = [*blocks, *friction_of(sampler), STEP]
    rng = [np.random.default_rng(1)] if kind == GENERATOR else []
    return timed(blocks, d, lambda steps: LOOPS[sampler, bool(rng)](*arguments, steps, *rng))


def in_jax(python: str, library: str, sampler: str, d: int) -> Child:
    """The chain of JAX written by hand, or of BlackJAX."""
    return Child(
        python,
        "jax_cases.py",
        case="normal",
        library=library,
        sampler=sampler,
        d=d,
        step=STEP,
        friction=FRICTION,
    )


def rows(
    rounds: int, sizes: list[int], samplers: list[str], jax: str | None
) -> Iterator[Row | Skipped]:
    """The rows of all samplers and sizes."""
    library = Library("steps.c") if compiler() else None
    for sampler in samplers:
        for d in sizes:
            runs = {FUSED: ours(sampler, d, fused=True), PASSED: ours(sampler, d, fused=False)}
            if library:
                runs[IN_C] = in_c(library, sampler, d)
                if not agree(library, sampler, d):
                    yield Skipped(
                        f"whether {sampler} in C is the same algorithm",
                        f"at d = {d} its steps differ from ours",
                    )
            runs |= {kind: in_njit(sampler, d, kind) for kind in (GENERATOR, NP_RANDOM)}
            with ExitStack() as children:
                if jax and sampler in ("sgld", "sghmc"):
                    for name, kind in ((JAX, "jax"), (BLACKJAX, "blackjax")):
                        child = children.enter_context(in_jax(jax, kind, sampler, d))
                        runs[name] = lambda child=child, d=d: child.run(steps_of(d)) / d
                medians = alternate(runs, rounds)
            yield from compared(
                f"{sampler} d={d:.0e}".replace("e+0", "e"), medians, LIMITS.get(d, {})
            )


def compared(work: str, medians: dict[str, float], limits: dict[str, float]) -> list[Row]:
    """Ours against all, and whether the C is worth being compared with."""
    unit = ("ns", 1e9)
    found = rows_of(work, FUSED, medians, unit, limits, leave=[PASSED])
    if IN_C in medians:
        found += rows_of(work, PASSED, {k: medians[k] for k in (PASSED, IN_C)}, unit, {})
        yardstick = {GENERATOR: 1 / 2.5} if GENERATOR in limits else {}
        found += rows_of(work, IN_C, {k: medians[k] for k in (IN_C, GENERATOR)}, unit, yardstick)
    return found
