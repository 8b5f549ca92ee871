"""How long a proof takes: each catalog entry, and its growth with the number of blocks and with explicit dimension.

python benchmarks/verify_time.py [--json]

Times are medians of cold proofs: every cache of the calculus and of sympy is emptied before each.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable

from rich.console import Console
from rich.table import Table
from sympy import Function, Matrix, Symbol
from sympy.core.cache import clear_cache

from recipe import Potential, Recipe, Scalar, Update, Vector, total
from recipe import calculus as calculus_module
from recipe.dynamics import derive
from recipe.limit import limit_of
from recipe_cli.declarations import catalog_entries
from verify import verify
from verify.sign import possible_signs


def cold(declared: Recipe | Update, repeats: int) -> float:
    """Median seconds of a proof from empty caches."""
    seconds = []
    for _ in range(repeats):
        for cached in (calculus_module.partial, calculus_module.explicit, derive, limit_of, possible_signs):
            cached.cache_clear()
        clear_cache()
        began = time.perf_counter()
        verify(declared)
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


def chain_of_blocks(n: int) -> Recipe:
    """A chain of n vector blocks, each coupled to the next, with friction on the last and a metric on the first."""
    first = Vector("z0")
    blocks = [first, *(Vector(f"z{k}", like=first) for k in range(1, n))]
    G = Function("G", positive=True)(first)
    Q = Matrix.zeros(n, n)
    for k in range(n - 1):
        Q[k, k + 1], Q[k + 1, k] = (-1, 1) if k else (-G, G)
    D = Matrix.zeros(n, n)
    D[n - 1, n - 1] = Symbol("C", positive=True)
    return Recipe(tuple(blocks), Potential("U", first) + sum(total(b**2) / 2 for b in blocks[1:]), D, Q)


def explicit_dimension(n: int) -> Recipe:
    """Langevin dynamics with a state-dependent dense metric written out in n scalar coordinates."""
    x = [Scalar(f"x{k}") for k in range(n)]
    metric = Matrix(n, n, lambda a, b: (1 if a == b else 0) + x[a] * x[b])
    return Recipe(tuple(x), sum(c**4 + c**2 for c in x) / 4, metric, Matrix.zeros(n, n))


def measure(repeats: int) -> dict[str, list[tuple[str, float]]]:
    """Every figure, by table."""
    rows: dict[str, Callable[[], list[tuple[str, float]]]] = {
        "catalog": lambda: [(e.name, cold(e.declared, repeats)) for e in catalog_entries()],
        "blocks in a chain": lambda: [(str(n), cold(chain_of_blocks(n), repeats)) for n in (2, 3, 4, 6, 8)],
        "scalar coordinates with a dense metric": lambda: [(str(n), cold(explicit_dimension(n), repeats)) for n in (1, 2, 3, 4, 5)],
    }
    return {title: table() for title, table in rows.items()}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="for machines")
    parser.add_argument("--repeats", type=int, default=3, help="proofs of which the median is taken")
    options = parser.parse_args()
    figures = measure(options.repeats)
    if options.json:
        json.dump(figures, sys.stdout, indent=2)
        return
    for title, rows in figures.items():
        table = Table("", "seconds", title=f"recipe verify: {title}")
        for name, seconds in rows:
            table.add_row(name, f"{seconds:.3f}")
        Console().print(table)


if __name__ == "__main__":
    main()
