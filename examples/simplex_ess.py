"""Patterson & Teh (2013), figure 1: effective sample size against step size for the four
parameterisations of the simplex.

    python examples/simplex_ess.py [FOLDER]          (FOLDER is docs/constrained by default)

K = 10 categories with the counts (90, 5, 5, 0, ..., 0) and the prior alpha = 0.1 each; 110,000
steps, of which the first 10,000 are left out and every hundredth of the others is kept. Each step
is tested (Metropolis & Hastings), or none is. Steps in expanded mean coordinates are reflected at
0. Four chains of each; their effective sample size, which counts that chains disagree, is divided
by four. Step sizes are those of the paper, twice those of the catalog. An Euler step of the reduced
mean leaves the simplex, and is refused without a test.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from catalog.sgrld_simplex_expanded_mean import sgrld_simplex_expanded_mean_reflected
from catalog.sgrld_simplex_expanded_natural import sgrld_simplex_expanded_natural
from catalog.sgrld_simplex_reduced_mean import sgrld_simplex_reduced_mean
from catalog.sgrld_simplex_reduced_natural import sgrld_simplex_reduced_natural
from codegen import sample
from codegen.results.diagnostics.convergence import ess_of_mean
from recipe import Recipe, RecipeError, compose, discretise, metropolis

COUNTS = np.array([0.0] * 7 + [5.0, 5.0, 90.0])  # the last category is one that was observed
ALPHA = np.full(10, 0.1)
STEPS, WARMUP, THIN, CHAINS = 110_000, 10_000, 100, 4
SIZES = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)


@dataclass(frozen=True)
class Coordinates:
    """A parameterisation, and the probabilities as a function of it."""

    name: str
    recipe: Recipe
    probabilities: Callable[[np.ndarray], np.ndarray]

    @property
    def params(self) -> dict[str, np.ndarray | float]:
        """Counts and prior as the recipe takes them."""
        if self.name.startswith("expanded"):
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


ALL = (
    Coordinates(
        "reduced mean",
        sgrld_simplex_reduced_mean,
        lambda t: with_last(t, 1 - t.sum(-1, keepdims=True)),
    ),
    Coordinates(
        "reduced natural",
        sgrld_simplex_reduced_natural,
        lambda t: softmax(with_last(t, 0 * t[..., :1])),
    ),
    Coordinates("expanded mean", sgrld_simplex_expanded_mean_reflected, normalised),
    Coordinates("expanded natural", sgrld_simplex_expanded_natural, softmax),
)


@dataclass(frozen=True)
class Result:
    """What comes of one parameterisation at one step size: the effective sample size of 1000 draws,
    its mean over the probabilities and the smallest one, the share of tests that accepted, and how
    far the mean of a probability is off at most.

    ``ess`` is None where ``stopped`` chains did not come to their end, all of them where such a
    step is refused.
    """

    name: str
    tested: bool
    step: float
    stopped: int
    ess: float | None = None
    worst: float | None = None
    accepted: float | None = None
    off: float | None = None


def effective(pi: np.ndarray) -> np.ndarray:
    """The effective sample size of each probability, a chain."""
    return ess_of_mean(pi) / CHAINS


def run(c: Coordinates, tested: bool, step: float) -> Result:
    """Four chains at one step size.

    With alpha = 0.1 the diffusions in natural coordinates explode, and ``sample`` refuses such
    numbers for the recipes. So the rule of an Euler step is sampled, as it is in the paper.
    """
    how = (
        {"what": compose(metropolis(c.recipe, "euler"))}
        if tested
        else {"what": discretise(c.recipe, "euler")}
    )
    try:
        drawn = sample(
            **how,
            steps=STEPS,
            warmup=WARMUP,
            thin=THIN,
            step_size=step / 2,
            params=c.params,
            chains=CHAINS,
            seed=2013,
            progress=False,
        )
    except RecipeError:
        return Result(c.name, tested, step, CHAINS)
    if drawn.divergences:
        return Result(c.name, tested, step, len(drawn.divergences))
    pi = c.probabilities(drawn["theta"])
    found, wanted = effective(pi), normalised(COUNTS + ALPHA)
    accepted = None if drawn.acceptance is None else float(drawn.acceptance.mean())
    off = float(np.abs(pi.mean((0, 1)) - wanted).max())
    return Result(
        c.name, tested, step, 0, float(np.nanmean(found)), float(np.nanmin(found)), accepted, off
    )


def table(results: list[Result], tested: bool) -> str:
    """One row a step size, one column a parameterisation."""
    lines = [
        "| step size | " + " | ".join(c.name for c in ALL) + " |",
        "| --- " * (len(ALL) + 1) + "|",
    ]
    for step in SIZES:
        row = [
            next(r for r in results if (r.name, r.tested, r.step) == (c.name, tested, step))
            for c in ALL
        ]
        lines.append(f"| {step:g} | " + " | ".join(map(cell, row)) + " |")
    return "\n".join(lines)


def cell(r: Result) -> str:
    """The mean and the worst effective sample size, and how many tests accepted, or how far off the
    means are.
    """
    if r.ess is None:
        return "-"
    last = f"{100 * r.accepted:.1f} %" if r.accepted is not None else f"{r.off:.3f}"
    return f"{r.ess:.0f} ({r.worst:.0f}), {last}"


def plot(results: list[Result], path: Path) -> None:
    """Both panels."""
    figure = Figure(figsize=(10, 4), layout="constrained")
    for axes, tested in zip(figure.subplots(1, 2, sharey=True), (True, False), strict=True):
        for c in ALL:
            own = [
                r for r in results if r.name == c.name and r.tested is tested and r.ess is not None
            ]
            axes.plot([r.step for r in own], [r.ess for r in own], marker="o", label=c.name)
        axes.set(
            xscale="log",
            yscale="log",
            xlabel="step size",
            title=f"Metropolis {'on' if tested else 'off'}",
        )
        axes.grid(alpha=0.3)
        axes.legend()
        if tested:
            axes.set_ylabel("effective sample size of 1000 draws")
    figure.savefig(path, dpi=110)


def main(folder: Path) -> None:
    """Run everything, print both tables, and write the plot."""
    results = [run(c, tested, step) for tested in (True, False) for c in ALL for step in SIZES]
    for tested in (True, False):
        print(f"Metropolis {'on' if tested else 'off'}\n\n{table(results, tested)}\n")
    folder.mkdir(parents=True, exist_ok=True)
    plot(results, folder / "simplex_ess.png")


if __name__ == "__main__":
    main(
        Path(sys.argv[1])
        if len(sys.argv) > 1
        else Path(__file__).parent.parent / "docs" / "constrained"
    )
