"""Figure 2 of Ma, Chen & Fox (2015), "A complete recipe for stochastic gradient MCMC".

Left: Kullback-Leibler divergence of four samplers on ``U1 = theta^2 / 2`` and ``U2 = theta^4 - 2
theta^2``: SGLD, SGHMC, gSGRHMC (``catalog/sgrhmc``), and the naive gSGRHMC of equation (16), which
leaves Gamma out. The exact law of the naive one for small steps, exp(-U) G^(1/2), is beside it, and
so is what the verifier says of each. Right: SGLD, SGHMC and gSGRHMC on a target in the plane:
paths, and the divergence, after a number of steps, of the law of many chains that start at one
point. That is not the quantity of the paper's right panel: ``recipe_figure_2_chain.py``.

The metric is ``1 / G = 1.5 sqrt(U + C)`` with C = 1.5. The paper gives none; its supplement, which
we have not read, is said to have C = 0.5: U2 goes down to -1, so that 1 / G would be zero where U2
= -C, and its derivative, which Gamma needs, not bounded there. The noise of the gradient is N(0,
1), and compensated.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Container, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from exact_laws import bins_of, kullback_leibler, plane_bins, quantiles
from matplotlib.figure import Figure
from sympy import Expr, Matrix, Rational, S, Symbol, eye, sqrt, zeros

from catalog.sghmc import sghmc
from catalog.sgld import sgld
from catalog.sgrhmc import U, r, theta, with_metric
from codegen import sample
from recipe import Noise, Potential, Recipe, Update, Vector, bind, discretise, grad, total
from recipe.language.variance import gradient_variance
from verify import verify

VARIANCE, FRICTION, C, SCALE = 1, 1, Rational(3, 2), Rational(3, 2)
h = Symbol("h", positive=True)
# U and U + C, the latter as a sum that is seen to be positive
LINE = {
    "U1": (theta**2 / 2, theta**2 / 2 + C),
    "U2": (theta**4 - 2 * theta**2, (theta**2 - 1) ** 2 + C - 1),
}
NUMERIC = {"U1": lambda z: z**2 / 2, "U2": lambda z: z**4 - 2 * z**2}
WRITTEN = {"U1": "theta^2 / 2", "U2": "theta^4 - 2 theta^2"}
EXACT = "KL of the exact law for small steps"
STEPS = {"SGLD": 0.01, "SGHMC": 0.1, "naive gSGRHMC": 0.01, "gSGRHMC": 0.01}
EDGES = {"U1": np.linspace(-4, 4, 81), "U2": np.linspace(-2.2, 2.2, 81)}
GROUPS = 20  # of independent chains, for the jackknife
x = Vector("x")
y, p, q = (Vector(name, like=x) for name in ("y", "p", "q"))
U_plane = Potential("U", x, y)
PLANE = x**4 / 10 + (4 * (y + Rational(6, 5)) - x**2) ** 2 / 2
PATHS, POINTS = {"SGLD": "C3", "SGHMC": "C2", "gSGRHMC": "C0"}, (10, 20, 50, 100, 200, 500, 1000)
PLANE_STEPS = (0.01, 0.05, 0.05)  # in the order of PATHS
CELLS = (np.linspace(-3.6, 3.6, 37), np.linspace(-2.2, 2.6, 33))
START, EVERY = (0.0, -1.2), 20


def with_noisy_gradients(update: Update, V: Potential, u: Expr) -> Update:
    """The rule with the potential u, a gradient with normal noise, and the variance of that noise
    known.
    """
    known: dict[Expr, Expr] = {V: total(u)}
    for b in V.blocks:
        known[grad(V, b)] = u.diff(b) + sqrt(VARIANCE) * Noise(f"n_{b.name}", like=b)
        known[gradient_variance(V, b)] = S(VARIANCE)
    rule = [(b, e.xreplace(known)) for b, e in update.rule]
    return Update(
        update.step,
        rule if update.sequential else dict(rule),
        update.target.xreplace(known),
        name=update.name,
    )


# -- left
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bar:
    """A divergence by a histogram of draws, less its bias, with its error by the jackknife;
    ``exact`` that of the exact law of the continuous process, and ``verdict`` what is proved of it.
    """

    potential: str
    sampler: str
    verdict: str
    step: float
    divergence: float
    error: float
    exact: float


def left(
    potentials: list[str], work: float, width: int, names: Container[str] = tuple(STEPS)
) -> list[Bar]:
    found = []
    for name in potentials:
        u, positive = LINE[name]
        target = bins_of(NUMERIC[name], EDGES[name])
        samplers = {
            "SGLD": sgld,
            "SGHMC": sghmc,
            "naive gSGRHMC": naive(positive),
            "gSGRHMC": with_metric(metric(positive)),
        }
        for sampler, what in samplers.items():
            if sampler not in names:
                continue
            verdict = verify(
                bind(what, {U: total(u)}) if isinstance(what, Recipe) else what
            ).verdict.value
            step = (
                discretise(what, "semi-implicit", compensate=True)
                if isinstance(what, Recipe)
                else naive(positive, VARIANCE)
            )
            counts = histograms(with_noisy_gradients(step, U, u), STEPS[sampler], name, work, width)
            value, error = divergence(counts, target)
            exact = kullback_leibler(naive_law(name), target) if sampler == "naive gSGRHMC" else 0.0
            found.append(Bar(name, sampler, verdict, STEPS[sampler], value, error, exact))
    return found


def metric(positive: Expr) -> Expr:
    """G, of U + C."""
    return 1 / (SCALE * sqrt(positive))


def naive(positive: Expr, noise_of_gradient: int = 0) -> Update:
    """Equation (16): gSGRHMC without Gamma. Where the gradient is noisy, as much less noise is
    added.
    """
    G, w = metric(positive), Noise("w", like=r)
    moved = (
        r - h * grad(U, theta) / sqrt(G) - h * r / G + sqrt(h / G * (2 - h * noise_of_gradient)) * w
    )
    return Update(
        h, [(r, moved), (theta, theta + h * r / sqrt(G))], U + total(r**2) / 2, name="naive"
    )


def naive_law(name: str) -> np.ndarray:
    """The bins of ``exp(-U) G^(1/2)``, with G proportional to ``(U + C)^(-1/2)``."""
    u = NUMERIC[name]
    return bins_of(lambda z: u(z) + np.log(u(z) + float(C)) / 4, EDGES[name])


def histograms(update: Update, size: float, name: str, work: float, width: int) -> np.ndarray:
    """Counts by group of chains and bin; the chains start at exact draws."""
    rng, draws = np.random.default_rng(5), 101
    thin = max(1, round(work / (2 * width * draws)))
    start = {
        theta: (
            rng.permutation(
                quantiles(NUMERIC[name], (np.arange(2 * width) + 0.5) / (2 * width))
            ).reshape(2, width)
        )
    }
    drawn = sample(
        update,
        step_size=size,
        steps=draws * thin,
        thin=thin,
        chains=2,
        lengths={theta: width},
        keep=[theta],
        unproved=True,  # the naive one, whose verdict stands beside its bar
        progress=False,
        params=dict.fromkeys(update.parameters, FRICTION),
        initial=start | {b: rng.standard_normal((2, width)) for b in update.state if b != theta},
    )
    groups = drawn[theta][:, 1:].transpose(0, 2, 1).reshape(GROUPS, -1)
    return np.array([np.histogram(g, EDGES[name])[0] for g in groups])


def divergence(counts: np.ndarray, target: np.ndarray) -> tuple[float, float]:
    """Of the law of the draws from the target: less its bias, and its error, by leaving out one
    group at a time.
    """
    total, n = counts.sum(0), len(counts)
    whole = kullback_leibler(total / total.sum(), target)
    left_out = np.array([kullback_leibler((total - c) / (total - c).sum(), target) for c in counts])
    return float(n * whole - (n - 1) * left_out.mean()), float(np.sqrt((n - 1) * left_out.var()))


def table_left(found: list[Bar]) -> str:
    """One row a bar."""
    heads = ("U", "sampler", "stationarity", "step", "KL of the draws", EXACT)
    lines = [f"| {' | '.join(heads)} |", "| --- " * len(heads) + "|"]
    for b in found:
        drawn = f"{b.divergence:z.5f} ± {b.error:.5f}"
        exact = f"{b.exact:.5f}" if b.exact else "0"
        cells = (WRITTEN[b.potential], b.sampler, shown(b.verdict), f"{b.step:g}", drawn, exact)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def shown(verdict: str) -> str:
    """What is refuted stands out."""
    return f"**{verdict}**" if verdict == "refuted" else verdict


def plot_left(found: list[Bar], path: Path) -> None:
    figure = Figure(figsize=(7.5, 4), layout="constrained")
    axes = figure.subplots()
    verdicts = {b.sampler: b.verdict for b in found}
    for b in found:
        at = list(verdicts).index(b.sampler) + (0.2 if b.potential == "U2" else -0.2)
        axes.bar(
            at,
            b.divergence,
            0.36,
            yerr=2 * b.error,
            capsize=2,
            color="C0" if b.potential == "U1" else "C1",
        )
        if b.exact:
            axes.plot(
                [at - 0.22, at + 0.22],
                [b.exact] * 2,
                "k",
                label="its exact law" if b.potential == "U1" else None,
            )
    axes.set_xticks(range(len(verdicts)), [f"{s}\n{v}" for s, v in verdicts.items()])
    axes.set(ylabel="Kullback-Leibler divergence", title="blue: U1, orange: U2")
    axes.legend()
    figure.savefig(path, dpi=90)


# -- right
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Exploration:
    """How far the law of many chains that start at one point is from the target, after so many
    steps; and one chain's path.
    """

    sampler: str
    verdict: str
    step: float
    divergences: dict[int, tuple[float, float]]
    path: list[list[float]]


def recipes_in_the_plane() -> dict[str, Recipe]:
    """The same three; 1 / G = 1.5 sqrt(U + C) for both coordinates."""
    H, root = U_plane + total(p**2 + q**2) / 2, 1 / sqrt(metric(PLANE + C))
    found = {"SGLD": Recipe((x, y), U_plane, eye(2), zeros(2), name="sgld")}
    for name, friction, coupling in (("SGHMC", S(FRICTION), S.One), ("gSGRHMC", root**2, root)):
        D, Q = zeros(4), zeros(4)
        D[2:, 2:], Q[2:, :2], Q[:2, 2:] = friction * eye(2), coupling * eye(2), -coupling * eye(2)
        found[name] = Recipe((x, y, p, q), H, Matrix(D), Matrix(Q), name=name)
    return found


def right(steps: Mapping[str, float], width: int) -> list[Exploration]:
    found = []
    target = plane_bins(*CELLS).ravel()
    made_by = recipes_in_the_plane()
    for name, size in steps.items():
        made = made_by[name]
        update = with_noisy_gradients(
            discretise(made, "semi-implicit", compensate=True), U_plane, PLANE
        )
        verdict = verify(bind(made, {U_plane: total(PLANE)})).verdict.value
        path = moved(update, size, started(update, 1), 10 * EVERY, EVERY, seed=1)
        at, divergences = started(update, width), {}
        for seed, (begin, end) in enumerate(pairwise((0, *POINTS))):
            at = {
                b: z[-1] for b, z in moved(update, size, at, end - begin, end - begin, seed).items()
            }
            groups = zip(*(np.split(at[b], GROUPS) for b in (x, y)), strict=True)
            counts = np.array([np.histogram2d(*g, CELLS)[0].ravel() for g in groups])
            divergences[end] = divergence(counts, target)
        steps = [START, *zip(*(path[b][:, 0].tolist() for b in (x, y)), strict=True)]
        found.append(Exploration(name, verdict, size, divergences, [list(z) for z in steps]))
    return found


def started(update: Update, width: int) -> dict[Vector, np.ndarray]:
    """All chains at one point, with momenta of their own."""
    rng = np.random.default_rng(11)
    first = dict(zip((x, y), START, strict=True))
    return {
        b: np.full(width, first[b]) if b in first else rng.standard_normal(width)
        for b in update.state
    }


def moved(
    update: Update, size: float, at: Mapping[Vector, np.ndarray], steps: int, thin: int, seed: int
) -> dict[Vector, np.ndarray]:
    """The draws of every block, of the shape (draws, width)."""
    drawn = sample(
        update,
        step_size=size,
        steps=steps,
        thin=thin,
        chains=1,
        seed=seed,
        initial=at,
        lengths={x: at[x].size},
        progress=False,
    )
    if drawn.divergences:
        raise SystemExit(f"{update.name}: {drawn.divergences[0]}")
    return {b: drawn[b][0] for b in update.state}


def table_right(found: list[Exploration]) -> str:
    """One row a sampler."""
    heads = ("sampler", "stationarity", "step", *map(str, POINTS))
    lines = [f"| {' | '.join(heads)} |", "| --- " * len(heads) + "|"]
    for f in found:
        values = (f"{value:z.4f} ± {error:.4f}" for value, error in f.divergences.values())
        lines.append(f"| {' | '.join((f.sampler, shown(f.verdict), f'{f.step:g}', *values))} |")
    return "\n".join(lines)


def plot_right(found: list[Exploration], path: Path) -> None:
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    across, up = np.linspace(-3.2, 3.2, 200)[:, None], np.linspace(-2, 2, 200)[None, :]
    U = across**4 / 10 + (4 * (up + 1.2) - across**2) ** 2 / 2
    left.contour(across[:, 0], up[0], np.exp(-U).T, levels=8, colors="0.75", linewidths=0.8)
    for f in found:
        left.plot(
            *zip(*f.path, strict=True),
            "o-",
            color=PATHS[f.sampler],
            markersize=3,
            linewidth=1,
            label=f.sampler,
        )
        value, error = np.array(list(f.divergences.values())).T
        right.errorbar(
            POINTS,
            value,
            2 * error,
            fmt="o-",
            color=PATHS[f.sampler],
            markersize=3,
            capsize=2,
            label=f.sampler,
        )
    left.set(xlabel="x", ylabel="y", title=f"ten points of one chain, every {EVERY} steps")
    right.set(
        xscale="log",
        yscale="log",
        xlabel="steps",
        ylabel="Kullback-Leibler divergence",
        title="law of many chains",
    )
    left.legend()
    right.legend()
    figure.savefig(path, dpi=90)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--work", type=float, default=4e8, help="updates of coordinates a bar of the left part"
    )
    parser.add_argument(
        "--width", type=int, default=20_000, help="coordinates of a chain of the left part"
    )
    parser.add_argument(
        "--plane-steps",
        type=float,
        nargs=3,
        default=PLANE_STEPS,
        metavar="STEP",
        help=f"of {', '.join(PATHS)}",
    )
    parser.add_argument("--chains", type=int, default=400_000, help="of the right part")
    parser.add_argument(
        "--samplers", nargs="+", choices=list(STEPS), default=list(STEPS), help="of both parts"
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="U2 only in the left part, gSGRHMC only in the right part, and few draws",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--plot", type=Path, metavar="FOLDER", help="where to draw both parts")
    options = parser.parse_args(arguments)
    if options.quick:
        options.work, options.width, options.chains = 1e7, 4000, 20_000
    chosen = ["gSGRHMC"] if options.quick else options.samplers
    steps = dict(zip(PATHS, options.plane_steps, strict=True))
    steps = {name: size for name, size in steps.items() if name in chosen}
    potentials, names = (["U2"], list(STEPS)) if options.quick else (list(LINE), chosen)
    bars = left(potentials, options.work, options.width, names)
    explored = right(steps, options.chains)
    if options.plot:
        options.plot.mkdir(parents=True, exist_ok=True)
        plot_left(bars, options.plot / "recipe-2-left.png")
        plot_right(explored, options.plot / "recipe-2-right.png")
    if options.json:
        json.dump(
            {"left": [asdict(b) for b in bars], "right": [asdict(f) for f in explored]},
            sys.stdout,
            indent=2,
        )
        print()
        return 0
    print(f"{table_left(bars)}\n\n{table_right(explored)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
