"""Patterson & Teh (2013), figure 1: Langevin dynamics (LD) and Riemannian Langevin dynamics (RLD)
on the simplex, in four coordinates each.

    python examples/simplex_ess.py [--plot FOLDER] [--json] [--quick]

K = 10 categories with the counts (90, 5, 5, 0, ..., 0) and the prior alpha = 0.1 each; 110,000
steps, of which the first 10,000 are left out and every hundredth of the others is kept. Figure 1a
is the effective sample size of the probabilities, its mean and its median over them, against the
step size, for the three samplers that the paper keeps: RLD in the expanded mean, LD in both natural
coordinates. The other five are in the tables. Each step is tested (Metropolis & Hastings), or none
is. Steps in expanded mean coordinates are reflected at 0. Four chains of each; their effective
sample size, which counts that chains disagree, is divided by four. Step sizes are those of the
paper, twice those of the catalog. Figure 1b is the draws of one probability at the step size 0.1.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sympy import Matrix

from catalog.sgrld_simplex_expanded_mean import (
    sgrld_simplex_expanded_mean,
    sgrld_simplex_expanded_mean_reflected,
)
from catalog.sgrld_simplex_expanded_natural import sgrld_simplex_expanded_natural
from catalog.sgrld_simplex_reduced_mean import sgrld_simplex_reduced_mean
from catalog.sgrld_simplex_reduced_natural import sgrld_simplex_reduced_natural
from codegen import sample
from codegen.results.diagnostics.convergence import ess_of_mean
from codegen.results.draws import Draws
from recipe import Recipe, RecipeError, compose, discretise, metropolis, mirror

COUNTS = np.array([0.0] * 7 + [5.0, 5.0, 90.0])  # the last category is one that was observed
ALPHA = np.full(10, 0.1)
STEPS, WARMUP, THIN, CHAINS = 110_000, 10_000, 100, 4
SIZES = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
QUICK = (1e-1,)
BEST = 0.1  # the paper's best step size
PAPER = ("RLD expanded mean", "LD reduced natural", "LD expanded natural")  # its three curves
COLOURS = dict(zip(PAPER, ("C0", "C1", "C2"), strict=True))


@dataclass(frozen=True)
class Sampler:
    """Dynamics in some coordinates, and the probabilities as a function of them."""

    dynamics: str
    coordinates: str
    recipe: Recipe
    probabilities: Callable[[np.ndarray], np.ndarray]

    @property
    def name(self) -> str:
        return f"{self.dynamics} {self.coordinates}"

    @property
    def params(self) -> dict[str, np.ndarray | float]:
        """Counts and prior as the recipe takes them."""
        if self.coordinates.startswith("expanded"):
            return {"n": COUNTS, "alpha": ALPHA}
        return {"n": COUNTS[:-1], "n_K": COUNTS[-1], "alpha": ALPHA[:-1], "alpha_K": ALPHA[-1]}


def normalised(u: np.ndarray) -> np.ndarray:
    """Probabilities in proportion."""
    return u / u.sum(-1, keepdims=True)


def with_last(u: np.ndarray, last: np.ndarray) -> np.ndarray:
    """One more coordinate."""
    return np.concatenate([u, last], axis=-1)


def softmax(theta: np.ndarray) -> np.ndarray:
    """Probabilities in proportion to exponentials."""
    return normalised(np.exp(theta - theta.max(-1, keepdims=True)))


def without_conditions(r: Recipe) -> Recipe:
    """The recipe for alpha = 0.1 as well, where its diffusion explodes and ``sample`` would refuse
    the number: steps can be made all the same, as in the paper.
    """
    root = r.noise_factor.written if r.noise_factor else None
    return Recipe(r.state, r.H, r.D.written, r.Q.written, noise_factor=root)


def langevin(riemannian: Recipe) -> Recipe:
    """The same law in the same coordinates with the identity as metric."""
    return Recipe(riemannian.state, riemannian.H, Matrix([[1]]), Matrix([[0]]))


MAPS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "reduced mean": lambda t: with_last(t, 1 - t.sum(-1, keepdims=True)),
    "reduced natural": lambda t: softmax(with_last(t, 0 * t[..., :1])),
    "expanded mean": normalised,
    "expanded natural": softmax,
}
RIEMANNIAN = {
    "reduced mean": sgrld_simplex_reduced_mean,
    "reduced natural": without_conditions(sgrld_simplex_reduced_natural),
    "expanded mean": sgrld_simplex_expanded_mean_reflected,
    "expanded natural": without_conditions(sgrld_simplex_expanded_natural),
}
PLAIN = {
    "reduced mean": langevin(sgrld_simplex_reduced_mean),
    "reduced natural": langevin(sgrld_simplex_reduced_natural),
    "expanded mean": mirror(
        langevin(sgrld_simplex_expanded_mean), sgrld_simplex_expanded_mean.state[0]
    ),
    "expanded natural": langevin(sgrld_simplex_expanded_natural),
}
ALL = tuple(
    Sampler(dynamics, c, recipes[c], MAPS[c])
    for dynamics, recipes in (("RLD", RIEMANNIAN), ("LD", PLAIN))
    for c in MAPS
)


@dataclass(frozen=True)
class Result:
    """What comes of one sampler at one step size: the effective sample size of 1000 draws, its mean
    and its median over the probabilities, the share of tests that accepted, and how far the mean of
    a probability is off at most.

    ``mean`` is None where ``stopped`` chains did not come to their end, all of them where such a
    step is refused, and where no chain moved.
    """

    name: str
    tested: bool
    step: float
    stopped: int
    mean: float | None = None
    median: float | None = None
    accepted: float | None = None
    off: float | None = None


def effective(pi: np.ndarray) -> np.ndarray:
    """The effective sample size of each probability, a chain."""
    return ess_of_mean(pi) / CHAINS


def drawn(s: Sampler, tested: bool, step: float) -> Draws:
    """Four chains at one step size."""
    step_of = compose(metropolis(s.recipe, "euler")) if tested else discretise(s.recipe, "euler")
    return sample(
        step_of,
        steps=STEPS,
        warmup=WARMUP,
        thin=THIN,
        step_size=step / 2,
        params=s.params,
        chains=CHAINS,
        seed=2013,
        progress=False,
    )


def run(s: Sampler, tested: bool, step: float) -> Result:
    """One sampler at one step size."""
    try:
        found = drawn(s, tested, step)
    except RecipeError:
        return Result(s.name, tested, step, CHAINS)
    accepted = None if found.acceptance is None else float(found.acceptance.mean())
    if found.divergences:
        return Result(s.name, tested, step, len(found.divergences), accepted=accepted)
    pi = s.probabilities(found["theta"])
    sizes, wanted = effective(pi), normalised(COUNTS + ALPHA)
    if np.isnan(sizes).any():  # a chain that never moves
        return Result(s.name, tested, step, 0, accepted=accepted)
    off = float(np.abs(pi.mean((0, 1)) - wanted).max())
    mean, median = float(sizes.mean()), float(np.median(sizes))
    return Result(s.name, tested, step, 0, mean, median, accepted, off)


def table(results: Sequence[Result], dynamics: str, tested: bool) -> str:
    """One row a step size, one column a parameterisation."""
    columns = [s.name for s in ALL if s.dynamics == dynamics]
    of = {(r.step, r.name): r for r in results if r.tested is tested}
    lines = ["| step size | " + " | ".join(columns) + " |", "| --- " * (len(columns) + 1) + "|"]
    for step in sorted({step for step, _ in of}):
        cells = " | ".join(cell(of[step, name]) for name in columns)
        lines.append(f"| {step:g} | {cells} |")
    return "\n".join(lines)


def cell(r: Result) -> str:
    """Mean and median effective sample size, and how many tests accepted, or how far off the means
    are.
    """
    last = f", {100 * r.accepted:.1f} %" if r.accepted is not None else ""
    if r.mean is None:
        return f"-{last}"
    return f"{r.mean:.0f} / {r.median:.0f}{last or f', {r.off:.3f}'}"


def plot_sizes(results: Sequence[Result], path: Path) -> None:
    """Figure 1a, with and without a test."""
    figure = Figure(figsize=(10, 4), layout="constrained")
    for axes, tested in zip(figure.subplots(1, 2, sharey=True), (True, False), strict=True):
        for name in PAPER:
            own = [r for r in results if (r.name, r.tested) == (name, tested) and r.mean]
            at, colour = [r.step for r in own], COLOURS[name]
            axes.plot(at, [r.mean for r in own], "o-", color=colour, label=f"{name}, mean")
            axes.plot(at, [r.median for r in own], "s--", color=colour, mfc="w", label="median")
        axes.set(xscale="log", yscale="log", xlabel="step size")
        axes.set_title(f"Metropolis {'on' if tested else 'off'}")
        axes.grid(alpha=0.3)
    axes.legend()
    figure.supylabel("effective sample size of 1000 draws")
    figure.savefig(path, dpi=110)


def plot_draws(path: Path) -> None:
    """Figure 1b: the draws of a probability without observations, of one chain."""
    shown = [(s, True) for s in ALL if s.name in PAPER]
    shown.insert(1, (shown[0][0], False))
    figure = Figure(figsize=(10, 7), layout="constrained")
    for axes, (s, tested) in zip(figure.subplots(4, 1, sharex=True), shown, strict=True):
        pi = s.probabilities(drawn(s, tested, BEST)["theta"])[0, :, 0]
        axes.plot(pi, ".", markersize=2, color=COLOURS[s.name])
        axes.set(yscale="log", ylim=(1e-20, 1))
        axes.set_title(f"{s.name}, Metropolis {'on' if tested else 'off'}", fontsize=10)
    axes.set_xlabel("draw")
    figure.supylabel("a probability without observations")
    figure.savefig(path, dpi=110)


def main(arguments: list[str] | None = None) -> int:
    """Run everything, print the tables, and draw both figures where it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", type=Path, metavar="FOLDER", help="where to draw the figures")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--quick", action="store_true", help="the step size 0.1 alone")
    options = parser.parse_args(arguments)
    sizes = QUICK if options.quick else SIZES
    results = [run(s, tested, step) for tested in (True, False) for s in ALL for step in sizes]
    if options.plot:
        options.plot.mkdir(parents=True, exist_ok=True)
        plot_sizes(results, options.plot / "simplex_ess.png")
        plot_draws(options.plot / "simplex_draws.png")
    if options.json:
        json.dump([asdict(r) for r in results], sys.stdout, indent=2)
        print()
        return 0
    for tested in (True, False):
        print(f"Metropolis {'on' if tested else 'off'}\n")
        for dynamics in ("RLD", "LD"):
            print(table(results, dynamics, tested), end="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
