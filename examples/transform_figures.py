"""Figures 1 and 2 of Yokoi, Otsuka & Sato (2020): Langevin dynamics kept in a domain by mirroring,
Ito and CoRV.

python examples/transform_figures.py [--plot FOLDER] [--json] [--quick] [--laws N]
    [--sizes N]

Figure 1: nine laws, chains of 100,000 steps, at the step size of a grid whose draws are closest to
the law. Figure 2: the error of the mean of a gamma law against the step size. Samplers are derived
from overdamped Langevin dynamics, and compiled, by the library.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from bounded_targets import Target, gamma_target, targets
from matplotlib.figure import Figure
from scipy.stats import kstest
from softplus_transfer import stationary_mean
from sympy import lambdify

from codegen import sample
from recipe import Recipe, corv, ito, mirror

GRID = tuple(float(f"{h:.1g}") for h in 10 ** np.linspace(-5, 0, 11))
CHAINS, LENGTH, THIN = 8, 100_000, 8
WEAK_STEPS = (0.3, 0.1, 0.03, 0.01, 0.003)
SHAPE, SCALE = 0.5, 0.5  # of figure 2
REFERENCE = {
    0.1: 0.2554,
    0.03: 0.2528,
    0.01: 0.2501,
    0.003: 0.2520,
}  # the mean of CoRV, recomputed independently of this library
KEPT = 1000  # draws of a coordinate in figure 2
SAMPLERS: dict[str, Callable[[Target], Recipe]] = {
    "mirror": lambda t: mirror(t.langevin, t.theta),
    "Ito": lambda t: ito(t.langevin, t.theta, t.map),
    "CoRV": lambda t: corv(t.langevin, t.theta, t.map),
}
COLOURS = {"mirror": "C1", "Ito": "C3", "Ito, clamped": "C4", "CoRV": "C0"}


@dataclass(frozen=True)
class Fit:
    """Figure 1: the draws of one sampler at its best step size, where there is one at which all
    chains got through.
    """

    target: str
    sampler: str
    step: float | None = None
    distance: float | None = None
    lowest: float | None = None  # the share of draws in the lowest twentieth of the law
    highest: float | None = None
    finished: int = CHAINS  # of the chains, at most


@dataclass(frozen=True)
class Weak:
    """Figure 2: the mean against the step size; of mirroring, the law at one time, whose median and
    distance are safer numbers.
    """

    sampler: str
    step: float
    mean: float | None = None
    error: float | None = None
    without_sampling: float | None = None
    median: float | None = None
    distance: float | None = None
    stopped: float | None = None


Fits = list[tuple[Fit, np.ndarray]]


def chains(
    target: Target, sampler: str, step: float, length: int, seed: int
) -> tuple[np.ndarray, list[int]]:
    """Every eighth draw of some chains from the published start, and in which steps chains
    stopped.
    """
    recipe = SAMPLERS[sampler](target)
    found = sample(
        recipe,
        scheme="euler",
        step_size=step,
        steps=length,
        thin=THIN,
        chains=CHAINS,
        seed=seed,
        params=target.params,
        lengths={recipe.state[0]: 1},
        initial={target.theta: np.full(1, target.start)},
        progress=False,
    )
    return found[target.theta][..., 0], [d.step for d in found.divergences]


def fit(
    target: Target, sampler: str, grid: Sequence[float], length: int, seed: int
) -> tuple[Fit, np.ndarray]:
    """The closest draws among those of all step sizes at which no chain stopped."""
    runs = {h: chains(target, sampler, h, length, seed + k) for k, h in enumerate(grid)}
    whole = {h: draws.ravel() for h, (draws, stops) in runs.items() if not stops}
    if not whole:
        return Fit(
            target.name, sampler, finished=CHAINS - min(len(stops) for _, stops in runs.values())
        ), np.empty(0)
    return closest(target, sampler, whole)


def closest(
    target: Target, sampler: str, by_step: dict[float, np.ndarray]
) -> tuple[Fit, np.ndarray]:
    """The Kolmogorov-Smirnov distance chooses; at the edges a law has a twentieth each."""
    distances = {h: float(kstest(draws, target.law.cdf).statistic) for h, draws in by_step.items()}
    best = min(distances, key=distances.__getitem__)
    low, high = target.law.ppf((0.05, 0.95))
    draws = by_step[best]
    return (
        Fit(
            target.name,
            sampler,
            best,
            distances[best],
            float(np.mean(draws < low)),
            float(np.mean(draws > high)),
        ),
        draws,
    )


def clamped_ito(
    target: Target, grid: Sequence[float], length: int, seed: int
) -> tuple[Fit, np.ndarray]:
    """Ito as in the published code, which cuts phi off at 10 and -10: not a step of the library,
    but what the paper shows.
    """
    rng, f = np.random.default_rng(seed), target.map
    (x,) = f.forward.variables
    forward, inverse, first, second = (
        lambdify(x, e, "numpy") for e in (f(x), f.inverse(x), f.derivative(x), f.derivative(x, 2))
    )
    h = np.array(grid)[:, None]
    phi = np.full((len(grid), CHAINS), float(inverse(target.start)))
    kept = np.empty((length // THIN, *phi.shape))
    for t in range(length):
        slope = first(phi)
        drift = -target.slope(forward(phi)) / slope - second(phi) / slope**3
        phi = np.clip(
            phi + h * drift + np.sqrt(2 * h) / slope * rng.standard_normal(phi.shape), -10, 10
        )
        if t % THIN == THIN - 1:
            kept[t // THIN] = forward(phi)
    return closest(
        target, "Ito, clamped", {step: kept[:, k].ravel() for k, step in enumerate(grid)}
    )


def figure_1(known: Sequence[Target], grid: Sequence[float], length: int) -> Fits:
    """Each law with each sampler."""
    found = []
    for k, target in enumerate(known):
        found += [fit(target, sampler, grid, length, 100 * k) for sampler in SAMPLERS]
        found.append(clamped_ito(target, grid, length, k))
    return found


def figure_2(steps: Sequence[float], work: float, width: int) -> list[Weak]:
    """CoRV and mirroring from exact draws, ``width`` coordinates in two chains; Ito until it
    stops.
    """
    target = gamma_target(SHAPE, SCALE)
    rng = np.random.default_rng(0)
    start = target.law.rvs((2, width), random_state=rng)
    found = []
    for k, h in enumerate(steps):
        found += [
            weak_corv(target, h, start, work, k),
            weak_mirror(target, h, start, k),
            stopped_ito(target, h, start, k),
        ]
    return found


def weak_corv(target: Target, step: float, start: np.ndarray, work: float, seed: int) -> Weak:
    """The stationary mean; coordinates are independent, which gives the standard error."""
    recipe = SAMPLERS["CoRV"](target)
    warmup, length = int(20 / step), int(work / start.size)
    found = sample(
        recipe,
        scheme="euler",
        step_size=step,
        steps=warmup + length,
        warmup=warmup,
        thin=max(1, length // KEPT),
        chains=2,
        seed=seed,
        params=target.params,
        initial={target.theta: start},
        progress=False,
    )
    means = found[target.theta].mean(axis=1).ravel()
    draws = found[target.theta][:, :: KEPT // 20].ravel()
    return Weak(
        "CoRV",
        step,
        float(means.mean()),
        float(means.std(ddof=1) / np.sqrt(means.size)),
        stationary_mean(step, SHAPE, SCALE),
        float(np.median(draws)),
        float(kstest(draws, target.law.cdf).statistic),
    )


def weak_mirror(target: Target, step: float, start: np.ndarray, seed: int) -> Weak:
    """The law after the time 40: kicks near 0 throw some draws so far out that their mean says
    nothing.
    """
    recipe = SAMPLERS["mirror"](target)
    length = int(40 / step)
    found = sample(
        recipe,
        scheme="euler",
        step_size=step,
        steps=length,
        thin=length,
        chains=2,
        seed=seed,
        params=target.params,
        initial={target.theta: start},
        progress=False,
    )
    draws = found[target.theta][:, -1].ravel()
    distance = float(kstest(draws, target.law.cdf).statistic)
    return Weak(
        "mirror", step, mean=float(draws.mean()), median=float(np.median(draws)), distance=distance
    )


def stopped_ito(target: Target, step: float, start: np.ndarray, seed: int) -> Weak:
    """One coordinate a chain, from exact draws: the median number of steps until it is not
    finite.
    """
    recipe = SAMPLERS["Ito"](target)
    some = start.ravel()[:100, None]
    found = sample(
        recipe,
        scheme="euler",
        step_size=step,
        steps=100_000,
        thin=100_000,
        chains=len(some),
        seed=seed,
        params=target.params,
        initial={target.theta: some},
        progress=False,
    )
    stops = [d.step for d in found.divergences] + [100_000] * (len(some) - len(found.divergences))
    return Weak("Ito", step, stopped=float(np.median(stops)))


def draw_figure_1(fits: Fits, known: Sequence[Target], folder: Path) -> None:
    """A panel a law; histograms end where 0.5 percent of the law are left on an infinite side."""
    figure = Figure(figsize=(11, 9), layout="constrained")
    for axes, target in zip(figure.subplots(3, 3).ravel(), known, strict=False):
        low, high = target.ends
        bins = np.linspace(low, high if np.isfinite(high) else target.law.ppf(0.995), 41)
        exact = np.diff(target.law.cdf(bins)) / np.diff(bins)
        axes.stairs(exact, bins, color="black", linestyle="--", label="law")
        for found, draws in fits:
            if found.target != target.name or not draws.size:
                continue
            heights = np.histogram(draws, bins)[0] / draws.size / np.diff(bins)
            axes.stairs(
                heights,
                bins,
                color=COLOURS[found.sampler],
                label=f"{found.sampler}, {found.step:g}",
            )
        axes.set(title=target.name, ylim=(0, 1.6 * exact.max()))
        axes.legend(fontsize=7)
    figure.savefig(folder / "yokoi-1.png", dpi=80)


def draw_figure_2(found: Sequence[Weak], folder: Path) -> None:
    """Left the error of the mean of CoRV, right the distances of what CoRV and mirroring draw."""
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    line = [w for w in found if w.sampler == "CoRV"]
    steps = [w.step for w in line]
    errors = [abs(w.mean - SHAPE * SCALE) for w in line]
    left.errorbar(
        steps,
        errors,
        [2 * w.error for w in line],
        fmt="o",
        capsize=2,
        color=COLOURS["CoRV"],
        label="CoRV, measured",
    )
    left.plot(
        steps,
        [abs(w.without_sampling - SHAPE * SCALE) for w in line],
        color=COLOURS["CoRV"],
        label="without sampling",
    )
    left.set(xscale="log", yscale="log", ylim=1e-5, xlabel="step size", ylabel="error of the mean")
    for sampler in ("mirror", "CoRV"):
        own = [w for w in found if w.sampler == sampler]
        right.plot(
            [w.step for w in own],
            [w.distance for w in own],
            "o-",
            color=COLOURS[sampler],
            label=sampler,
        )
    right.set(xscale="log", yscale="log", xlabel="step size", ylabel="Kolmogorov-Smirnov distance")
    for axes in (left, right):
        axes.legend()
    figure.savefig(folder / "yokoi-2.png", dpi=90)


def table_1(fits: Fits) -> str:
    """A row a law: the distance, at which step, and the shares at the edges."""
    samplers = list(dict.fromkeys(f.sampler for f, _ in fits))
    rows = [f"| | {' | '.join(samplers)} |", "| --- " * (1 + len(samplers)) + "|"]
    for target in dict.fromkeys(f.target for f, _ in fits):
        cells = {f.sampler: cell(f) for f, _ in fits if f.target == target}
        rows.append(f"| {target} | {' | '.join(cells[s] for s in samplers)} |")
    return "\n".join(rows)


def cell(f: Fit) -> str:
    """One sampler, one law."""
    if f.step is None:
        return f"{f.finished} of {CHAINS} chains get through"
    return f"{f.distance:.3f} at {f.step:g}; {f.lowest:.3f}, {f.highest:.3f}"


def table_2(found: Sequence[Weak]) -> str:
    """A row a step size."""
    heads = (
        "step",
        "CoRV: mean",
        "reference",
        "without sampling",
        "distance",
        "mirror: mean",
        "median",
        "distance",
        "Ito stops after",
    )
    rows = [f"| {' | '.join(heads)} |", "| --- " * len(heads) + "|"]
    for h in dict.fromkeys(w.step for w in found):
        c, m, i = (
            next(w for w in found if (w.sampler, w.step) == (s, h))
            for s in ("CoRV", "mirror", "Ito")
        )
        corv_cells = (
            f"{c.mean:.5f} ± {c.error:.5f} | {REFERENCE.get(h, '')} | {c.without_sampling:.5f} |"
            f" {c.distance:.3f}"
        )
        rows.append(
            f"| {h:g} | {corv_cells} | {m.mean:.3g} | {m.median:.3g} | {m.distance:.3f} |"
            f" {i.stopped:g} steps |"
        )
    return "\n".join(rows)


def main(arguments: list[str] | None = None) -> int:
    """Run, draw, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="one law of figure 1, two steps of figure 2, short chains",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument(
        "--plot", type=Path, metavar="FOLDER", help="where to draw yokoi-1.png and yokoi-2.png"
    )
    parser.add_argument(
        "--laws", type=int, metavar="N", help="of figure 1, the first so many; the same numbers"
    )
    parser.add_argument(
        "--sizes", type=int, metavar="N", help="of figure 2, the first so many steps"
    )
    options = parser.parse_args(arguments)
    known = [gamma_target(SHAPE, SCALE)] if options.quick else targets()[: options.laws]
    fits = figure_1(
        known, (0.001, 0.1) if options.quick else GRID, 10_000 if options.quick else LENGTH
    )
    weak = figure_2(
        (0.1, 0.03) if options.quick else WEAK_STEPS[: options.sizes],
        2e7 if options.quick else 3e8,
        4000,
    )
    if options.plot:
        options.plot.mkdir(parents=True, exist_ok=True)
        draw_figure_1(fits, known, options.plot)
        draw_figure_2(weak, options.plot)
    if options.json:
        json.dump(
            {"figure 1": [asdict(f) for f, _ in fits], "figure 2": [asdict(w) for w in weak]},
            sys.stdout,
            indent=2,
        )
        print()
        return 0
    print(table_1(fits), table_2(weak), sep="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
