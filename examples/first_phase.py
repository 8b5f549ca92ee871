"""Ascent to the mode, and then sampling: the first phase of Gupta, Modi & Mittal, "Stochastic
techniques for MCMC methods", a course proposal.

    recipe verify examples/first_phase.py
    python examples/first_phase.py [--json] [--quick]

Equations (1) and (2) of the proposal are gradient ascent of the log posterior, with all data and
with minibatches; SGLD is the second with noise, and the proposal sees that its "initial phase
looks similar to a gradient descent algorithm". Ascent is no sampler, and is refuted as one. Here
are a logistic regression (569 rows, 31 coordinates), and four walks: both ascents and SGLD from one
point far out, and SGLD from where the stochastic ascent ended. The table has the log posterior at
the mode (by L-BFGS) less that at the state, as a mean over chains. Draws of a normal law of d
coordinates are d/2 below its mode in the mean: there ascent goes past the draws.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sympy import Symbol

from catalog.posteriors.breast_cancer import posterior
from catalog.sgld import sgld
from codegen import Density, Polynomial, sample
from recipe import Potential, Update, Vector, grad

theta = Vector("theta")
U = Potential("U", theta)
epsilon = Symbol("epsilon", positive=True)
ascent = Update(
    step=epsilon,
    target=U,
    rule={theta: theta - epsilon * grad(U, theta)},
    source="Gupta, Modi & Mittal, Stochastic techniques for MCMC methods, equations (1) and (2)",
    expect="refuted",
)

STEP = Polynomial(2e-4, 2000, 0.55)
BATCH, CHAINS, FAR = 50, 8, 3.0
SHOWN = (1, 10, 100, 1000, 10_000, 50_000)


@dataclass(frozen=True)
class Row:
    """How far below the mode the log posterior is after so many steps, by walk."""

    steps: int
    below: dict[str, float]


def walk(what: Any, first: np.ndarray, steps: int, batch: int | None) -> np.ndarray:
    """The states after each step that is shown, of the shape (chains, numbers shown, d)."""
    drawn = sample(
        what,
        posterior,
        **({"scheme": "euler"} if what is sgld else {}),
        step_size=STEP,
        steps=steps,
        batch_size=batch,
        chains=len(first),
        initial={"theta": first},
        seed=1,
        unproved=True,  # ascent is refuted as a sampler
        progress=False,
    )["theta"]
    return drawn[:, [n - 1 for n in SHOWN if n <= steps]]


def rows(steps: int) -> list[Row]:
    """All four walks."""
    density = Density(posterior)
    mode = density.mode()
    d = density.dimension
    lowest = density.potential(mode)
    far = FAR * np.random.default_rng(0).standard_normal((CHAINS, d))
    walks = {
        "gradient ascent": walk(ascent, far, steps, None),
        "stochastic ascent": walk(ascent, far, steps, BATCH),
        "SGLD": walk(sgld, far, steps, BATCH),
    }
    risen = walks["stochastic ascent"][:, -1]
    walks["SGLD from the end of the ascent"] = walk(sgld, risen, steps, BATCH)
    return [
        Row(n, {name: _below(density, lowest, w[:, k]) for name, w in walks.items()})
        for k, n in enumerate(n for n in SHOWN if n <= steps)
    ]


def _below(density: Density, lowest: float, states: np.ndarray) -> float:
    return float(np.mean([density.potential({"theta": z}) - lowest for z in states]))


def main(arguments: list[str] | None = None) -> int:
    """Run, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--quick", action="store_true", help="the first 1,000 steps")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")  # of runs that are no draws yet, which this is about
    found = rows(1000 if options.quick else SHOWN[-1])
    if options.json:
        json.dump([asdict(r) for r in found], sys.stdout, indent=2)
        print()
        return 0
    names = list(found[0].below)
    print(f"| steps | {' | '.join(names)} |")
    print("| --- " * (len(names) + 1) + "|")
    for r in found:
        print(f"| {r.steps:,} | {' | '.join(f'{r.below[n]:.2f}' for n in names)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
