"""Figure 2, right, of Ma, Chen & Fox (2015) with the paper's axis: how far the draws of one chain
are from the target in the plane, as they accumulate.

    python benchmarks/recipe_figure_2_chain.py [--plot FOLDER] [--json] [--quick]

The paper's axis is log3(steps/100) + 1, from 1 to 10, which is 1,968,300 steps; it does not say of
what the divergence is. Here it is that of the histogram of all steps of one chain that starts in
(0, -1.2), from the target in the same 36 x 32 cells; mean and standard error over 40 such chains.
A histogram of n independent draws has a divergence of about (cells - 1) / (2 n) from their own law.
``recipe_figure_2.py`` shows another quantity: the law of many chains after a number of steps.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from exact_laws import kullback_leibler, plane_bins
from matplotlib.figure import Figure
from recipe_figure_2 import (
    CELLS,
    PATHS,
    PLANE,
    PLANE_STEPS,
    U_plane,
    moved,
    recipes_in_the_plane,
    started,
    with_noisy_gradients,
    x,
    y,
)

from recipe import discretise

CHAINS, LAST = 40, 10
KEPT = 100_000  # draws of a chain between two points of the axis, at most


@dataclass(frozen=True)
class Accumulated:
    """The divergence of the draws so far, at the points 1, 2, ... of the paper's axis; mean over
    chains, and its standard error.
    """

    sampler: str
    step: float
    points: list[tuple[float, float]]


def accumulated(sampler: str, step: float, last: int) -> Accumulated:
    """The chains of one sampler, up to a point of the axis."""
    update = with_noisy_gradients(
        discretise(recipes_in_the_plane()[sampler], "semi-implicit", compensate=True),
        U_plane,
        PLANE,
    )
    target, at = plane_bins(*CELLS).ravel(), started(update, CHAINS)
    counts, points, done = np.zeros((CHAINS, target.size)), [], 0
    for point in range(1, last + 1):
        length = 100 * 3 ** (point - 1) - done
        thin = max(k for k in divisors(length) if length // k >= min(length, KEPT))
        draws = moved(update, step, at, length, thin, seed=point)
        at = {b: z[-1] for b, z in draws.items()}
        counts += thin * np.array([cells(*z) for z in zip(draws[x].T, draws[y].T, strict=True)])
        done += length
        values = [kullback_leibler(c / c.sum(), target) for c in counts]
        error = float(np.std(values, ddof=1) / np.sqrt(CHAINS))
        points.append((float(np.mean(values)), error))
    return Accumulated(sampler, step, points)


def divisors(n: int) -> list[int]:
    """All of them up to 10,000."""
    return [k for k in range(1, min(n, 10_000) + 1) if n % k == 0]


def cells(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The number of draws in each cell."""
    return np.histogram2d(first, second, CELLS)[0].ravel()


def table(found: Sequence[Accumulated]) -> str:
    """One row a point of the axis, so that the quick form prints the first rows."""
    lines = ["| axis | steps | " + " | ".join(f.sampler for f in found) + " |"]
    lines.append("| --- " * (len(found) + 2) + "|")
    for k, row in enumerate(zip(*(f.points for f in found), strict=True)):
        values = " | ".join(f"{value:.4f} ± {error:.4f}" for value, error in row)
        lines.append(f"| {k + 1} | {100 * 3**k:,} | {values} |")
    return "\n".join(lines)


def plot(found: Sequence[Accumulated], path: Path) -> None:
    """With the paper's axes, and with a logarithm beside them."""
    figure = Figure(figsize=(10, 4), layout="constrained")
    for axes, scale in zip(figure.subplots(1, 2), ("linear", "log"), strict=True):
        for f in found:
            value, error = np.array(f.points).T
            at = np.arange(1, value.size + 1)
            axes.errorbar(at, value, 2 * error, fmt="o-", color=PATHS[f.sampler], label=f.sampler)
        axes.set(xlabel="log3(steps / 100) + 1", ylabel="Kullback-Leibler divergence")
        axes.set_yscale(scale)
        axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=90)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", type=Path, metavar="FOLDER", help="where to draw the figure")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--quick", action="store_true", help="up to the point 5 of the axis")
    options = parser.parse_args(arguments)
    last = 5 if options.quick else LAST
    found = [accumulated(name, h, last) for name, h in zip(PATHS, PLANE_STEPS, strict=True)]
    if options.plot:
        options.plot.mkdir(parents=True, exist_ok=True)
        plot(found, options.plot / "recipe-2-chain.png")
    if options.json:
        json.dump([asdict(f) for f in found], sys.stdout, indent=2)
        print()
    else:
        print(table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
