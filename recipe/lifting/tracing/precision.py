"""Floats of fewer than 64 bits that code rounds its numbers to. The rule is exact; the comparison
of rule and code in numbers allows the rounding.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import numpy as np

from recipe.lifting.tree.decimals import note

ROUNDING = 1e-8  # relative, of numbers that some dozen operations in float64 make
ROUNDING_OF_FLOAT32 = 1e-6  # likewise
IN_FLOAT32 = (
    "some numbers are drawn or computed in float32: the comparison in numbers allows"
    f" {ROUNDING_OF_FLOAT32:g}, relative"
)


def why_not_read(kind: Any) -> str | None:
    """Return why numbers of a kind have no reading; None where they have one. Those of float32 are
    noted.
    """
    kind = np.dtype(kind)
    if kind.kind != "f" or kind.itemsize < np.dtype(np.float32).itemsize:
        return f"numbers are rounded to {kind}"
    if kind.itemsize == np.dtype(np.float32).itemsize:
        note(IN_FLOAT32)
    return None


def rounding(notes: Container[str]) -> float:
    """Return how much, relative, rule and code may differ, by what was noted."""
    return ROUNDING_OF_FLOAT32 if IN_FLOAT32 in notes else ROUNDING
