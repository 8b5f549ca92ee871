"""Bias of the variance of the position against the step size: six schemes, three targets.

Every sampler is a recipe that the library discretises and compiles. A block of N coordinates with a
separable H is N independent chains, so that the error bars come from N independent estimates;
chains start at exact draws of the target. ``discrete`` is the variance under the stationary law of
the discrete chain without sampling: of linear chains by their matrices (``exact_laws``), on the
double well by the transfer operator on a grid (``transfer``). Orders are what ``verify`` proves of
the law of the positions.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import transfer
from exact_laws import langevin_variance, line_law, plane_draws, plane_variances, quantiles
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter
from rich.console import Console
from rich.table import Table
from sympy import Expr, Matrix, Rational, Symbol, eye, sqrt, zeros

from catalog.sghmc import sghmc
from catalog.sgld import sgld
from codegen import sample
from recipe import Noise, Recipe, Update, Vector, derive, discretise, total
from verify.discrete.weak_order import invariant_order

C, FRICTION = Symbol("C", positive=True), 1.0
x = Vector("x")
y, p_x, p_y = (Vector(name, like=x) for name in ("y", "p_x", "p_y"))
MOMENTUM = {x: p_x, y: p_y}
DYNAMICS = {
    "overdamped": ("euler", "leimkuhler-matthews"),
    "momentum": ("euler", "semi-implicit", "baoab", "obabo"),
}
LOOKS = {
    "euler": "C3o",
    "semi-implicit": "C1s",
    "leimkuhler-matthews": "C0D",
    "baoab": "C0^",
    "obabo": "C2v",
}
RECORDS = 11  # of the running sums
NOTHING = 1e-9  # what is less than this is the rounding of an exact zero


@dataclass(frozen=True)
class Target:
    """A potential of some blocks, its variances by quadrature, and exact draws."""

    U: Expr
    variances: Mapping[Vector, float]
    draws: Callable[[int, np.random.Generator], tuple[np.ndarray, ...]]


@dataclass(frozen=True)
class Point:
    """One measurement; ``variance`` and its ``error`` are None where a chain left the finite
    numbers.
    """

    target: str
    dynamics: str
    scheme: str
    step: float
    block: str
    exact: float
    variance: float | None
    error: float | None
    discrete: float | None
    order: int

    @property
    def bias(self) -> float | None:
        """Relative."""
        return None if self.variance is None else self.variance / self.exact - 1

    @property
    def relative_error(self) -> float | None:
        return None if self.error is None else self.error / self.exact


def on_a_line(U: Callable) -> Target:
    nodes, weights = line_law(U)

    def draws(n: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        return (rng.permutation(quantiles(U, (np.arange(n) + rng.random(n)) / n)),)

    return Target(total(U(x)), {x: float(weights @ nodes**2)}, draws)


def targets() -> dict[str, Target]:
    in_the_plane = total(x**4 / 10 + (4 * (y + Rational(6, 5)) - x**2) ** 2 / 2)
    return {
        "gaussian": on_a_line(lambda z: z**2 / 2),
        "double-well": on_a_line(lambda z: z**4 - 2 * z**2),
        "plane": Target(
            in_the_plane, dict(zip((x, y), plane_variances(), strict=True)), plane_draws
        ),
    }


def steps_of(target: str, dynamics: str, scheme: str) -> tuple[float, ...]:
    """Explicit Euler with a momentum is stable for much smaller steps than the others."""
    if target == "gaussian":
        return (0.05, 0.1, 0.2, 0.4, 0.8)
    if dynamics == "momentum" and scheme == "euler":
        return (0.0025, 0.005, 0.01, 0.02)
    if dynamics == "momentum":
        return (
            (0.05, 0.1, 0.15, 0.2, 0.25)
            if target == "double-well"
            else (0.025, 0.05, 0.1, 0.15, 0.2)
        )
    return (
        (0.005, 0.01, 0.02, 0.04, 0.08)
        if target == "double-well"
        else (0.0025, 0.005, 0.01, 0.02, 0.04)
    )


def recipe_of(target: Target, dynamics: str) -> Recipe:
    """Langevin dynamics of these positions, overdamped or with momenta of unit mass."""
    n, positions = len(target.variances), tuple(target.variances)
    if dynamics == "overdamped":
        return Recipe(positions, target.U, eye(n), zeros(n), name="overdamped")
    momenta = tuple(MOMENTUM[b] for b in positions)
    kinetic = sum(total(p**2) for p in momenta) / 2
    D, Q = zeros(2 * n), zeros(2 * n)
    D[n:, n:], Q[n:, :n], Q[:n, n:] = C * eye(n), eye(n), -eye(n)
    return Recipe((*positions, *momenta), target.U + kinetic, Matrix(D), Matrix(Q), name="momentum")


def update_of(recipe: Recipe, scheme: str) -> Update:
    if scheme == "leimkuhler-matthews" and len(recipe.state) > 1:
        return leimkuhler_matthews(recipe)
    return discretise(recipe, scheme)


def leimkuhler_matthews(recipe: Recipe) -> Update:
    """The scheme for several blocks with D = 1, which the library has for one block only."""
    h = Symbol("h", positive=True)
    half, fresh = (
        {b: sqrt(h / 2) * Noise(f"{name}_{b.name}", like=b) for b in recipe.state}
        for name in ("w", "v")
    )
    at = {b: b + n for b, n in half.items()}
    drift = derive(recipe).dynamics.drift
    rule = {b: at[b] + h * drift[b].xreplace(at) + half[b] for b in recipe.state}
    return Update(
        h, rule, recipe.H, observe={b: b + n for b, n in fresh.items()}, name="overdamped"
    )


def with_sums(
    update: Update, blocks: tuple[Vector, ...]
) -> tuple[Update, list[tuple[Vector, Vector]]]:
    """The same chain with blocks that add up what is observed of each position, and its square:
    every step counts.
    """
    observed = dict(update.observe)
    sums = [(Vector(f"sum_{b.name}", like=b), Vector(f"squares_{b.name}", like=b)) for b in blocks]
    more = []
    for b, (first, second) in zip(blocks, sums, strict=True):
        more += [(first, first + observed.get(b, b)), (second, second + observed.get(b, b) ** 2)]
    rule = [*update.rule, *more]
    return Update(
        update.step, rule if update.sequential else dict(rule), update.target, name=update.name
    ), sums


def measured(
    target: Target, dynamics: str, scheme: str, step: float, *, work: float, width: int, seed: int
) -> list[tuple[float, float] | None]:
    """Variance and its standard error by position, of ``work`` updates of coordinates in two chains
    of ``width`` coordinates.
    """
    positions = tuple(target.variances)
    update, sums = with_sums(update_of(recipe_of(target, dynamics), scheme), positions)
    rng = np.random.default_rng(seed)
    first = {
        b: z.reshape(2, width) for b, z in zip(positions, target.draws(2 * width, rng), strict=True)
    }
    momenta = {b: rng.standard_normal((2, width)) for b in update.state if b in MOMENTUM.values()}
    thin = max(1, round(work / (2 * width * RECORDS)))
    found = sample(
        update,
        step_size=step,
        steps=RECORDS * thin,
        thin=thin,
        chains=2,
        seed=seed,
        params={"C": FRICTION} if momenta else None,
        initial=first | momenta,
        lengths={x: width},
        keep=[s for pair in sums for s in pair],
        unproved=True,  # a rule whose sums grow with every step has no limit
        progress=False,
    )
    if found.divergences:
        return [None] * len(positions)
    return [variance(found[a], found[b], (RECORDS - 1) * thin) for a, b in sums]


def variance(sums: np.ndarray, squares: np.ndarray, count: int) -> tuple[float, float]:
    """From running sums of the shape (chains, records, coordinates), the first record being the end
    of the warmup.
    """
    first, second = (((s[:, -1] - s[:, 0]) / count).ravel() for s in (sums, squares))
    mean = first.mean()
    each = (
        second - 2 * mean * first
    )  # the variance is the mean of these plus mean^2, to first order in the errors
    return float(second.mean() - mean**2), float(each.std(ddof=1) / np.sqrt(each.size))


def proved_order(dynamics: str, scheme: str) -> int:
    """Of the law of the position, for one coordinate and an abstract U."""
    found = invariant_order(discretise(sgld if dynamics == "overdamped" else sghmc, scheme))
    orders = {sgld.state: found.order} | {m.kept: m.order for m in found.marginals}
    return int(orders[sgld.state])


def discrete_variance(target: str, dynamics: str, scheme: str, step: float) -> float | None:
    if target == "gaussian":
        return langevin_variance(dynamics, scheme, step, FRICTION)
    return transfer.variance(dynamics, scheme, step, FRICTION) if target == "double-well" else None


def points(name: str, target: Target, options: argparse.Namespace) -> list[Point]:
    found = []
    for dynamics, schemes in DYNAMICS.items():
        for scheme in (s for s in schemes if s in options.schemes):
            order = proved_order(dynamics, scheme)
            for step in steps_of(name, dynamics, scheme):
                values = measured(
                    target,
                    dynamics,
                    scheme,
                    step,
                    work=options.work,
                    width=options.width,
                    seed=options.seed + len(found),
                )
                discrete = discrete_variance(name, dynamics, scheme, step)
                for (block, exact), value in zip(target.variances.items(), values, strict=True):
                    variance, error = value or (None, None)
                    found.append(
                        Point(
                            name,
                            dynamics,
                            scheme,
                            step,
                            block.name,
                            exact,
                            variance,
                            error,
                            discrete,
                            order,
                        )
                    )
    return found


def order_seen(found: list[Point]) -> tuple[float, float] | None:
    """The slope between the two smallest steps whose bias is four errors or more from zero, and its
    standard error.
    """
    clear = sorted(
        (p for p in found if p.bias is not None and abs(p.bias) > 4 * p.relative_error),
        key=lambda p: p.step,
    )[:2]
    if len(clear) < 2:
        return None
    one, two = clear
    errors = [p.relative_error / p.bias for p in clear]
    rise, run = np.log(abs(two.bias / one.bias)), np.log(two.step / one.step)
    return float(rise / run), float(np.hypot(*errors) / run)


def curves(found: list[Point]) -> dict[tuple[str, str, str], list[Point]]:
    """The points by dynamics, scheme and block."""
    by: dict[tuple[str, str, str], list[Point]] = {}
    for p in found:
        by.setdefault((p.dynamics, p.scheme, p.block), []).append(p)
    return by


def table(found: list[Point]) -> Table:
    shown = Table(
        "dynamics",
        "scheme",
        "position",
        "step: relative bias of the variance, percent (without sampling)",
        "order",
        title=found[0].target,
    )
    for (dynamics, scheme, block), line in curves(found).items():
        seen = order_seen(line)
        order = f"{seen[0]:.2f} ± {seen[1]:.2f}" if seen else "too small to see"
        shown.add_row(
            dynamics, scheme, block, ", ".join(map(cell, line)), f"{order} (proved {line[0].order})"
        )
    return shown


def cell(p: Point) -> str:
    exact = "" if p.discrete is None else f" ({100 * (p.discrete / p.exact - 1):.3f})"
    measured = (
        "not finite" if p.bias is None else f"{100 * p.bias:.3f} ± {100 * p.relative_error:.3f}"
    )
    return f"{p.step:g}: {measured}{exact}"


def plot(found: list[Point], folder: Path) -> None:
    """One picture a target: a panel for each dynamics and position."""
    panels = {(p.dynamics, p.block): None for p in found}
    rows = len({block for _, block in panels})
    figure = Figure(figsize=(10, 4.2 * rows), layout="constrained")
    axes = figure.subplots(rows, 2, squeeze=False, sharey="row")
    for k, (dynamics, block) in enumerate(panels):
        panel = axes[k % rows, k // rows]
        for (_, scheme, _), line in (
            (key, v) for key, v in curves(found).items() if (key[0], key[2]) == (dynamics, block)
        ):
            draw(panel, scheme, line)
        panel.set(
            xscale="log",
            yscale="log",
            xlabel="step size",
            ylabel=f"relative bias of var {block}",
            title=dynamics,
        )
        panel.xaxis.set_minor_formatter(NullFormatter())
        panel.set_xticks(sorted({p.step for p in found if p.dynamics == dynamics}), minor=False)
        panel.xaxis.set_major_formatter("{x:g}")
        panel.tick_params(axis="x", labelrotation=60)
        panel.legend(fontsize=8)
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / f"{found[0].target}.png", dpi=90)


def draw(axes: Axes, scheme: str, line: list[Point]) -> None:
    """Points with error bars (hollow: the variance is too small), a bound where there is nothing to
    see, and the proved slope.
    """
    look, order = LOOKS[scheme], line[0].order
    seen = [p for p in line if p.bias is not None and abs(p.bias) > 2 * p.relative_error]
    unseen = [p for p in line if p.bias is not None and p not in seen]
    axes.plot([], [], look, label=f"{scheme}, order {order}")
    for p in seen:
        filled = look[:2] if p.bias > 0 else "none"
        axes.errorbar(
            p.step,
            abs(p.bias),
            2 * p.relative_error,
            fmt=look,
            markerfacecolor=filled,
            capsize=2,
            markersize=5,
        )
    for p in unseen:
        bound = abs(p.bias) + 2 * p.relative_error
        axes.errorbar(p.step, bound, bound / 2, uplims=True, fmt="_", color=look[:2], alpha=0.5)
    exact = [(p.step, abs(p.discrete / p.exact - 1)) for p in line if p.discrete is not None]
    if exact and max(bias for _, bias in exact) > NOTHING:
        axes.plot(*zip(*exact, strict=True), color=look[:2], linewidth=1)
    by_errors = [
        next(((p.step, abs(p.bias)) for p in seen if abs(p.bias) > n * p.relative_error), None)
        for n in (10, 4)
    ]
    anchor = next((a for a in (*exact, *by_errors) if a and a[1] > NOTHING), None)
    if anchor:
        h = np.array([p.step for p in line])
        axes.plot(h, anchor[1] * (h / anchor[0]) ** order, ":", color=look[:2], linewidth=1.5)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    known = targets()
    parser.add_argument("--targets", nargs="+", choices=list(known), default=list(known))
    parser.add_argument("--schemes", nargs="+", choices=list(LOOKS), default=list(LOOKS))
    parser.add_argument("--work", type=float, default=3e8, help="updates of coordinates a point")
    parser.add_argument("--seed", type=int, default=0, help="of the first point; each has its own")
    parser.add_argument("--width", type=int, default=4000, help="coordinates of a chain")
    parser.add_argument(
        "--quick", action="store_true", help="the normal target, three schemes, few updates"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument(
        "--plot", type=Path, metavar="FOLDER", help="where to draw a picture for each target"
    )
    options = parser.parse_args(arguments)
    if options.quick:
        options.targets, options.work = ["gaussian"], 4e6
        options.schemes = ["leimkuhler-matthews", "semi-implicit", "baoab"]
    results = {name: points(name, known[name], options) for name in options.targets}
    if options.plot:
        for found in results.values():
            plot(found, options.plot)
    if options.json:
        json.dump([asdict(p) for found in results.values() for p in found], sys.stdout, indent=2)
        print()
        return 0
    for found in results.values():
        Console(width=None if sys.stdout.isatty() else 200).print(table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
