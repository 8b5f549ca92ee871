"""The table of docs/models.md, from what --json prints.

python benchmarks/models/page.py FILE
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

COLUMNS = (
    "model", "lines here / NumPyro", "sampler", "CPU s here / NUTS", "ratio", "wall s here / NUTS",
    "distance of means", "of sds",
)  # fmt: skip


def table(rows: list[dict[str, Any]]) -> list[str]:
    """The lines of a Markdown table."""
    return [
        f"| {' | '.join(COLUMNS)} |",
        f"| {' | '.join('---' for _ in COLUMNS)} |",
        *(f"| {' | '.join(cells(row))} |" for row in rows),
    ]


def cells(row: dict[str, Any]) -> list[str]:
    """One model."""
    ours, nuts = row["ours"], row["nuts"]
    ratio = ours["cpu"] / nuts["cpu"]
    return [
        row["model"],
        f"{row['lines']} / {row['numpyro_lines']}",
        row["setting"],
        f"{ours['cpu']:.1f} / {nuts['cpu']:.1f}",
        f"{ratio:.2f}" + (" slower" if ratio > 1 else ""),
        f"{ours['wall']:.1f} / {nuts['wall']:.1f}",
        f"{row['mean_distance']:.2f} ({row['worst_mean']})",
        f"{row['sd_distance']:.2f} ({row['worst_sd']})",
    ]


if __name__ == "__main__":
    print("\n".join(table(json.loads(Path(sys.argv[1]).read_text()))))
