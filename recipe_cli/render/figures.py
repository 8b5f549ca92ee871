"""Figures of matplotlib: panels side by side, and writing one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from codegen.files.atomic_write import whole_file

AUTOCORRELATION_LAGS = 30  # steps


def figure_with_panels(panels: int) -> tuple[Any, Any]:
    """A figure outside pyplot, and its panels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0 * panels, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(1, panels, squeeze=False)[0]


def write_figure(figure: Any, path: Path) -> Path:
    """Write a picture whole, or not at all."""
    with whole_file(path) as temporary:
        figure.savefig(temporary, dpi=110, format="png")
    return path
