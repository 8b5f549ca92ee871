"""A row of panels, of one size in all pictures of a test."""

from __future__ import annotations

from typing import Any

from codegen.results.figures import new_figure

AUTOCORRELATION_LAGS = 30  # the largest lag, in steps or sweeps


def figure_with_panels(panels: int) -> tuple[Any, Any]:
    """Return a figure that pyplot does not know, and its panels."""
    figure, axes = new_figure(6.0 * panels, 4.2, 1, panels)
    return figure, axes[0]
