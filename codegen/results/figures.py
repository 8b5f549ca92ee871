"""Figures of matplotlib outside pyplot, so that neither its backend nor its current figure change,
and writing one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from recipe.files.atomic_write import whole_file


def new_figure(width: float, height: float, rows: int, columns: int) -> tuple[Any, np.ndarray]:
    """Return a figure and its panels, an array of the shape (rows, columns).

    Args:
        width, height: the size of the figure in inches.
        rows, columns: the numbers of its panels.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, squeeze=False)


def write_figure(figure: Any, path: Path) -> Path:
    """Write a figure as PNG; a reader of the file sees all of it or none.

    Args:
        figure: the figure.
        path: the file, which is replaced if it exists.

    Returns:
        The path.

    Raises:
        RecipeError: where the file cannot be written.
    """
    with whole_file(path) as temporary:
        figure.savefig(temporary, dpi=110, format="png")
    return path
