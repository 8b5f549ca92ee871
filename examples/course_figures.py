"""Figures 1 to 4 of Gupta, Modi & Mittal, "Stochastic techniques for MCMC methods", a course
proposal: SGLD on a law with two modes at three schedules, and on a logistic regression.

python examples/course_figures.py [--plot FOLDER] [--json] [--quick] [--figures 4]

Figures 1 to 3: the mixture of Welling & Teh (2011) of the catalog, 300 points, minibatches of one,
10,000 sweeps over the data, two chains: a step that is too large, the decreasing steps of Welling &
Teh, and one that is too small. Figure 4: the a9a data, minibatches of 10, three runs: accuracy on
held-out rows of the predictive mean so far, and log joint probability of a draw, as data pass by.
The proposal says neither its prior nor its steps: the prior here is standard normal. Without the
a9a data (``examples/a9a_data.py`` says where they are looked for) figure 4 is left out.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import a9a_data
import numpy as np
from matplotlib.figure import Figure
from sympy import exp, log

from catalog.posteriors import mixture
from catalog.sgld import sgld
from codegen import Constant, Polynomial, sample
from codegen.inputs.schedule import Schedule
from recipe import Data, Posterior, Vector, total

SWEEPS, THIN, CHAINS = 10_000, 300, 2
SCHEDULES: dict[str, Schedule] = {
    "1: too large": Constant(0.01),
    "2: decreasing": Polynomial(0.005, 693, 0.55),
    "3: too small": Constant(1e-7),
}
DECREASING = Polynomial(5e-4, 500, 0.55)
BATCH, RUNS, PASSES = 10, 3, 2
SHOWN = (0.02, 0.1, 0.4, 1.0, 2.0)  # passes over the data
FIGURES = (1, 2, 3, 4)
REACH = 5.0  # beyond which a draw is far from both modes


@dataclass(frozen=True)
class Walk:
    """A chain of figures 1 to 3: the share of its draws in the mode with theta2 < 0, how often it
    changes between the modes from draw to draw, and the share of draws far from both.
    """

    figure: str
    below: float
    changes: int
    far: float


@dataclass(frozen=True)
class Passing:
    """Figure 4 after a number of passes: accuracy and log joint probability, one a run."""

    passes: float
    accuracies: list[float]
    joints: list[float]


def two_modes(schedule: Schedule, sweeps: int) -> np.ndarray:
    """Draws of (theta1, theta2), of the shape (chains, draws, 2)."""
    found = sample(
        sgld,
        mixture.posterior,
        scheme="euler",
        step_size=schedule,
        steps=sweeps * mixture.ROWS,
        thin=THIN,
        chains=CHAINS,
        seed=1,
        batch_size=1,
        initial={"theta1": 0.0, "theta2": 1.0},
        progress=False,
    )
    return np.stack([found["theta1"], found["theta2"]], axis=-1)


def walks(figure: str, draws: np.ndarray) -> list[Walk]:
    """What the draws of each chain come to."""
    below = draws[..., 1] < 0
    far = (np.abs(draws) > REACH).any(-1)
    return [
        Walk(figure, float(b.mean()), int((b[1:] != b[:-1]).sum()), float(f.mean()))
        for b, f in zip(below, far, strict=True)
    ]


def logistic(data: a9a_data.A9a) -> Posterior:
    """Standard normal priors; labels are -1 or +1."""
    theta, y = Vector("theta"), Data("y")
    x = Data("x", like=theta)
    likelihood = -log(1 + exp(-y * total(x * theta)))
    return Posterior(theta, likelihood, -total(theta**2) / 2, {x: data.x, y: data.y})


def passing(data: a9a_data.A9a) -> list[Passing]:
    """Accuracy of the predictive mean so far, and log joint probability, at each number of
    passes.
    """
    steps = PASSES * len(data.y) // BATCH
    thin = 13
    found = sample(
        sgld,
        logistic(data),
        scheme="euler",
        step_size=DECREASING,
        steps=steps,
        thin=thin,
        chains=RUNS,
        seed=1,
        batch_size=BATCH,
        initial={"theta": np.zeros(data.x.shape[1])},
        progress=False,
    )["theta"]
    predicted = 1 / (1 + np.exp(-found @ data.x_held.T))
    counts = np.arange(1, found.shape[1] + 1)[:, None]
    right = (np.cumsum(predicted, axis=1) / counts > 0.5) == (data.y_held > 0)
    accuracy = right.mean(-1)
    rows = [min(found.shape[1], max(1, round(p * len(data.y) / BATCH / thin))) - 1 for p in SHOWN]
    return [
        Passing(
            p,
            [float(a) for a in accuracy[:, k]],
            [float(joint(theta, data)) for theta in found[:, k]],
        )
        for p, k in zip(SHOWN, rows, strict=True)
    ]


def joint(theta: np.ndarray, data: a9a_data.A9a) -> float:
    """Log likelihood of all rows plus log prior, without its constant."""
    return float(-np.logaddexp(0, -data.y * (data.x @ theta)).sum() - theta @ theta / 2)


def table_of_walks(found: Sequence[Walk]) -> str:
    """One row a chain."""
    lines = ["| figure | theta2 < 0 | changes of mode | far from both |", "| --- " * 4 + "|"]
    lines += [f"| {w.figure} | {w.below:.2f} | {w.changes} | {w.far:.2f} |" for w in found]
    return "\n".join(lines)


def table_of_passes(found: Sequence[Passing]) -> str:
    """One row a number of passes."""
    lines = ["| passes | accuracy, three runs | log joint probability |", "| --- " * 3 + "|"]
    for p in found:
        accuracies = ", ".join(f"{a:.3f}" for a in p.accuracies)
        joints = ", ".join(f"{j:.0f}" for j in p.joints)
        lines.append(f"| {p.passes:g} | {accuracies} | {joints} |")
    return "\n".join(lines)


def plot(draws: dict[str, np.ndarray], found: Sequence[Passing], path: Path) -> None:
    """Figures 1 to 3 over the contours of the law, and figure 4."""
    figure = Figure(figsize=(14, 3.8), layout="constrained")
    panels = figure.subplots(1, 4)
    a, b = np.meshgrid(np.linspace(-2, 3, 80), np.linspace(-3, 3, 80), indexing="ij")
    x = mixture.X[:, None, None]
    terms = np.logaddexp(-((x - a) ** 2) / 4, -((x - a - b) ** 2) / 4)
    law = terms.sum(0) - a**2 / 20 - b**2 / 2
    for axes, (name, chains) in zip(panels, draws.items(), strict=False):
        axes.contour(a, b, np.exp(law - law.max()), levels=6, colors="0.6", linewidths=0.8)
        for chain in chains:
            axes.plot(*chain.T, ".", markersize=1, alpha=0.4)
        axes.set(title=f"figure {name}", xlabel="theta1", ylabel="theta2")
    if found:
        panels[3].plot([p.passes for p in found], [p.accuracies for p in found], "o-")
        panels[3].set(title="figure 4", xlabel="passes over the data", ylabel="accuracy")
        panels[3].set_xscale("log")
    figure.savefig(path, dpi=90)


def main(arguments: list[str] | None = None) -> int:
    """Run, print, draw."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--plot", type=Path, metavar="FOLDER", help="where to draw the figures")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--quick", action="store_true", help="figure 3 alone")
    parser.add_argument(
        "--figures", nargs="+", type=int, choices=FIGURES, help="these alone; all by default"
    )
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")  # of steps that are too large, which figure 1 is about
    figures = options.figures or ([3] if options.quick else FIGURES)
    names = [name for name in SCHEDULES if int(name[0]) in figures]
    draws = {name: two_modes(SCHEDULES[name], SWEEPS) for name in names}
    found = [w for name, chains in draws.items() for w in walks(name, chains)]
    passes: list[Passing] = []
    try:
        passes = passing(a9a_data.load()) if 4 in figures else []
    except FileNotFoundError as error:
        if options.figures:
            print(f"figure 4: {error}", file=sys.stderr)
            return 2
        print(f"figure 4 is left out: {error}", file=sys.stderr)
    if options.plot:
        options.plot.mkdir(parents=True, exist_ok=True)
        plot(draws, passes, options.plot / "course.png")
    if options.json:
        result = {"walks": [asdict(w) for w in found], "figure 4": [asdict(p) for p in passes]}
        json.dump(result, sys.stdout, indent=2)
        print()
        return 0
    tables = [table_of_walks(found)] if found else []
    tables += [table_of_passes(passes)] if passes else []
    print("\n\n".join(tables))
    return 0


if __name__ == "__main__":
    sys.exit(main())
