"""Langevin dynamics at a temperature, and annealing: how often a minimum is the deeper one.

    python examples/annealing.py [--json]

``U(x) = 4 (x^2 - 1)^2 + x/2`` has a minimum near -1 that is 1 deeper than the one near 1, and a
wall of 4 between them. The tempered recipe, ``D = T`` and ``H = U/T``, has the drift -grad U and
the law ``exp(-U/T)`` at every temperature T > 0, as ``recipe verify examples/annealing.py`` proves.
2,000 chains, as coordinates of one block, start in the shallow minimum and make 20,000 steps of
0.01: without noise, at one temperature, or with a temperature that goes down from 4 to 0.05 in 40
stages, within one run. The last column has the share under the law at the last temperature, by
quadrature.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass

import numpy as np
from sympy import Matrix, Symbol

from codegen import Geometric, sample
from recipe import Potential, Recipe, Vector, total

theta = Vector("theta")
U = Potential("U", theta)
T = Symbol("T", positive=True)  # temperature
tempered = Recipe((theta,), U / T, D=Matrix([[T]]), Q=Matrix([[0]]), name="tempered_sgld")

WELLS = total(4 * (theta**2 - 1) ** 2 + theta / 2)
CHAINS, STEPS, STEP = 2000, 20_000, 0.01
TEMPERATURES: dict[str, float | Geometric] = {
    "without noise (T = 0.0001)": 1e-4,
    "T = 0.05": 0.05,
    "T = 0.5": 0.5,
    "T = 4": 4.0,
    "annealed, 4 to 0.05": Geometric(4, 0.05, STEPS, every=500),
}


@dataclass(frozen=True)
class Row:
    """The share of chains that end on the deeper side."""

    temperature: str
    deeper: float
    error: float
    law: float


def ended(temperature: float | Geometric) -> np.ndarray:
    """Where the chains are after the last step."""
    draws = sample(
        tempered,
        WELLS,
        scheme="euler",
        step_size=STEP,
        steps=STEPS,
        warmup=STEPS - 1,
        chains=1,
        params={"T": temperature},
        initial={theta: np.ones(CHAINS)},
        progress=False,
        max_bias=100,
    )
    return draws["theta"][0, -1]


def share(temperature: float) -> float:
    """Of the law ``exp(-U/T)`` on the negative side."""
    x = np.linspace(-4, 4, 40_001)
    u = 4 * (x**2 - 1) ** 2 + x / 2
    weights = np.exp(-(u - u.min()) / temperature)
    return float(weights[x < 0].sum() / weights.sum())


def main(arguments: list[str] | None = None) -> int:
    """Run, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(arguments)
    found = []
    for name, temperature in TEMPERATURES.items():
        p = float((ended(temperature) < 0).mean())
        error = float(np.sqrt(p * (1 - p) / CHAINS))
        last = temperature.last if isinstance(temperature, Geometric) else temperature
        found.append(Row(name, p, error, share(last)))
    if options.json:
        json.dump([asdict(r) for r in found], sys.stdout, indent=2)
        print()
        return 0
    print("| temperature | deeper minimum | under the law |\n| --- | --- | --- |")
    for r in found:
        print(f"| {r.temperature} | {r.deeper:.3f} ± {r.error:.3f} | {r.law:.3f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
