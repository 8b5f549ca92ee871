"""Compare draws of the breast-cancer posterior with a long run of an established sampler, and say
pass or fail.

python examples/compare_with_reference.py demo_output/draws.nc

The reference numbers are in breast_cancer_reference.json, with the command that makes them. Pass:
every mean within 0.15 posterior standard deviations, every ratio of standard deviations within 0.85
to 1.15.
"""

import json
import sys
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from codegen import read_draws

MEAN_TOLERANCE = 0.15
RATIO_RANGE = (0.85, 1.15)


def main(path: str) -> int:
    """Print the table; 0 where everything is within tolerance, 1 otherwise."""
    reference = json.loads((Path(__file__).parent / "breast_cancer_reference.json").read_text())
    draws = read_draws(path)["theta"]
    mean, sd = draws.mean(axis=(0, 1)), draws.std(axis=(0, 1), ddof=1)
    shift = (mean - np.array(reference["mean"])) / np.array(reference["sd"])
    ratio = sd / np.array(reference["sd"])
    within = (
        (np.abs(shift) <= MEAN_TOLERANCE) & (ratio >= RATIO_RANGE[0]) & (ratio <= RATIO_RANGE[1])
    )

    table = Table(title=f"posterior beside {reference['sampler']}")
    for column in (
        "coefficient",
        "mean",
        "reference",
        "shift / sd",
        "sd",
        "reference",
        "ratio",
        "",
    ):
        table.add_column(column, justify="left" if column == "coefficient" else "right")
    for k, name in enumerate(reference["parameters"]):
        numbers = (mean[k], reference["mean"][k], shift[k], sd[k], reference["sd"][k], ratio[k])
        table.add_row(name, *(f"{v:.3f}" for v in numbers), "ok" if within[k] else "OUT")
    console = Console(width=110)
    console.print(table)
    console.print(
        f"{'PASS' if within.all() else 'FAIL'}: largest shift of a mean {np.abs(shift).max():.3f}"
        f" sd (allowed {MEAN_TOLERANCE}), ratios of standard deviations {ratio.min():.3f} to"
        f" {ratio.max():.3f} (allowed {RATIO_RANGE[0]} to {RATIO_RANGE[1]})"
    )
    return 0 if within.all() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
