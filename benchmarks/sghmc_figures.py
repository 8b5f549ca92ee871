"""Figures 1 and 3a of Chen, Fox & Guestrin (2014), "Stochastic gradient Hamiltonian Monte Carlo",
from the settings of the released code, beside the exact stationary law of each discrete chain where
that is normal.

Figure 1: ``U = x^4 - 2 x^2`` and ``x^2 / 2``, step 0.1, 50 steps between two draws of the momentum,
friction 3, gradient noise N(0, 2^2), of which V = 4 is known (B = V dt / 2). 80,000 draws; here
each is the end of a chain of its own. Figure 3a: a normal law of two coordinates with correlation
0.9, gradient noise N(0, 1), 50,000 steps; five settings each for SGLD and SGHMC.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from exact_laws import (
    Map,
    autocorrelation_time,
    autocorrelation_time_of_squares,
    bins_of,
    kullback_leibler,
    line_law,
    stationary_covariance,
)
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter
from rich.console import Console
from rich.table import Table
from sympy import Expr, Rational, Symbol, sqrt

from codegen import sample
from recipe import Noise, Update, Vector, total

x = Vector("x")
y, p, q, n = (Vector(name, like=x) for name in ("y", "p", "q", "n"))
h, friction = Symbol("h", positive=True), Symbol("friction", positive=True)
C, V = 3, 4
STEP, REFRESH = 0.1, 50
POTENTIALS = {"double-well": lambda z: z**4 - 2 * z**2, "gaussian": lambda z: z**2 / 2}
EDGES = np.linspace(-3.05, 3.05, 62)  # of the bins around -3, -2.9, ..., 3
RHO, WINDOW = 0.9, 2000
COVARIANCE = np.array([[1, RHO], [RHO, 1]])
SETTINGS: dict[str, list[tuple[float, float | None]]] = {
    "SGLD": [(0.18 * 0.8**i, None) for i in range(5)],
    "SGHMC": [(0.05 * 0.36**i, 0.05 * 0.6**i) for i in range(5)],
}


# -- figure 1
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Histogram:
    """What one sampler drew; ``discrete`` is the exact stationary variance of the discrete chain,
    where it is linear.
    """

    potential: str
    sampler: str
    variance: float
    error: float
    exact: float
    discrete: float | None
    divergence: float
    draws: int
    counts: list[int]


def samplers(U: Expr) -> dict[str, Update]:
    """One step each. n is the noise of the gradient at x, which a step of leapfrog shares with the
    next one.
    """
    H, w = total(U) + total(p**2) / 2 + total(n**2) / 2, Noise("w", like=x)

    def leapfrog(name: str, V: int) -> Update:
        half = (p, p - h * (U.diff(x) + sqrt(V) * n) / 2)
        return Update(h, [half, (x, x + h * p), (n, w), half], H, name=name)

    v = Noise("v", like=x)
    drag = -h * C * p + sqrt(2 * (C - V * h / 2) * h) * v
    sghmc = [(n, w), (p, p - h * (U.diff(x) + sqrt(V) * n) + drag), (x, x + h * p)]
    return {
        "HMC, exact gradient": leapfrog("hmc", 0),
        "HMC, noisy gradient": leapfrog("naive", V),
        "SGHMC": Update(h, sghmc, H, name="sghmc"),
    }


def maps_between_draws(sampler: str) -> list[Map]:
    """What happens for ``U = x^2 / 2`` from one draw of the momentum to the next, as matrices on
    (x, p, n).
    """
    sd = 0.0 if sampler == "HMC, exact gradient" else V**0.5
    drift = _map([[1, STEP, 0], [0, 1, 0], [0, 0, 1]])
    fresh = _map([[1, 0, 0], [0, 1, 0], [0, 0, 0]], n=1.0)
    if sampler == "SGHMC":
        kick = _map(
            [[1, 0, 0], [-STEP, 1 - STEP * C, -STEP * sd], [0, 0, 1]],
            p=2 * (C - V * STEP / 2) * STEP,
        )
        one = [fresh, kick, drift]
    else:
        half = _map([[1, 0, 0], [-STEP / 2, 1, -STEP / 2 * sd], [0, 0, 1]])
        one = [half, drift, fresh, half]
    return [_map([[1, 0, 0], [0, 0, 0], [0, 0, 0]], p=1.0, n=1.0), *one * REFRESH]


def _map(matrix: list[list[float]], p: float = 0.0, n: float = 0.0) -> Map:
    return np.array(matrix, dtype=float), np.diag([0.0, p, n])


def ends_of_chains(update: Update, chains: int, rounds: int) -> np.ndarray:
    """Positions of many chains, a coordinate each, after some rounds of steps with a fresh momentum
    each.
    """
    rng = np.random.default_rng(7)
    at = rng.choice([-1.0, 1.0], chains)
    for k in range(rounds):
        drawn = sample(
            update,
            step_size=STEP,
            steps=REFRESH,
            thin=REFRESH,
            chains=1,
            seed=k,
            lengths={x: chains},
            keep=[x],
            unproved=True,  # the naive one is no sampler, and the noise of gradients is a block
            initial={x: at, p: rng.standard_normal(chains), n: rng.standard_normal(chains)},
            progress=False,
        )
        at = drawn[x][0, -1]
    return at


def figure_1(potentials: list[str], draws: int, rounds: int) -> list[Histogram]:
    found = []
    for potential in potentials:
        U = POTENTIALS[potential]
        nodes, weights = line_law(U)
        for name, update in samplers(U(x)).items():
            at = ends_of_chains(update, draws, rounds)
            counts = np.histogram(at, EDGES)[0]
            S = stationary_covariance(maps_between_draws(name)) if potential == "gaussian" else None
            found.append(
                Histogram(
                    potential=potential,
                    sampler=name,
                    variance=float(np.mean(at**2)),
                    error=float(np.std(at**2) / np.sqrt(at.size)),
                    exact=float(weights @ nodes**2),
                    discrete=None if S is None else float(S[0, 0]),
                    divergence=kullback_leibler(counts / counts.sum(), bins_of(U, EDGES)),
                    draws=draws,
                    counts=counts.tolist(),
                )
            )
    return found


def table_1(found: list[Histogram]) -> Table:
    shown = Table(
        "U",
        "sampler",
        "variance",
        "of the discrete chain, exactly",
        "of exp(-U)",
        "KL of the bins",
        title="figure 1",
    )
    for f in found:
        discrete = "" if f.discrete is None else f"{f.discrete:.4f}"
        shown.add_row(
            f.potential,
            f.sampler,
            f"{f.variance:.4f} ± {f.error:.4f}",
            discrete,
            f"{f.exact:.4f}",
            f"{f.divergence:.4f}",
        )
    return shown


def plot_1(found: list[Histogram], path: Path) -> None:
    figure = Figure(figsize=(10, 4), layout="constrained")
    middle, width = (EDGES[1:] + EDGES[:-1]) / 2, EDGES[1] - EDGES[0]
    for axes, (potential, U) in zip(figure.subplots(1, 2), POTENTIALS.items(), strict=True):
        axes.plot(middle, bins_of(U, EDGES) / width, "k", linewidth=3, alpha=0.3, label="exp(-U)")
        for f in found:
            if f.potential == potential:
                axes.plot(
                    middle, np.array(f.counts) / f.draws / width, label=f.sampler, linewidth=1.2
                )
                if f.discrete is not None:
                    normal = np.exp(-(middle**2) / (2 * f.discrete)) / np.sqrt(
                        2 * np.pi * f.discrete
                    )
                    axes.plot(
                        middle,
                        normal,
                        ":k",
                        linewidth=1,
                        label="discrete, exact" if f.sampler == "SGHMC" else None,
                    )
        axes.set(xlabel="x", ylabel="density", title=potential)
        axes.legend(fontsize=8)
    figure.savefig(path, dpi=90)


# -- figure 3a
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Setting:
    """One setting: mean absolute errors of the four entries of the covariance, and integrated
    autocorrelation times in steps.

    ``one_chain`` is the mean over the chains of the error of each, what the paper shows; ``pooled``
    is the error of all chains together, ``discrete`` that of the exact stationary covariance of the
    discrete chain.
    """

    sampler: str
    eta: float
    alpha: float | None
    one_chain: float
    pooled: float
    discrete: float
    time: float
    discrete_time: float
    discrete_time_of_squares: float


def update_of(sampler: str) -> Update:
    """The rule of the released code. For SGHMC the momentum is r = p / h, with eta = h^2 and alpha
    = h C.
    """
    cross, rest = Rational(9, 10), 1 - Rational(81, 100)
    U = total(x**2 - 2 * cross * x * y + y**2) / (2 * rest)
    slopes = {
        x: (x - cross * y) / rest + Noise("n_x", like=x),
        y: (y - cross * x) / rest + Noise("n_y", like=x),
    }
    noises = {b: Noise(f"w_{b.name}", like=x) for b in slopes}
    if sampler == "SGLD":
        rule = {b: b - h * g + sqrt(2 * h * (1 - h / 2)) * noises[b] for b, g in slopes.items()}
        return Update(h, rule, U, name="sgld")
    kicks = [
        (r, r - h * slopes[b] - h * friction * r + sqrt(2 * h * (friction - h / 2)) * noises[b])
        for b, r in ((x, p), (y, q))
    ]
    return Update(
        h, [*kicks, (x, x + h * p), (y, y + h * q)], U + total(p**2 + q**2) / 2, name="sghmc"
    )


def maps_of(eta: float, alpha: float | None) -> list[Map]:
    """The same step as matrices, with eta and alpha: on (x, y), or on (x, y, p, q)."""
    P, one, none = np.linalg.inv(COVARIANCE), np.eye(2), np.zeros((2, 2))
    if alpha is None:
        return [(one - eta * P, 2 * eta * one)]
    kick = (
        np.block([[one, none], [-eta * P, (1 - alpha) * one]]),
        np.block([[none, none], [none, 2 * eta * alpha * one]]),
    )
    return [kick, (np.block([[one, one], [none, one]]), np.zeros((4, 4)))]


def figure_3a(steps: int, chains: int) -> list[Setting]:
    every = [(sampler, *pair) for sampler, pairs in SETTINGS.items() for pair in pairs]
    return [
        setting(sampler, eta, alpha, steps, chains, seed)
        for seed, (sampler, eta, alpha) in enumerate(every)
    ]


def setting(
    sampler: str, eta: float, alpha: float | None, steps: int, chains: int, seed: int
) -> Setting:
    """Chains start in an exact draw of the target."""
    start = np.linalg.cholesky(COVARIANCE) @ np.random.default_rng(seed).standard_normal(
        (2, chains)
    )
    size = eta if alpha is None else np.sqrt(eta)
    drawn = sample(
        update_of(sampler),
        step_size=size,
        steps=steps,
        chains=1,
        seed=seed,
        lengths={x: chains},
        keep=[x, y],
        progress=False,
        params=None if alpha is None else {friction: alpha / size},
        initial=dict(zip((x, y), start, strict=True)),
    )
    z = np.stack([drawn[x][0], drawn[y][0]])  # coordinate, step, chain
    each = np.einsum("ant,bnt->tab", z, z) / steps
    maps = maps_of(eta, alpha)
    return Setting(
        sampler=sampler,
        eta=eta,
        alpha=alpha,
        one_chain=float(np.abs(each - COVARIANCE).mean()),
        pooled=float(np.abs(each.mean(0) - COVARIANCE).mean()),
        discrete=float(np.abs(stationary_covariance(maps)[:2, :2] - COVARIANCE).mean()),
        time=measured_time(z[0]),
        discrete_time=autocorrelation_time(maps),
        discrete_time_of_squares=autocorrelation_time_of_squares(maps),
    )


def measured_time(z: np.ndarray) -> float:
    """``1 + 2 (sum of the correlations)`` up to the lag ``WINDOW``, of the mean over chains.

    The correlations of SGHMC go below zero and back, so that a window that ends with the sum would
    end too early.
    """
    length = 2 ** int(np.ceil(np.log2(2 * len(z))))
    power = np.mean([np.abs(np.fft.rfft(chain, length)) ** 2 for chain in z.T], axis=0)
    correlation = np.fft.irfft(power)[: len(z)] / np.arange(len(z), 0, -1)
    return float(2 * np.sum(correlation[:WINDOW]) / correlation[0] - 1)


def table_3a(found: list[Setting]) -> Table:
    columns = (
        "sampler",
        "eta",
        "alpha",
        "one chain",
        "all chains",
        "discrete, exactly",
        "time",
        "exactly",
        "of squares",
    )
    shown = Table(
        *columns,
        title="figure 3a: mean absolute error of the covariance, and autocorrelation time in steps",
    )
    for f in found:
        errors = (f"{e:.4f}" for e in (f.one_chain, f.pooled, f.discrete))
        alpha = "" if f.alpha is None else f"{f.alpha:.4f}"
        shown.add_row(
            f.sampler,
            f"{f.eta:.5f}",
            alpha,
            *errors,
            f"{f.time:.1f}",
            f"{f.discrete_time:.1f}",
            f"{f.discrete_time_of_squares:.1f}",
        )
    return shown


def plot_3a(found: list[Setting], path: Path) -> None:
    figure = Figure(figsize=(6.5, 4.5), layout="constrained")
    axes = figure.subplots()
    for sampler, colour in zip(SETTINGS, ("C3", "C0"), strict=True):
        line = [f for f in found if f.sampler == sampler]
        axes.plot(
            [f.time for f in line],
            [f.one_chain for f in line],
            "o-",
            color=colour,
            label=f"{sampler}, one chain",
        )
        axes.plot(
            [f.time for f in line],
            [f.pooled for f in line],
            "x",
            color=colour,
            label=f"{sampler}, all chains",
        )
        exact = [(f.discrete_time, f.discrete) for f in line]
        axes.plot(
            *zip(*exact, strict=True),
            ":",
            color=colour,
            label=f"{sampler}, discrete chain, exactly",
        )
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="autocorrelation time in steps",
        ylabel="mean absolute error of the covariance",
    )
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xticks([3, 5, 10, 20, 50], minor=False)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=90)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=80_000, help="of figure 1")
    parser.add_argument(
        "--rounds", type=int, default=12, help="of 50 steps before each draw of figure 1"
    )
    parser.add_argument("--steps", type=int, default=50_000, help="of figure 3a")
    parser.add_argument("--chains", type=int, default=100, help="of figure 3a")
    parser.add_argument(
        "--quick", action="store_true", help="x^2 / 2 only in figure 1, and few draws"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--plot", type=Path, metavar="FOLDER", help="where to draw both figures")
    options = parser.parse_args(arguments)
    if options.quick:
        options.draws, options.rounds, options.steps = 20_000, 4, 10_000
    potentials = ["gaussian"] if options.quick else list(POTENTIALS)
    one, three = (
        figure_1(potentials, options.draws, options.rounds),
        figure_3a(options.steps, options.chains),
    )
    if options.plot:
        options.plot.mkdir(parents=True, exist_ok=True)
        plot_1(one, options.plot / "sghmc-1.png")
        plot_3a(three, options.plot / "sghmc-3a.png")
    if options.json:
        json.dump(
            {"figure 1": [asdict(f) for f in one], "figure 3a": [asdict(f) for f in three]},
            sys.stdout,
            indent=2,
        )
        print()
        return 0
    for shown in (table_1(one), table_3a(three)):
        Console().print(shown)
    return 0


if __name__ == "__main__":
    sys.exit(main())
