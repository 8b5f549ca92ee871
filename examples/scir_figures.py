"""Figures 1 and 2 of Baker, Fearnhead, Fox & Nemeth (2018): how far SCIR and SGRLD are from a
Dirichlet posterior.

python examples/scir_figures.py [--plot FOLDER] [--json] [--quick]

Figure 2 is the Kolmogorov-Smirnov distance against the size of the minibatch, for a sparse and a
dense posterior: the mean of five seeds at the step size where it is smallest, of 1,000 draws after
1,000 steps, as in the paper. Figure 1 is the law of one small probability. Samplers come from the
catalog, and are discretised and compiled by the library.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
from dirichlet_posteriors import (
    ALPHA,
    KINDS,
    LABELS,
    SEEDS,
    WARMUP,
    Case,
    dense,
    distance,
    one_hot,
    sparse,
)
from matplotlib.figure import Figure
from released_sgrld import released_chains
from scipy.stats import beta
from sympy import Symbol, log

from catalog.scir import U, scir_posterior, theta
from catalog.sgrld import V, sgrld_reciprocal, x
from codegen import sample
from recipe import Data, Posterior, Recipe, Vector, bind, mirror, total

DRAWS = 1000
BATCHES = (1, 10, 50, 100, 500)
STEPS = (1.0, 0.5, 0.1, 0.05, 0.01, 0.005, 0.001)
RELEASED_STEPS = (
    1e-3,
    5e-4,
    1e-4,
    5e-5,
)  # the larger ones of the published code; smaller ones hardly move
CASES: dict[str, Callable[..., list[Case]]] = {"sparse": sparse, "dense": dense}
# The same figure recomputed from the paper's settings, independently of this library.
REFERENCE = {
    "sparse": {
        "exact": {LABELS: 0.025},
        "SCIR": {1: 0.134, 10: 0.089, 50: 0.062, 100: 0.060, 500: 0.042},
        "SGRLD": {1: 0.447, 10: 0.424, 50: 0.393, 100: 0.398, 500: 0.382},
    },
    "dense": {
        "exact": {LABELS: 0.028},
        "SCIR": {1: 0.317, 10: 0.203, 50: 0.106, 100: 0.095, 500: 0.066},
        "SGRLD": {1: 0.437, 10: 0.262, 50: 0.151, 100: 0.115, 500: 0.075},
    },
}
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
SMALL = 4  # the probability that figure 1 shows: of a kind without labels in the sparse posterior
Sampler = Callable[[Case, float, int, int], np.ndarray]
alpha = Symbol("alpha", positive=True)


@dataclass(frozen=True)
class Point:
    """The distances of five seeds at the best step size; ``means`` are those of every step size."""

    case: str
    sampler: str
    batch: int
    step: float | None
    distances: tuple[float, ...]
    means: dict[float, float]

    @property
    def mean(self) -> float:
        return float(np.mean(self.distances))


def gamma_posterior(block: Vector, log_likelihood, labels: np.ndarray) -> Posterior:
    """A posterior of positive numbers whose shares have the Dirichlet posterior: independent gamma
    priors, one datum a label.
    """
    z = Data("z", like=block)
    return Posterior(
        block, log_likelihood(z), total((alpha - 1) * log(block) - block), data={z: labels}
    )


@cache
def scir_of(case: Case) -> Recipe:
    """Each theta is a gamma variable, and a label adds 1 to the shape of its kind."""
    return bind(
        scir_posterior,
        {U: gamma_posterior(theta, lambda z: total(z * log(theta)), one_hot(case.counts))},
    )


@cache
def sgrld_of(case: Case) -> Recipe:
    """Patterson & Teh's expanded mean: labels are multinomial with the shares of x, which is
    reflected at 0.
    """
    posterior = gamma_posterior(
        x, lambda z: total(z * log(x)) - log(total(x)), one_hot(case.counts)
    )
    return mirror(bind(sgrld_reciprocal, {V: posterior}), x)


def drawn(
    recipe: Recipe, scheme: str, case: Case, step: float, batch: int, seed: int
) -> np.ndarray:
    """A chain a start, 1,000 draws each."""
    found = sample(
        recipe,
        scheme=scheme,
        step_size=step,
        steps=case.warmup + DRAWS,
        warmup=case.warmup,
        chains=len(case.starts),
        seed=seed,
        batch_size=batch,
        params={"alpha": ALPHA},
        initial={recipe.state[0]: case.starts},
        progress=False,
    )
    return found[recipe.state[0]]


def by_scir(case: Case, step: float, batch: int, seed: int) -> np.ndarray:
    """The exact transition, with the shapes that a minibatch estimates."""
    return drawn(scir_of(case), "exact", case, step, batch, seed)


def by_sgrld(case: Case, step: float, batch: int, seed: int) -> np.ndarray:
    """The paper's step is twice that of the recipe: its drift is halved, and its noise is sqrt(step
    theta).
    """
    return drawn(sgrld_of(case), "euler", case, step / 2, batch, seed)


def as_released(case: Case, step: float, batch: int, seed: int) -> np.ndarray:
    """The rule of the published code."""
    return released_chains(case.counts, case.starts, ALPHA, step, batch, seed, case.warmup, DRAWS)


def exactly(case: Case, step: float, batch: int, seed: int) -> np.ndarray:
    """Independent draws of the posterior."""
    return np.random.default_rng(seed).gamma(case.shapes, size=(len(case.starts), DRAWS, KINDS))


SAMPLERS: dict[str, Sampler] = {"SCIR": by_scir, "SGRLD": by_sgrld, "released SGRLD": as_released}
GRIDS = {"SCIR": STEPS, "SGRLD": STEPS, "released SGRLD": RELEASED_STEPS}
LOOKS = {"SCIR": "C0o-", "SGRLD": "C1o-", "released SGRLD": "C3o:"}


def points(
    name: str,
    batches: Sequence[int],
    grids: Mapping[str, Sequence[float]],
    seeds: tuple[int, ...],
    warmup: int,
) -> list[Point]:
    """Figure 2 for one of the two posteriors."""
    cases = CASES[name](seeds, warmup)
    found = [Point(name, "exact", LABELS, None, distances(exactly, cases, 1.0, LABELS), {})]
    for sampler, batch in product(grids, batches):
        by_step = {h: distances(SAMPLERS[sampler], cases, h, batch) for h in grids[sampler]}
        means = {h: float(np.mean(d)) for h, d in by_step.items()}
        best = min(means, key=means.__getitem__)
        found.append(Point(name, sampler, batch, best, by_step[best], means))
    return found


def distances(
    sampler: Sampler, cases: Sequence[Case], step: float, batch: int
) -> tuple[float, ...]:
    """One a seed; each data set has random numbers of its own."""
    return tuple(
        distance(chain, case.shapes)
        for k, case in enumerate(cases)
        for chain in sampler(case, step, batch, len(SEEDS) * batch + k)
    )


def small_probabilities(found: Sequence[Point], warmup: int) -> dict[str, np.ndarray]:
    """Figure 1: 1,000 draws of a probability of the sparse posterior, with minibatches of 10, at
    the best step size of figure 2.
    """
    case = sparse((13,), warmup)[0]
    best = {p.sampler: p.step for p in found if (p.case, p.batch) == ("sparse", 10)}
    drawn_by = {
        "exact": exactly(case, 1.0, LABELS, 11),
        **{s: SAMPLERS[s](case, h, 10, 11) for s, h in best.items()},
    }
    return {
        name: (thetas[0] / thetas[0].sum(axis=1, keepdims=True))[:, SMALL]
        for name, thetas in drawn_by.items()
    }


def quantiles(draws: np.ndarray) -> list[float]:
    """What figure 1 comes to in numbers."""
    return [float(q) for q in np.quantile(draws, LEVELS)]


def exact_quantiles() -> list[float]:
    """Of the probability of figure 1: a beta variable."""
    shapes = sparse((13,))[0].shapes
    return [float(q) for q in beta.ppf(LEVELS, shapes[SMALL], shapes.sum() - shapes[SMALL])]


def draw_figure_2(found: Sequence[Point], folder: Path) -> None:
    """A band from the smallest to the largest of the five distances, and the mean."""
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    names = list(dict.fromkeys(p.case for p in found))
    for axes, name in zip(figure.subplots(1, len(names), squeeze=False)[0], names, strict=True):
        for sampler in dict.fromkeys(p.sampler for p in found if p.case == name and p.step):
            line = [p for p in found if (p.case, p.sampler) == (name, sampler)]
            sizes = [p.batch for p in line]
            axes.fill_between(
                sizes,
                *([f(p.distances) for p in line] for f in (min, max)),
                color=LOOKS[sampler][:2],
                alpha=0.2,
            )
            axes.plot(sizes, [p.mean for p in line], LOOKS[sampler], markersize=4, label=sampler)
        (exact,) = (p for p in found if (p.case, p.sampler) == (name, "exact"))
        axes.axhspan(
            min(exact.distances), max(exact.distances), color="C2", alpha=0.5, label="exact"
        )
        axes.set(
            xscale="log",
            ylim=0,
            xlabel="labels in a minibatch, of 1,000",
            ylabel="Kolmogorov-Smirnov distance",
            title=name,
        )
    axes.legend(fontsize=8)
    figure.savefig(folder / "scir-2.png", dpi=90)


def draw_figure_1(draws: dict[str, np.ndarray], folder: Path) -> None:
    """A box from quartile to quartile, whiskers to the extremes."""
    figure = Figure(figsize=(5, 3.6), layout="constrained")
    axes = figure.subplots()
    axes.boxplot(list(draws.values()), tick_labels=list(draws), whis=(0, 100))
    axes.set(yscale="log", ylabel="probability of a kind without labels")
    figure.savefig(folder / "scir-1.png", dpi=90)


def table(found: Sequence[Point], name: str) -> str:
    """Figure 2 in numbers: mean distance, best step size, and the reference."""
    mine = [p for p in found if p.case == name]
    samplers = list(dict.fromkeys(p.sampler for p in mine if p.step))
    heads = [f"{s} | reference" if s in REFERENCE[name] else s for s in samplers]
    rows = [f"| {name}, minibatch | {' | '.join(heads)} |"]
    rows.append("| --- " * rows[0].count(" | ") + "| --- |")
    for batch in dict.fromkeys(p.batch for p in mine if p.step):
        cells = [f"{batch}"]
        for p in (p for p in mine if p.batch == batch and p.step):
            cells.append(f"{p.mean:.3f} (step {p.step:g})")
            cells += (
                [f"{REFERENCE[name][p.sampler][batch]:.3f}"] if p.sampler in REFERENCE[name] else []
            )
        rows.append(f"| {' | '.join(cells)} |")
    (exact,) = (p for p in mine if not p.step)
    return "\n".join(
        [
            *rows,
            "",
            f"Exact draws: {exact.mean:.3f}; reference {REFERENCE[name]['exact'][LABELS]:.3f}",
        ]
    )


def table_1(draws: dict[str, np.ndarray]) -> str:
    """Figure 1 in numbers."""
    rows = ["| | 5 % | 25 % | 50 % | 75 % | 95 % |", "| --- " * 6 + "|"]
    lines = {"law": exact_quantiles()} | {name: quantiles(d) for name, d in draws.items()}
    return "\n".join(
        rows
        + [f"| {name} | {' | '.join(f'{q:.1e}' for q in line)} |" for name, line in lines.items()]
    )


def main(arguments: list[str] | None = None) -> int:
    """Run, draw, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="the sparse posterior, minibatches of 10, two steps, two seeds",
    )
    parser.add_argument(
        "--warmup", type=int, default=WARMUP, help="steps that are left out; 1000 in the paper"
    )
    parser.add_argument(
        "--batches",
        type=int,
        nargs="+",
        default=BATCHES,
        help="of figure 2; figure 1 needs 10 among them",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument(
        "--plot", type=Path, metavar="FOLDER", help="where to draw scir-1.png and scir-2.png"
    )
    options = parser.parse_args(arguments)
    if options.quick:
        found = points(
            "sparse", (10,), {"SCIR": (0.1, 0.05), "SGRLD": (0.01, 0.005)}, SEEDS[:2], WARMUP
        )
    else:
        found = [
            p for name in CASES for p in points(name, options.batches, GRIDS, SEEDS, options.warmup)
        ]
    draws = small_probabilities(found, options.warmup)
    if options.plot:
        options.plot.mkdir(parents=True, exist_ok=True)
        draw_figure_1(draws, options.plot)
        draw_figure_2(found, options.plot)
    if options.json:
        small = {"law": exact_quantiles()} | {name: quantiles(d) for name, d in draws.items()}
        json.dump({"figure 1": small, "figure 2": [asdict(p) for p in found]}, sys.stdout, indent=2)
        print()
        return 0
    print(
        table_1(draws),
        *(table(found, name) for name in dict.fromkeys(p.case for p in found)),
        sep="\n\n",
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
