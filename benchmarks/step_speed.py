"""Nanoseconds a coordinate-step of generated SGHMC on a standard normal, beside idiomatic Numba loops in the same run.

The rows alternate, and the median over the rounds is shown: absolute numbers move with the machine, ratios in one run count.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from rich.console import Console
from rich.table import Table
from sympy import Matrix, Symbol

from codegen import generate
from recipe import Potential, Recipe, Vector, total

STEP, FRICTION = 0.01, 0.1


@njit(error_model="numpy", fastmath={"contract"})
def gaussian(g, theta):
    for i in range(theta.size):
        g[i] = theta[i]


@njit(error_model="numpy", fastmath={"contract"})
def with_generator(theta, r, g, steps, rng):
    scale = np.sqrt(2 * FRICTION * STEP)
    for _ in range(steps):
        gaussian(g, theta)
        for i in range(theta.size):
            r[i] += -STEP * g[i] - STEP * FRICTION * r[i] + scale * rng.standard_normal()
            theta[i] += STEP * r[i]


@njit(error_model="numpy", fastmath={"contract"})
def with_np_random(theta, r, g, steps):
    scale = np.sqrt(2 * FRICTION * STEP)
    for _ in range(steps):
        gaussian(g, theta)
        for i in range(theta.size):
            r[i] += -STEP * g[i] - STEP * FRICTION * r[i] + scale * np.random.standard_normal()
            theta[i] += STEP * r[i]


def sghmc() -> Any:
    theta = Vector("theta")
    r = Vector("r", like=theta)
    C = Symbol("C", positive=True)
    H = Potential("U", theta) + total(r**2) / 2
    return generate(Recipe((theta, r), H, Matrix([[0, 0], [0, C]]), Matrix([[0, -1], [1, 0]]), name="sghmc")).load()


def contenders(module: Any, d: int) -> dict[str, Callable[[int], Any]]:
    state = module.allocate(np.zeros(d), np.zeros(d))
    draws = module.Draws(np.empty((0, d)), np.empty((0, d)))
    params, seed = module.Params(FRICTION), np.uint64(1)
    theta, r, g = np.zeros((3, d))
    rng = np.random.default_rng(1)
    return {
        "generated": lambda n: module.run(state, draws, gaussian, (), STEP, params, seed, 0, 0, n, 0, 1),
        "njit and Generator": lambda n: with_generator(theta, r, g, n, rng),
        "njit and np.random": lambda n: with_np_random(theta, r, g, n),
    }


def measured(d: int, rounds: int, work: int, module: Any) -> dict[str, float]:
    steps = max(1, work // d)
    rows = contenders(module, d)
    times: dict[str, list[float]] = {name: [] for name in rows}
    for function in rows.values():
        function(1)
    for _ in range(rounds):
        for name, function in rows.items():
            began = time.perf_counter()
            function(steps)
            times[name].append((time.perf_counter() - began) / (steps * d) * 1e9)
    return {name: statistics.median(values) for name, values in times.items()}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 10_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--work", type=int, default=4_000_000, help="coordinate-steps a measurement")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(arguments)
    module = sghmc()
    results = {d: measured(d, options.rounds, options.work, module) for d in options.sizes}
    if options.json:
        json.dump({"unit": "ns per coordinate-step", "results": results}, sys.stdout, indent=2)
        print()
        return 0
    table = Table("SGHMC, ns per coordinate-step", *(f"d = {d}" for d in results))
    for name in next(iter(results.values())):
        table.add_row(name, *(f"{row[name]:.2f}" for row in results.values()))
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
