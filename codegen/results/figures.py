"""Figures of matplotlib outside pyplot, so that neither its backend nor its current figure change,
and writing one.
"""

from __future__ import annotations

import base64
import io
import logging
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from recipe.files.atomic_write import whole_file
from recipe.language.errors import RecipeError
from recipe_sampler.extras import missing

DOTS_PER_INCH = 110


def folder_for_plots(folder: str | Path) -> Path:
    """Import matplotlib, and make a folder for plots if it does not exist: what plots need is tried
    before the work that they show.

    Args:
        folder: the folder.

    Returns:
        Its path.

    Raises:
        RecipeError: where matplotlib cannot be imported, or files cannot be made in the folder.
    """
    require_matplotlib()
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            return path
    except OSError as error:
        raise RecipeError(
            f"the folder {path} cannot be written: {error.strerror or error}; choose another one"
        ) from None


def require_matplotlib() -> None:
    """Import matplotlib, which writes to folders of the user; it takes a temporary folder if it
    cannot write there.

    Raises:
        RecipeError: where it is not installed, or no folder can be written.
    """
    log = logging.getLogger("matplotlib")  # it logs the name of a folder that it cannot write to
    level = log.level
    try:
        log.setLevel(logging.ERROR)
        import matplotlib.backends.backend_agg
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise RecipeError(missing("a plot", "matplotlib")) from None
    except OSError as error:
        raise RecipeError(
            "matplotlib cannot be imported, as no folder can be written:"
            f" {error.strerror or error}; set HOME or TMPDIR to one that can"
        ) from None
    finally:
        log.setLevel(level)


def new_figure(width: float, height: float, rows: int, columns: int) -> tuple[Any, np.ndarray]:
    """Return a figure and its panels, an array of the shape (rows, columns).

    Args:
        width, height: the size of the figure in inches.
        rows, columns: the numbers of its panels.

    Raises:
        RecipeError: where matplotlib cannot be imported.
    """
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, squeeze=False)


def image_html(figure: Any) -> str:
    """Return a figure as HTML that holds it as PNG."""
    content = io.BytesIO()
    figure.savefig(content, dpi=DOTS_PER_INCH, format="png")
    return f'<img src="data:image/png;base64,{base64.b64encode(content.getvalue()).decode()}">'


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
        figure.savefig(temporary, dpi=DOTS_PER_INCH, format="png")
    return path
