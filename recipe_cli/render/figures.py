"""Figures of matplotlib: panels side by side, and writing a figure to a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from codegen.files.atomic_write import whole_file

AUTOCORRELATION_LAGS = 30  # the largest lag, in steps or sweeps


def figure_with_panels(panels: int) -> tuple[Any, Any]:
    """Return a figure that pyplot does not know, and its panels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0 * panels, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(1, panels, squeeze=False)[0]


def write_figure(figure: Any, path: Path) -> Path:
    """Write a figure to a file, whole or not at all, and return the path."""
    with whole_file(path) as temporary:
        figure.savefig(temporary, dpi=110, format="png")
    return path
