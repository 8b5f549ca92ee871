"""How long a proof takes: the command, the catalog, and the growth with blocks and explicit
dimensions beside sympy.simplify.

python benchmarks/verify_time.py [--json] [--plot FILE.png] [--limit SECONDS]

Every proof runs in a process of its own, starts from empty caches, and is of every obligation.
``sympy.simplify`` gets one of them: the stationary Fokker-Planck equation of the same sampler in
explicit coordinates (for blocks: two coordinates each), already derived. A dash is where the limit
was reached, or where the answer was not that it holds.
"""

import argparse
import json
import multiprocessing
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.table import Table
from sympy import Expr, Function, Matrix, S, Symbol, simplify
from sympy.core.cache import clear_cache

from recipe import Potential, Recipe, Scalar, Update, Vector, total
from recipe.declare.dynamics import derive
from recipe.declare.limit import limit_of
from recipe.language import calculus as calculus_module
from recipe.signs.sign import possible_signs
from recipe_cli.declarations.of_catalog import catalog_entries
from verify import verify
from verify.verdict import Verdict

COORDINATES = 2  # of each block where sympy.simplify works on it


@dataclass(frozen=True)
class Case:
    """One size, in seconds; None where there was no answer within the limit, or nothing to compare
    with.
    """

    size: str
    proof: float | None
    simplify: float | None = None


def cold(declared: Recipe | Update) -> float | None:
    """Seconds of a proof from empty caches; None if it is none."""
    for cached in (
        calculus_module.partial,
        calculus_module.explicit,
        derive,
        limit_of,
        possible_signs,
    ):
        cached.cache_clear()
    clear_cache()
    began = time.perf_counter()
    report = verify(declared)
    return time.perf_counter() - began if report.verdict is Verdict.PROVED else None


def simplified(residual: Expr) -> float | None:
    """Seconds that sympy takes to see that a residual is zero; None if it does not see it."""
    clear_cache()
    began = time.perf_counter()
    zero = simplify(residual) == 0
    return time.perf_counter() - began if zero else None


def within(limit: float, compute: Callable[[], float | None]) -> float | None:
    """The result of a process of its own, or None where it takes too long."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=lambda: theirs.send(compute()))
    process.start()
    try:
        return ours.recv() if ours.poll(limit) else None
    finally:
        process.kill()
        process.join()


def median(limit: float, repeats: int, compute: Callable[[], float | None]) -> float | None:
    """The median of several runs; None if the first one is."""
    seconds = [within(limit, compute)]
    if seconds[0] is not None:
        seconds += [s for _ in range(repeats - 1) if (s := within(limit, compute)) is not None]
    return None if seconds[0] is None else statistics.median(seconds)


# -- samplers of every size
# --------------------------------------------------------------------------------------------------


def chain_of_blocks(n: int) -> Recipe:
    """A chain of n vector blocks, each coupled to the next, with friction on the last and a metric
    on the first.
    """
    first = Vector("z0")
    blocks = [first, *(Vector(f"z{k}", like=first) for k in range(1, n))]
    G = Function("G", positive=True)(first)
    Q = Matrix.zeros(n, n)
    for k in range(n - 1):
        Q[k, k + 1], Q[k + 1, k] = (-1, 1) if k else (-G, G)
    D = Matrix.zeros(n, n)
    D[n - 1, n - 1] = Symbol("C", positive=True)
    return Recipe(
        tuple(blocks), Potential("U", first) + sum(total(b**2) / 2 for b in blocks[1:]), D, Q
    )


def explicit_chain(n: int) -> Expr:
    """The residual of the same chain in explicit coordinates."""
    z = [[Symbol(f"z{k}_{i}", real=True) for i in range(COORDINATES)] for k in range(n)]
    H = Function("U")(*z[0]) + sum(x**2 for block in z[1:] for x in block) / 2
    size = n * COORDINATES
    D, Q = Matrix.zeros(size, size), Matrix.zeros(size, size)
    for i in range(COORDINATES):
        for k in range(n - 1):
            here, there = k * COORDINATES + i, (k + 1) * COORDINATES + i
            coupling = S.One if k else Function("G", positive=True)(z[0][i])
            Q[here, there], Q[there, here] = -coupling, coupling
        D[size - COORDINATES + i, size - COORDINATES + i] = Symbol("C", positive=True)
    return residual([x for block in z for x in block], H, D, Q)


def dense_metric(x: list[Symbol]) -> tuple[Expr, Matrix, Matrix]:
    """H, D and Q of Langevin dynamics with a metric that depends on the state and couples all
    coordinates.
    """
    n = len(x)
    return (
        sum(c**4 + c**2 for c in x) / 4,
        Matrix(n, n, lambda a, b: int(a == b) + x[a] * x[b]),
        Matrix.zeros(n, n),
    )


def explicit_dimension(n: int) -> Recipe:
    """It, with n scalar blocks."""
    x = [Scalar(f"x{k}") for k in range(n)]
    return Recipe(tuple(x), *dense_metric(x))


def residual(z: list[Symbol], H: Expr, D: Matrix, Q: Matrix) -> Expr:
    """``exp(H) (-div(f exp(-H)) + sum of d_i d_j (D_ij exp(-H)))`` by sympy alone, with f as the
    recipe derives it.
    """
    n = range(len(z))
    g = [H.diff(x) for x in z]
    result = S.Zero
    for i in n:
        f = sum((D + Q)[i, j].diff(z[j]) - (D + Q)[i, j] * g[j] for j in n)
        result += f * g[i] - f.diff(z[i])
        for j in n:
            result += (
                D[i, j].diff(z[i], z[j])
                - 2 * D[i, j].diff(z[i]) * g[j]
                + D[i, j] * (g[i] * g[j] - g[i].diff(z[j]))
            )
    return result


# -- measuring
# --------------------------------------------------------------------------------------------------


def measure(repeats: int, limit: float) -> dict[str, list[Case]]:
    """Every figure, by table."""

    def case(
        size: str, build: Callable[[], Recipe | Update], explicit: Callable[[], Expr] | None = None
    ) -> Case:
        proof = median(limit, repeats, lambda: cold(build()))
        return Case(
            size,
            proof,
            median(limit, repeats, lambda: simplified(explicit())) if explicit else None,
        )

    def scalars(n: int) -> Expr:
        x = [Symbol(f"x{k}", real=True) for k in range(n)]
        return residual(x, *dense_metric(x))

    entries = catalog_entries()
    files = sorted({e.file for e in entries})
    return {
        "the command, as a process": [
            Case("recipe --version", process("--version", repeats=repeats)),
            Case("recipe verify sgrhmc", process("verify", "sgrhmc", repeats=repeats)),
            Case(
                "recipe verify, the whole catalog",
                process("verify", *(f.split("/")[1][:-3] for f in files), repeats=repeats),
            ),
        ],
        "catalog": [case(e.name, lambda e=e: e.declared) for e in entries],
        "blocks in a chain": [
            case(str(n), lambda n=n: chain_of_blocks(n), lambda n=n: explicit_chain(n))
            for n in (2, 3, 4, 6, 8, 12)
        ],
        "scalar coordinates with a dense metric": [
            case(str(n), lambda n=n: explicit_dimension(n), lambda n=n: scalars(n))
            for n in (1, 2, 3, 4, 5, 6)
        ],
    }


def process(*arguments: str, repeats: int) -> float:
    """Median seconds of the command, started afresh."""
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "recipe_cli", *arguments], capture_output=True, check=False
        )
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


def show(figures: dict[str, list[Case]]) -> None:
    """Print the tables."""
    for title, cases in figures.items():
        compared = any(c.simplify for c in cases)
        table = Table("", "proof, s", *(("simplify, s", "ratio") if compared else ()), title=title)
        for c in cases:
            ratio = f"{c.simplify / c.proof:.1f}" if c.simplify and c.proof else "-"
            table.add_row(
                c.size, number(c.proof), *((number(c.simplify), ratio) if compared else ())
            )
        Console().print(table)


def number(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.3f}"


def plot(figures: dict[str, list[Case]], limit: float, file: str) -> None:
    """Seconds against size, both axes logarithmic; the dashed line is the limit."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    compared = {title: cases for title, cases in figures.items() if any(c.simplify for c in cases)}
    figure, axes = pyplot.subplots(
        1, len(compared), figsize=(5 * len(compared), 4), sharey=True, squeeze=False
    )
    for axis, (title, cases) in zip(axes[0], compared.items(), strict=True):
        for name, label in (
            ("proof", "recipe: the proof for every obligation"),
            ("simplify", "sympy.simplify: one residual"),
        ):
            points = [
                (int(c.size), getattr(c, name)) for c in cases if getattr(c, name) is not None
            ]
            axis.loglog(*zip(*points, strict=True), marker="o", label=label)
        axis.axhline(limit, linestyle="--", color="grey")
        axis.set_xticks([int(c.size) for c in cases], [c.size for c in cases])
        axis.set_xlabel(title)
    axes[0][0].set_ylabel("seconds")
    axes[0][0].legend()
    figure.tight_layout()
    figure.savefig(file, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="for machines")
    parser.add_argument("--plot", metavar="FILE.png", help="draw the growth with the size")
    parser.add_argument("--repeats", type=int, default=3, help="runs of which the median is taken")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each case")
    options = parser.parse_args()
    figures = measure(options.repeats, options.limit)
    if options.plot:
        plot(figures, options.limit, options.plot)
    if options.json:
        json.dump(
            {title: [asdict(c) for c in cases] for title, cases in figures.items()},
            sys.stdout,
            indent=2,
        )
        return
    show(figures)


if __name__ == "__main__":
    main()
