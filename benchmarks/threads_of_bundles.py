"""Bundles of chains by ``prange`` and by a pool of threads: nanoseconds a chain-step, and seconds
of compilation.

python benchmarks/threads_of_bundles.py
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
from numba import njit, prange

from catalog.sgld import sgld
from codegen import generate
from recipe import Scalar

BUNDLES, CHAINS, STEPS, ROUNDS = 40, 256, 1000, 7
SEED = np.uint64(1)

x, y = Scalar("x"), Scalar("y")
loaded = generate(sgld, x**2 / 2 + (y - x**2) ** 2 / 2).load()
run_many, Chains = loaded.run_many, loaded.Chains


@njit(parallel=True, error_model="numpy")
def in_parallel(state, draws, sizes):
    for n in prange(state[0].shape[0]):
        bundle = Chains(
            state[0][n], state[1][n], state[2][n], state[3][n], state[4][n], state[5][n]
        )
        run_many(bundle, draws, sizes, (), SEED, n * CHAINS, 0, 0, 1)


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main() -> None:
    """Print the table."""
    sizes, draws = np.full(STEPS, 0.005), loaded.Draws(np.zeros((0, 0, 0)), np.zeros((0, 0, 0)))
    bundles = [
        loaded.allocate_many(np.zeros((1, CHAINS)), np.zeros((1, CHAINS))) for _ in range(BUNDLES)
    ]
    stacked = tuple(np.stack(arrays) for arrays in zip(*bundles, strict=True))

    def one(n: int) -> None:
        run_many(bundles[n], draws, sizes, (), SEED, n * CHAINS, 0, 0, 1)

    def pooled(threads: int) -> None:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(one, range(BUNDLES)))

    def parallel(threads: int) -> None:
        numba.set_num_threads(threads)
        in_parallel(stacked, draws, sizes)

    print(
        f"seconds to compile: run_many {seconds(lambda: one(0)):.2f}, prange around it"
        f" {seconds(lambda: parallel(1)):.2f}"
    )
    threads = [1, 2] if numba.config.NUMBA_NUM_THREADS > 1 else [1]
    taken: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for k in threads:
            taken.setdefault(f"prange, threads: {k}", []).append(seconds(lambda k=k: parallel(k)))
            taken.setdefault(f"pool, threads: {k}", []).append(seconds(lambda k=k: pooled(k)))
    for name, values in taken.items():
        scale = 1e9 / (BUNDLES * CHAINS * STEPS)
        print(
            f"{name}: least {min(values) * scale:.2f} ns a chain-step, median"
            f" {statistics.median(values) * scale:.2f} ns"
        )


if __name__ == "__main__":
    main()
