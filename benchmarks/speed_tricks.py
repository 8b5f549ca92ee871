"""What a speed trick of a generated module gains: the time without it over the time with it.

python benchmarks/speed_tricks.py

Each pair is one module, and the same text with the trick edited out (or, for ``run_many``, the same
chains by ``run``): both give the same bits, which is checked. The two alternate, and the least
processor time of each counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sympy import exp, log, sqrt

from catalog.sgld import sgld
from codegen import generate
from codegen.store import modules
from recipe import Data, Posterior, Recipe, Vector, bind, total

ROUNDS, SEED, SIZE = 15, np.uint64(1), 1e-3
theta, (U,) = sgld.state[0], sgld.abstract
Work = Callable[[], Any]


def main() -> None:
    """Print the ratios."""
    for name, with_it, without in (drawn_ahead(), pieces(8), tiles(4), tiles(8), many_chains()):
        np.testing.assert_array_equal(with_it(), without())
        times: tuple[list[float], list[float]] = ([], [])
        for _ in range(ROUNDS):
            for work, taken in zip((with_it, without), times, strict=True):
                began = time.thread_time()
                work()
                taken.append(time.thread_time() - began)
        print(f"{name}: {min(times[1]) / min(times[0]):.2f}")


def drawn_ahead() -> tuple[str, Work, Work]:
    """Three coordinates, whose random numbers are drawn for many steps at once or in each step."""
    text = generate(normal()).source
    lines = text.splitlines()
    edited = "\n".join(
        line.replace("pair_ahead(state.w_theta_ahead, t, ", "normal_pair(key_w_theta, t, fused + ")
        for line in lines
        if not line.lstrip().startswith("draw_ahead(")
    )
    assert edited != text
    return "numbers drawn ahead", *(one_chain(t, np.zeros(3), 100_000) for t in (text, edited))


def pieces(fewer: int) -> tuple[str, Work, Work]:
    """A sum of exponentials over 10,000 coordinates, written down in smaller pieces."""
    text = generate(bind(sgld, {U: total(theta**2) / 2 + sqrt(1 + total(exp(-(theta**2))))})).source
    edited = text.replace("np.uint64(64)", f"np.uint64({fewer})")
    assert edited != text
    works = (one_chain(t, np.zeros(10_000), 100) for t in (text, edited))
    return f"pieces of 64 coordinates, not of {fewer}", *works


def tiles(fewer: int) -> tuple[str, Work, Work]:
    """A logistic regression of 20,000 rows and 124 coordinates, with smaller tiles."""
    posterior = logistic()
    text = generate(bind(sgld, {U: posterior})).source
    edited = text.replace("TILE = np.uint64(32)", f"TILE = np.uint64({fewer})")
    assert edited != text
    arrays = {str(s): np.asarray(a, dtype=float) for s, a in posterior.data}
    works = (one_chain(t, np.zeros(124), 3, arrays) for t in (text, edited))
    return f"tiles of 32 rows, not of {fewer}", *works


def many_chains() -> tuple[str, Work, Work]:
    """256 chains of two coordinates, at once or one after another."""
    chains, steps = 256, 20_000
    loaded = generate(normal()).load()
    first = np.zeros((2, chains))

    def together() -> np.ndarray:
        state = loaded.allocate_many(first)
        draws = loaded.Draws(np.zeros((0, 0, 0)))
        loaded.run_many(state, draws, np.full(steps, SIZE), (), SEED, np.uint64(0), 0, 0, 1)
        return state.theta

    def apart() -> np.ndarray:
        states = [loaded.allocate(first[:, c]) for c in range(chains)]
        draws = loaded.Draws(np.zeros((0, 0)))
        for c, state in enumerate(states):
            loaded.run(state, draws, (), (), SIZE, (), SEED, c, 0, steps, 0, 1)
        return np.stack([state.theta for state in states], axis=1)

    return "run_many, 256 chains of two coordinates", together, apart


def one_chain(
    text: str, first: np.ndarray, steps: int, data: dict[str, np.ndarray] | None = None
) -> Work:
    """So many steps of one chain by the module with this text."""
    loaded = modules.load("speed_tricks", text)
    rows = loaded.Data(**data) if data else ()
    draws = loaded.Draws(np.zeros((0, 0)))

    def work() -> np.ndarray:
        state = loaded.allocate(first)
        loaded.run(state, draws, (), rows, SIZE, (), SEED, 0, 0, steps, 0, 1)
        return state.theta

    return work


def normal() -> Recipe:
    """SGLD for a normal law."""
    return bind(sgld, {U: total(theta**2) / 2})


def logistic() -> Posterior:
    """A logistic regression on data that are drawn."""
    block = Vector("theta")
    x, y = Data("x", like=block), Data("y")
    rng = np.random.default_rng(1)
    values = {x: rng.normal(size=(20_000, 124)), y: rng.integers(0, 2, 20_000) * 1.0}
    s = total(x * block)
    return Posterior(block, y * s - log(1 + exp(s)), -total(block**2) / 2, values)


if __name__ == "__main__":
    main()
