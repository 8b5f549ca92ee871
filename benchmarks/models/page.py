"""The tables of docs/models.md, from the results in docs/models.

    python benchmarks/models/page.py

seconds.json is what ``python benchmarks/models ... --json`` printed, and gradients.json what
``python benchmarks/gradient_cost.py ... --json`` did; lines are counted in the models as they are
now. Only the lines between the markers of a table change.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from lines import lines_here, lines_in_numpyro, lines_in_pymc

DOCS = Path(__file__).resolve().parents[2] / "docs"
SECONDS = (
    "model", "sampler", "CPU seconds here", "NUTS", "ratio", "wall seconds here", "NUTS",
    "lines here", "PyMC", "NumPyro",
)  # fmt: skip
DISTANCES = (
    "model", "quantities", "largest distance of means, in sd", "in Monte Carlo errors",
    "largest distance of sds", "least effective sample size of a turn here", "NUTS",
)  # fmt: skip
GRADIENTS = ("model", "microseconds here", "JAX", "ratio", "at most 1.2")


def table(rows: list[dict[str, Any]]) -> list[str]:
    """The seconds of each model, as the lines of a Markdown table."""
    return _markdown(SECONDS, map(_seconds, rows))


def distances(rows: list[dict[str, Any]]) -> list[str]:
    """How far the draws are from those of NUTS."""
    return _markdown(DISTANCES, map(_distances, rows))


def gradients(rows: list[dict[str, Any]]) -> list[str]:
    """What gradients cost beside JAX's."""
    return _markdown(GRADIENTS, map(_gradient, rows))


def page(text: str, tables: dict[str, list[str]]) -> str:
    """The text of the page with these tables, by the name in their markers."""
    for name, lines in tables.items():
        start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, rest = text.split(start)
        text = before + start + "\n".join([*lines, end]) + rest.split(end)[1]
    return text


def tables_of(folder: Path) -> dict[str, list[str]]:
    """All tables, from the results in a folder."""
    models = json.loads((folder / "seconds.json").read_text())
    costs = json.loads((folder / "gradients.json").read_text())
    return {
        "seconds": table(models),
        "distances": distances(models),
        "gradients": gradients(costs),
    }


def _seconds(row: dict[str, Any]) -> list[str]:
    ours, nuts = row["ours"], row["nuts"]
    ratio = ours["cpu"] / nuts["cpu"]
    return [
        row["model"],
        row["setting"],
        f"{ours['cpu']:.1f}",
        f"{nuts['cpu']:.1f}",
        f"{ratio:.2f}" + (", slower" if ratio > 1 else ""),
        f"{ours['wall']:.0f}",
        f"{nuts['wall']:.0f}",
        str(lines_here(row["model"])),
        str(lines_in_pymc(row["model"])),
        str(lines_in_numpyro(row["model"])),
    ]


def _distances(row: dict[str, Any]) -> list[str]:
    return [
        row["model"],
        str(row["quantities"]),
        f"{row['mean_distance']:.2f} ({row['worst_mean']})",
        f"{row['mean_errors']:.1f}",
        f"{row['sd_distance']:.2f} ({row['worst_sd']})",
        f"{row['least_ess']:.0f}",
        f"{row['nuts_least_ess']:.0f}",
    ]


def _gradient(row: dict[str, Any]) -> list[str]:
    times = (f"{row['our_time']:.0f}", f"{row['their_time']:.0f}")
    return [row["work"], *times, f"{row['ratio']:.2f}", row["verdict"]]


def _markdown(columns: tuple[str, ...], rows: Any) -> list[str]:
    lines = [columns, tuple("---" for _ in columns), *rows]
    return [f"| {' | '.join(cells)} |" for cells in lines]


def main() -> int:
    file = DOCS / "models.md"
    file.write_text(page(file.read_text(), tables_of(DOCS / "models")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
