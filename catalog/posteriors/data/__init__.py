"""Small tables that posteriors of the catalog are about, as CSV files.

The first lines of a file begin with ``#`` and say what it holds, where it is from, how to cite it
and under which licence it is. The next line names the columns. Imports numpy alone.
"""

from __future__ import annotations

from importlib.resources import files

import numpy as np


def table(name: str) -> np.ndarray:
    """Return the numbers of a table, float64, of the shape (rows, columns).

    Args:
        name: the name of the file without ``.csv``.
    """
    text = files(__name__).joinpath(f"{name}.csv").read_text(encoding="utf-8")
    _, *rows = (line for line in text.splitlines() if not line.startswith("#"))
    return np.loadtxt(rows, delimiter=",")


def standardised(columns: np.ndarray) -> np.ndarray:
    """Return the columns shifted and scaled to mean 0 and standard deviation 1.

    Args:
        columns: an array of the shape (rows, columns) or (rows,).
    """
    return (columns - columns.mean(axis=0)) / columns.std(axis=0)
