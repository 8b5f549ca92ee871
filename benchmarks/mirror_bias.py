"""What a reflected Euler step does to a gamma law: distance from the law against the step size,
after a short and a long time.

Langevin dynamics on theta > 0, as in ``mirror_sgld``, discretised by ``euler``. A block of N
coordinates is N independent chains, which start at exact draws of the law; so whatever is seen is
bias, up to the noise of N draws (the Kolmogorov-Smirnov distance of N exact ones is about 0.87 /
sqrt(N)). ``far out`` counts the chains beyond the quantile 1 - 10^-6 of the law: where the drift is
infinite at the edge, one step from very near it throws a chain out, and it comes back at a finite
speed. Means say nothing then; medians and distances do.

A second table is about momentum methods: a constant force on (0, 1), which the position is
reflected in and the momentum turns at. They have no drift that is infinite anywhere, so means are
good for them: of the position, and of the momentum's square, which is 1.
"""

from __future__ import annotations

import argparse

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import stats
from sympy import Interval, Matrix, Symbol, log, oo

from codegen import sample
from recipe import Recipe, Vector, mirror, total

theta = Vector("theta", domain=Interval.open(0, oo))
a, b = Symbol("shape", positive=True), Symbol("rate", positive=True)
LANGEVIN = mirror(
    Recipe((theta,), total(b * theta - (a - 1) * log(theta)), Matrix([[1]]), Matrix([[0]])), theta
)

SHAPES, SCALE = (0.5, 1.0, 3.0), 0.5
STEPS = (0.1, 0.03, 0.01, 0.003)
TIMES = (2.0, 20.0)
FAR_OUT = 1 - 1e-6

position = Vector("theta", domain=Interval(0, 1))
r = Vector("r", like=position)
force, friction = Symbol("force", positive=True), Symbol("C", positive=True)
MOMENTUM = mirror(
    Recipe(
        (position, r),
        total(force * position) + total(r**2) / 2,
        Matrix([[0, 0], [0, friction]]),
        Matrix([[0, -1], [1, 0]]),
    ),
    position,
)
FORCE, FRICTION = 3.0, 1.0
MEAN = 1 / FORCE - 1 / np.expm1(FORCE)  # of the law exp(-force theta) on (0, 1)
SCHEMES = {
    "BAOAB": "daoad",
    "semi-implicit": "semi-implicit",
}  # a force that is free of the position has the letter D
MOMENTUM_STEPS = (0.2, 0.1, 0.05)
BURN, LENGTH = 20.0, 80.0  # of time


def at_time(shape: float, step_size: float, time: float, chains: int, seed: int) -> np.ndarray:
    """Where the chains are after this time."""
    start = np.random.default_rng(seed).gamma(shape, SCALE, chains)
    steps = round(time / step_size)
    draws = sample(
        LANGEVIN,
        scheme="euler",
        step_size=step_size,
        steps=steps,
        warmup=steps - 1,
        params={"shape": shape, "rate": 1 / SCALE},
        initial={theta.name: start},
        lengths={theta: chains},
        chains=1,
        seed=seed,
        progress=False,
    )
    if draws.divergences:
        raise SystemExit(str(draws.divergences[0]))
    return np.asarray(draws[theta.name]).ravel()


def row(shape: float, step_size: float, time: float, chains: int, seed: int) -> list[str]:
    """A line of the table."""
    values, law = at_time(shape, step_size, time, chains, seed), stats.gamma(shape, scale=SCALE)
    distance = stats.kstest(values, law.cdf).statistic
    far = int((values > law.ppf(FAR_OUT)).sum())
    return [
        f"{shape:g}",
        f"{time:g}",
        f"{step_size:g}",
        f"{distance:.4f}",
        f"{np.median(values):.4f}",
        f"{law.median():.4f}",
        f"{values.mean():.4g}",
        f"{law.mean():g}",
        f"{100 * far / chains:.3g} %",
    ]


def momentum_row(scheme: str, step_size: float, chains: int, seed: int) -> list[str]:
    """A line of the second table: two means with standard errors over independent chains."""
    burn, steps = round(BURN / step_size), round((BURN + LENGTH) / step_size)
    draws = sample(
        MOMENTUM,
        scheme=SCHEMES[scheme],
        step_size=step_size,
        steps=steps,
        warmup=burn,
        params={"force": FORCE, "C": FRICTION},
        initial={"theta": np.full(chains, MEAN)},
        lengths={position: chains},
        keep="all",
        chains=1,
        seed=seed,
        progress=False,
    )
    if draws.divergences:
        raise SystemExit(str(draws.divergences[0]))
    means = [
        np.asarray(e).reshape(-1, chains).mean(axis=0)
        for e in (draws["theta"], np.asarray(draws["r"]) ** 2)
    ]
    found = [f"{m.mean():.4f} ± {m.std(ddof=1) / chains**0.5:.4f}" for m in means]
    return [scheme, f"{step_size:g}", found[0], f"{MEAN:.4f}", found[1], "1"]


def main() -> None:
    """Print the tables, as text or for a page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chains", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--markdown", action="store_true", help="print the tables of docs/boundaries.md"
    )
    given = parser.parse_args()
    head = ["shape", "time", "step", "KS", "median", "exact", "mean", "exact", "far out"]
    rows = [row(a, h, t, given.chains, given.seed) for a in SHAPES for t in TIMES for h in STEPS]
    title = (
        f"reflected Langevin dynamics, {given.chains} chains, KS of exact draws about"
        f" {0.87 / given.chains**0.5:.4f}"
    )
    show(title, head, rows, given.markdown)
    head = ["scheme", "step", "mean", "exact", "mean of r^2", "exact"]
    rows = [
        momentum_row(scheme, h, given.chains // 20, given.seed)
        for scheme in SCHEMES
        for h in MOMENTUM_STEPS
    ]
    show(
        f"reflected momentum methods, force {FORCE:g} on (0, 1), C = {FRICTION:g}",
        head,
        rows,
        given.markdown,
    )


def show(title: str, head: list[str], rows: list[list[str]], markdown: bool) -> None:
    """Print a table."""
    if markdown:
        print(
            "\n".join(f"| {' | '.join(line)} |" for line in [head, ["---"] * len(head), *rows]),
            end="\n\n",
        )
        return
    table = Table(title=title)
    for column in head:
        table.add_column(column, justify="right")
    for line in rows:
        table.add_row(*line)
    Console().print(table)


if __name__ == "__main__":
    main()
