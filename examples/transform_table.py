"""Table 1 of Yokoi, Otsuka & Sato (2020): mirroring, Ito and CoRV compared, by what is proved and
refuted of each for every smooth U on theta > 0.

    python examples/transform_table.py [--json]

Overdamped Langevin dynamics with its Euler step: reflected at 0, for every U that is smooth there
as well, or moved to the real line by exp, softplus, and gamma + phi + E1(exp(phi)), a candidate for
the paper's ICLL, which it does not define. A dash: the question does not arise for that sampler.
"""

from __future__ import annotations

import argparse
import json
import sys

from sympy import Interval, Matrix, oo

from catalog.mirror_sgld import mirror_sgld
from recipe import Potential, Recipe, Vector, corv, ito, maps
from recipe.scheme import discretised
from verify import verify

theta = Vector("theta", domain=Interval.open(0, oo))
LANGEVIN = Recipe((theta,), Potential("U", theta), Matrix([[1]]), Matrix([[0]]), name="langevin")
SAMPLERS = {
    "mirror": mirror_sgld,
    "Ito, exp": ito(LANGEVIN, theta, maps.exp),
    "Ito, softplus": ito(LANGEVIN, theta, maps.softplus),
    "CoRV, exp": corv(LANGEVIN, theta, maps.exp),
    "CoRV, softplus": corv(LANGEVIN, theta, maps.softplus),
    "CoRV, ICLL candidate": corv(LANGEVIN, theta, maps.integrated_log_log),
}
ASKED = (
    "stationarity",
    "boundary",
    "non-explosion",
    "uniqueness",
    "lipschitz",
    "lipschitz-drift",
    "boundary-step",
    "consistency",
    "invariant-order",
)


def verdicts(recipe: Recipe) -> dict[str, str]:
    """The verdict of everything that is asked of the Euler step of a sampler."""
    lines = {line.name: line.outcome for line in verify(discretised(recipe, "euler")).lines}
    return {name: lines[name].verdict.value if name in lines else "-" for name in ASKED}


def main(arguments: list[str] | None = None) -> int:
    """Verify, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(arguments)
    found = {name: verdicts(recipe) for name, recipe in SAMPLERS.items()}
    if options.json:
        json.dump(found, sys.stdout, indent=2)
        print()
        return 0
    print("| | " + " | ".join(SAMPLERS) + " |\n" + "| --- " * (len(SAMPLERS) + 1) + "|")
    for asked in ASKED:
        print(f"| `{asked}` | " + " | ".join(v[asked] for v in found.values()) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
