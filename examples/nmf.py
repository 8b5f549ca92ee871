"""Bayesian nonnegative matrix factorisation of ratings: SGLD with mirroring, SGRLD, and change of
random variables by exp and softplus.

    python examples/nmf.py [--quick] [--json] [--plot FOLDER] [--factors R] [--batch N]

Yokoi, Otsuka & Sato (2020), section 7.1, on the MovieLens-100k ratings in the place of
MovieLens-10M (943 users, 1,682 items, 100,000 ratings; 75 : 12.5 : 12.5 to fit, to choose the step
and to test).
The file ``ml-100k/ml-100k.inter`` is looked for below the folder that the environment variable
RECIPE_DATA names; it is in the wheel of recbole 1.2.1, below ``dataset_example``. ``--quick`` takes
a table that is drawn here, and no file.

A rating x of user i and item j has the law Poisson(mu) or N(mu, 1) with ``mu = total over r of
W[i, r] H[j, r]``; all W and H are positive with the prior ``exp(-w)``. The paper's display of its
law is lost: both are run. Predictions are the mean of mu over the draws so far; the step of each
sampler is that of a grid with the smallest error on the second part, at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numba import njit
from sympy import Interval, Matrix, oo

from catalog.mirror_sgld import mirror_sgld
from catalog.sgrld import sgrld_reciprocal
from codegen import sample
from recipe import Data, Posterior, Potential, Recipe, Vector, bind, corv, maps, mirror, total

LIKELIHOODS = ("poisson", "normal")
STEPS = (3e-2, 1e-2, 3e-3, 1e-3, 3e-4)
KEPT = 100  # draws of a run, whose predictions are averaged
theta = Vector("theta", domain=Interval.open(0, oo))
LANGEVIN = Recipe((theta,), Potential("U", theta), Matrix([[1]]), Matrix([[0]]), name="langevin")
(_positive,) = sgrld_reciprocal.state
SAMPLERS = {
    "SGLD, mirrored": mirror_sgld,
    "SGRLD, mirrored": mirror(sgrld_reciprocal, _positive),
    "CoRV, exp": corv(LANGEVIN, theta, maps.exp),
    "CoRV, softplus": corv(LANGEVIN, theta, maps.softplus),
}


@dataclass(frozen=True, eq=False)
class Ratings:
    """Users, items and ratings of the three parts, and how many users and items there are."""

    users: int
    items: int
    fit: tuple[np.ndarray, np.ndarray, np.ndarray]
    choose: tuple[np.ndarray, np.ndarray, np.ndarray]
    test: tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Curve:
    """Errors of the predictive mean on the test part, against iterations, at the best step of a
    sampler; ``stopped`` are the steps of the grid at which the chain stopped.
    """

    likelihood: str
    sampler: str
    step: float
    iterations: list[int]
    errors: list[float]
    microseconds: float
    stopped: list[float]


def movielens() -> Ratings:
    """The ratings of the file."""
    folder = os.environ.get("RECIPE_DATA")
    path = Path(folder or ".") / "ml-100k" / "ml-100k.inter"
    if folder is None or not path.is_file():
        raise SystemExit(
            f"the MovieLens ratings are not here: {path} does not exist; set the environment"
            " variable RECIPE_DATA to the folder that holds ml-100k/ml-100k.inter, or take --quick"
        )
    table = np.loadtxt(path, skiprows=1)
    users, i = np.unique(table[:, 0], return_inverse=True)
    items, j = np.unique(table[:, 1], return_inverse=True)
    return in_parts(len(users), len(items), i, j, table[:, 2])


def drawn_here() -> Ratings:
    """A table of 60 users and 80 items with three factors, of which every second cell is rated."""
    rng = np.random.default_rng(4)
    mu = rng.gamma(2, 0.6, (60, 3)) @ rng.gamma(2, 0.6, (3, 80))
    i, j = np.nonzero(rng.random(mu.shape) < 0.5)
    return in_parts(60, 80, i, j, rng.poisson(mu[i, j]).astype(float))


def in_parts(users: int, items: int, i: np.ndarray, j: np.ndarray, x: np.ndarray) -> Ratings:
    """A fixed split, 75 : 12.5 : 12.5."""
    order = np.random.default_rng(2020).permutation(len(x))
    cuts = [round(0.75 * len(x)), round(0.875 * len(x))]
    fit, choose, test = ((i[p], j[p], x[p]) for p in np.split(order, cuts))
    return Ratings(users, items, fit, choose, test)


@cache
def gradient_of(users: int, factors: int, likelihood: str) -> Callable[..., None]:
    """Minus the gradient of the log density, estimated from some ratings; W comes first in theta,
    then H, a row after another.
    """
    poisson = likelihood == "poisson"

    @njit(error_model="numpy")
    def gradient(theta, rows, user, item, x, g):  # type: ignore[no-untyped-def]
        """Write the gradient."""
        scale = x.size / rows.size
        g[:] = 1.0
        for row in rows:
            a, b = int(user[row]) * factors, (users + int(item[row])) * factors
            mu = 0.0
            for r in range(factors):
                mu += theta[a + r] * theta[b + r]
            error = 1.0 - x[row] / mu if poisson else mu - x[row]
            for r in range(factors):
                g[a + r] += scale * error * theta[b + r]
                g[b + r] += scale * error * theta[a + r]

    return gradient


def posterior(data: Ratings, factors: int, likelihood: str, block: Vector) -> Posterior:
    """The law of W and H in one block."""
    user, item, x = Data("user"), Data("item"), Data("x")
    return Posterior(
        block,
        log_likelihood=None,
        log_prior=-total(block),
        data=dict(zip((user, item, x), data.fit, strict=True)),
        gradient=gradient_of(data.users, factors, likelihood),
    )


def start(data: Ratings, factors: int) -> np.ndarray:
    """Every mu is about the mean of the ratings."""
    rng = np.random.default_rng(1)
    level = np.sqrt(data.fit[2].mean() / factors)
    return level * rng.uniform(0.5, 1.5, (data.users + data.items) * factors)


def predicted(draws: np.ndarray, data: Ratings, factors: int, part: Any) -> np.ndarray:
    """The mean of mu over the draws so far, of the shape (draws, ratings)."""
    i, j, _ = part
    rows = draws.reshape(len(draws), data.users + data.items, factors)
    mu = np.einsum("tnr,tnr->tn", rows[:, i], rows[:, data.users + j])
    return np.cumsum(mu, axis=0) / np.arange(1, len(mu) + 1)[:, None]


def error(mean: np.ndarray, part: Any) -> np.ndarray:
    """Root mean square, a number a draw."""
    return np.sqrt(((mean - part[2]) ** 2).mean(-1))


def run(
    name: str, data: Ratings, factors: int, likelihood: str, step: float, steps: int, batch: int
) -> tuple[np.ndarray | None, float]:
    """The draws of a chain, None where it stopped; and microseconds a step."""
    recipe = SAMPLERS[name]
    (U,) = recipe.abstract
    (block,) = U.blocks
    began = perf_counter()
    found = sample(
        bind(recipe, {U: posterior(data, factors, likelihood, block)}),
        scheme="euler",
        step_size=step,
        steps=steps,
        thin=max(1, steps // KEPT),
        chains=1,
        seed=1,
        batch_size=batch,
        initial={block.name: start(data, factors)},
        progress=False,
    )
    seconds = perf_counter() - began
    stopped = bool(found.divergences)
    return None if stopped else found[block.name][0], 1e6 * seconds / steps


def curve(name: str, data: Ratings, factors: int, likelihood: str, steps: int, batch: int) -> Curve:
    """The run at the step of the grid that predicts the second part best at its end."""
    best: tuple[float, float, np.ndarray] | None = None
    stopped, times = [], []
    for step in STEPS:
        draws, microseconds = run(name, data, factors, likelihood, step, steps, batch)
        if draws is None:
            stopped.append(step)
            continue
        times.append(microseconds)  # of the first run with the compilation, so the least counts
        chosen = float(error(predicted(draws, data, factors, data.choose), data.choose)[-1])
        if best is None or chosen < best[0]:
            best = (chosen, step, draws)
    if best is None:
        raise SystemExit(f"{name}: the chain stops at every step of the grid")
    _, step, draws = best
    errors = error(predicted(draws, data, factors, data.test), data.test)
    thin = max(1, steps // KEPT)
    at = [thin * (k + 1) for k in range(len(errors))]
    return Curve(likelihood, name, step, at, [float(e) for e in errors], min(times), stopped)


def baseline(data: Ratings) -> float:
    """The error of the mean rating."""
    return float(np.sqrt(((data.test[2] - data.fit[2].mean()) ** 2).mean()))


def table(found: Sequence[Curve]) -> str:
    """One row a sampler: errors at tenths of the run."""
    shown = (0.1, 0.3, 1.0)
    last = found[0].iterations[-1]
    heads = " | ".join(f"after {round(p * last):,}" for p in shown)
    lines = [f"| likelihood | sampler | step | {heads} |", "| --- " * (3 + len(shown)) + "|"]
    for c in found:
        rows = [c.errors[max(0, round(p * len(c.errors)) - 1)] for p in shown]
        errors = " | ".join(f"{e:.3f}" for e in rows)
        lines.append(f"| {c.likelihood} | {c.sampler} | {c.step:g} | {errors} |")
    return "\n".join(lines)


def plot(found: Sequence[Curve], level: float, path: Path) -> None:
    """A panel a likelihood."""
    figure = Figure(figsize=(10, 4), layout="constrained")
    names = list(dict.fromkeys(c.likelihood for c in found))
    for axes, name in zip(figure.subplots(1, len(names), squeeze=False)[0], names, strict=True):
        for c in (c for c in found if c.likelihood == name):
            axes.plot(c.iterations, c.errors, label=f"{c.sampler}, step {c.step:g}")
        axes.axhline(level, color="0.7", linestyle=":", label="mean rating")
        axes.set(xlabel="iterations", title=name)
        axes.legend()
    figure.supylabel("error of the test part")
    figure.savefig(path, dpi=90)


def main(arguments: list[str] | None = None) -> int:
    """Run, print, draw."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help="a small table that is drawn here, by Poisson's law"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--plot", type=Path, metavar="FOLDER", help="where to draw nmf.png")
    parser.add_argument("--factors", type=int, default=20, help="R")
    parser.add_argument("--batch", type=int, default=7500, help="ratings of a minibatch")
    parser.add_argument("--steps", type=int, default=10_000, help="iterations")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")  # of the bias, of which nothing is predicted here
    if options.quick:
        options.factors, options.batch, options.steps = 3, 180, 1000
    data = drawn_here() if options.quick else movielens()
    found = [
        curve(name, data, options.factors, likelihood, options.steps, options.batch)
        for likelihood in LIKELIHOODS[: 1 if options.quick else None]
        for name in SAMPLERS
    ]
    level = baseline(data)
    if options.plot:
        options.plot.mkdir(parents=True, exist_ok=True)
        plot(found, level, options.plot / "nmf.png")
    if options.json:
        json.dump(
            {"mean rating": level, "curves": [asdict(c) for c in found]}, sys.stdout, indent=2
        )
        print()
    else:
        print(f"error of the mean rating: {level:.3f}\n\n{table(found)}\n")
        for c in found:
            print(f"{c.likelihood}, {c.sampler}: {c.microseconds:.0f} microseconds a step")
    return 0


if __name__ == "__main__":
    sys.exit(main())
