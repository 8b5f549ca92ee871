"""Figures of matplotlib outside pyplot, so that neither its backend nor its current figure change,
and writing one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from codegen.files.atomic_write import whole_file


def new_figure(width: float, height: float, rows: int, columns: int) -> tuple[Any, np.ndarray]:
    """Return a figure, its size in inches, and its panels, an array (rows, columns)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, squeeze=False)


def write_figure(figure: Any, path: Path) -> Path:
    """Write a PNG so that a reader sees all of it or none."""
    with whole_file(path) as temporary:
        figure.savefig(temporary, dpi=110, format="png")
    return path
