"""Iterations a second on the a9a posterior (26,049 rows, 124 coordinates), beside BlackJAX in the
same run.

    python benchmarks/a9a_speed.py [--json]

needs ``pip install '.[jax]'``; for the data see examples/a9a_data.py.

The two alternate, on one core each (say `taskset -c 0`), compiled before the clock starts; medians
of the rounds. Ours is the generated module, as ``recipe generate`` writes it, in float64; the data
are float64, float32 or one byte an entry (exact for a9a). BlackJAX is in float32, JAX's default.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import blackjax_a9a
import numpy as np
from rich.console import Console
from rich.table import Table
from sympy import exp, log

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
import a9a_data

import catalog.sghmc
import catalog.sgld
from codegen import generate
from recipe import Data, Posterior, Potential, Recipe, Vector, bind, total

STEPS = {"sgld": 1e-5, "sghmc": 1e-3}
FRICTION = 100.0


def posterior(dtype: str) -> Posterior:
    theta = Vector("theta")
    x, y = Data("x", like=theta), Data("y")
    data = a9a_data.load()
    likelihood = -log(1 + exp(-y * total(x * theta)))
    return Posterior(
        theta, likelihood, -total(theta**2) / 2, {x: data.x.astype(dtype), y: data.y.astype(dtype)}
    )


def ours(sampler: str, batch_size: int, dtype: str) -> Callable[[int], float]:
    """Return a function: iterations -> seconds an iteration of the generated module."""
    recipe: Recipe = {"sgld": catalog.sgld.sgld, "sghmc": catalog.sghmc.sghmc}[sampler]
    law = posterior(dtype)
    U = next(a for a in recipe.abstract if isinstance(a, Potential))
    module = generate(bind(recipe, {U: law}))
    loaded = module.load()
    arrays = {module.estimators[U].gradient.fields[s]: v for s, v in law.data}
    data = loaded.Data(**arrays)
    settings = {f: {"C": FRICTION}.get(f, 1.0) for f in module.plan.settings.values()}
    params = loaded.Params(**settings) if settings else ()
    state = loaded.allocate(*(np.zeros(124) for _ in recipe.state), batch_size)
    draws = loaded.Draws(*(np.zeros((0, 124)) for _ in recipe.state))
    done = 0

    def measure(iterations: int) -> float:
        nonlocal done
        began = time.perf_counter()
        done, invalid = loaded.run(
            state, draws, (), data, STEPS[sampler], params, np.uint64(1), 0, done, iterations, 0, 1
        )
        seconds = time.perf_counter() - began
        if invalid >= 0:
            raise SystemExit(f"{sampler} diverged")
        return seconds / iterations

    measure(1)
    return measure


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="for machines")
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    rows = []
    for sampler in ("sgld", "sghmc"):
        for batch_size, iterations in ((100, 20_000), (1000, 3_000)):
            candidates = {
                "recipe float64": ours(sampler, batch_size, "float64"),
                "recipe float32": ours(sampler, batch_size, "float32"),
                "recipe int8": ours(sampler, batch_size, "int8"),
                "BlackJAX float32": lambda n, b=batch_size, s=sampler: blackjax_a9a.measure(
                    b, s, n
                ),
                "BlackJAX int8": lambda n, b=batch_size, s=sampler: blackjax_a9a.measure(
                    b, s, n, rows="int8"
                ),
            }
            times: dict[str, list[float]] = {name: [] for name in candidates}
            for _ in range(arguments.rounds):
                for name, measure in candidates.items():
                    times[name].append(measure(iterations))
            medians = {name: 1e6 * statistics.median(t) for name, t in times.items()}
            rows.append({"sampler": sampler, "batch_size": batch_size, "microseconds": medians})
    if arguments.json:
        print(json.dumps(rows, indent=2))
        return
    table = Table(title="a9a: thousand iterations a second (microseconds an iteration)")
    for column in ("sampler", "batch", *rows[0]["microseconds"]):
        table.add_column(column, justify="right")
    for row in rows:
        cells = [f"{1e3 / t:.1f} ({t:.1f})" for t in row["microseconds"].values()]
        table.add_row(row["sampler"], str(row["batch_size"]), *cells)
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
