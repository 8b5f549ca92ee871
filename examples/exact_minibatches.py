"""Exact transitions with estimates from minibatches, and control variates for them.

python examples/exact_minibatches.py [--json] [--quick]

SCIR: the Kolmogorov-Smirnov distance of ``scir_figures.py``, plain and with control variates whose
centre is the mean of the posterior. Each at the best of its step sizes; a chain stops where an
estimate of a shape is not above 0. Log-normal: observations of log(theta), 1,000 of each of 20
coordinates; the standard deviation of log(theta) over that of the posterior, beside what is
derived, and the mean of theta over that of the posterior.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from dirichlet_posteriors import ALPHA, Case, dense, distance, sparse
from scir_figures import DRAWS, scir_of
from sympy import Interval, Matrix, Symbol, log, oo

from codegen import sample
from recipe import Data, Parameter, Posterior, Potential, Recipe, Vector, total

BATCHES, STEPS = (1, 10, 100), (0.5, 0.1, 0.05, 0.01)
CASES = {"sparse": sparse, "dense": dense}
ROWS, COORDINATES, KEPT = 1000, 20, 20_000
SIZES = (1e-2, 1e-3, 1e-4)
theta = Vector("theta", domain=Interval.open(0, oo))
U = Potential("U", theta)
LOGNORMAL = Recipe(theta, U, D=Matrix([[theta**2]]), Q=Matrix([[0]]))


@dataclass(frozen=True)
class Shapes:
    """SCIR on one posterior at its best step size; ``step`` is None where at every step size some
    chain stopped, ``stopped`` the smallest number of such chains.
    """

    case: str
    batch: int
    controlled: bool
    step: float | None
    distance: float | None
    stopped: int


@dataclass(frozen=True)
class LogNormal:
    """The log-normal posterior at one step size: standard deviations of log(theta) and means of
    theta, over those of the posterior and averaged over coordinates.
    """

    step: float
    batch: int
    controlled: bool
    deviation: float
    derived: float | None
    mean: float


def scir(case: Case, step: float, batch: int, controlled: bool) -> tuple[float, int]:
    """The mean distance of the chains, and how many stopped."""
    more = {"control_variates": {"theta": case.shapes}} if controlled else {}
    found = sample(
        scir_of(case),
        scheme="exact",
        step_size=step,
        steps=case.warmup + DRAWS,
        warmup=case.warmup,
        chains=len(case.starts),
        seed=batch,
        batch_size=batch,
        params={"alpha": ALPHA},
        initial={"theta": case.starts},
        progress=False,
        **more,
    )
    if found.divergences:
        return np.nan, len(found.divergences)
    return float(np.mean([distance(chain, case.shapes) for chain in found["theta"]])), 0


def shapes(name: str, batch: int, controlled: bool) -> Shapes:
    """The best step size for one way to estimate."""
    cases = CASES[name]((5,))
    found = {h: [scir(case, h, batch, controlled) for case in cases] for h in STEPS}
    stopped = {h: sum(s for _, s in runs) for h, runs in found.items()}
    whole = {h: float(np.mean([d for d, _ in found[h]])) for h in STEPS if not stopped[h]}
    if not whole:
        return Shapes(name, batch, controlled, None, None, min(stopped.values()))
    best = min(whole, key=whole.__getitem__)
    return Shapes(name, batch, controlled, best, whole[best], 0)


def observations() -> np.ndarray:
    """Of log(theta), with the standard deviation 1."""
    rng = np.random.default_rng(3)
    return rng.normal(rng.normal(size=COORDINATES), size=(ROWS, COORDINATES))


def law(z: np.ndarray) -> Posterior:
    """Its prior is log-normal with the standard deviation s; the square of the likelihood has no
    data, and stands there as well.
    """
    data, s = Data("z", like=theta), Symbol("s", positive=True)
    N = Parameter("N", positive=True)
    square = log(theta) ** 2 / (2 * s**2) + N * log(theta) ** 2 / 2
    return Posterior(theta, total(data * log(theta)), -total(log(theta) + square), {data: z})


def lognormal(step: float, batch: int, controlled: bool) -> LogNormal:
    """Four chains from the mode of log(theta)."""
    z = observations()
    precision = 1 + ROWS
    mean, deviation = z.sum(0) / precision, 1 / np.sqrt(precision)
    more = {"control_variates": {"theta": np.exp(mean)}} if controlled else {}
    found = sample(
        LOGNORMAL,
        law(z),
        scheme="exact",
        step_size=step,
        steps=KEPT,
        chains=4,
        seed=1,
        batch_size=batch,
        params={"s": 1, "N": ROWS},
        initial={"theta": np.exp(mean)},
        progress=False,
        **more,
    )["theta"]
    r = np.exp(-precision * step)
    noise = ROWS**2 * z.var(0) / batch / precision**2  # of the estimated mean of log(theta)
    derived = np.sqrt(1 + noise / deviation**2 * (1 - r) / (1 + r)).mean()
    return LogNormal(
        step,
        batch,
        controlled,
        float((np.log(found).std((0, 1)) / deviation).mean()),
        None if controlled else float(derived),
        float((found.mean((0, 1)) / np.exp(mean + deviation**2 / 2)).mean()),
    )


def table_of_shapes(found: Sequence[Shapes]) -> str:
    """One row a posterior and minibatch."""
    lines = ["| posterior | minibatch | plain | control variates |", "| --- " * 4 + "|"]
    by = {(f.case, f.batch, f.controlled): f for f in found}
    for case, batch in dict.fromkeys((f.case, f.batch) for f in found):
        cells = (
            f"{f.distance:.3f} (step {f.step:g})" if f.distance else f"{f.stopped} of 16 stop"
            for f in (by[case, batch, False], by[case, batch, True])
        )
        lines.append(f"| {case} | {batch} | {' | '.join(cells)} |")
    return "\n".join(lines)


def table_of_lognormals(found: Sequence[LogNormal]) -> str:
    """One row a run."""
    lines = [
        "| step | minibatch | estimate | sd of log(theta) | derived | mean of theta |",
        "| --- " * 6 + "|",
    ]
    for f in found:
        way, derived = ("control variates" if f.controlled else "plain"), f.derived
        lines.append(
            f"| {f.step:g} | {f.batch} | {way} | {f.deviation:.3f} |"
            f" {'' if derived is None else f'{derived:.3f}'} | {f.mean:.4f} |"
        )
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Run, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--quick", action="store_true", help="a row or two of both tables")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")  # of the bias, which is what is measured here
    cases = [(c, n) for c in CASES for n in BATCHES][slice(2, 3) if options.quick else slice(None)]
    runs = [(h, n) for n in (10, 100) for h in SIZES][: 1 if options.quick else None]
    scirs = [shapes(c, n, controlled) for c, n in cases for controlled in (False, True)]
    laws = [lognormal(h, n, controlled) for h, n in runs for controlled in (False, True)]
    if options.json:
        found = {"scir": [asdict(f) for f in scirs], "log-normal": [asdict(f) for f in laws]}
        json.dump(found, sys.stdout, indent=2)
        print()
    else:
        print(table_of_shapes(scirs), table_of_lognormals(laws), sep="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
